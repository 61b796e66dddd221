#include "kernels/md/normal_random.hpp"

#include "kernels/device/error.hpp"

namespace halyard::md {

std::uint32_t RandomSequence::word() {
  if (left_ == 0) {
    if (draw_ > 0xffff) {
      throw Error("A random sequence gave more than 262144 numbers at one step; this is a defect of the program.");
    }
    words_ = stream_.words(item_, step_, draw_++);
    left_ = 4;
  }
  return words_.w[4 - left_--];
}

double RandomSequence::uniform() {
  const std::uint64_t high = word();
  const std::uint64_t bits = ((high << 32) | word()) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;  // 53 bits: exact
}

double RandomSequence::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * math::log(uniform()));
  double sine, cosine;
  math::sin_cos_2pi(uniform(), sine, cosine);
  has_spare_ = true;
  spare_ = radius * sine;
  return radius * cosine;
}

double RandomSequence::gamma(double shape) {
  if (!(shape > 0.0)) {
    throw Error("A gamma deviate needs a shape above 0.");
  }
  if (shape < 1.0) {  // gamma(a) = gamma(a + 1) u^(1/a)
    const double u = uniform();
    return gamma(shape + 1.0) * math::exp(math::log(u) / shape);
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double t = 1.0 + c * x;
    if (t <= 0.0) {
      continue;
    }
    const double v = t * t * t;
    if (math::log(uniform()) < 0.5 * x * x + d * (1.0 - v + math::log(v))) {
      return d * v;
    }
  }
}

}  // namespace halyard::md
