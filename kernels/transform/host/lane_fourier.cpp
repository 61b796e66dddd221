#include "kernels/transform/host/lane_fourier.hpp"

#include <fftw3.h>

#include <numbers>
#include <string>

#include "kernels/device/error.hpp"

namespace halyard::host {

namespace {

// The largest prime factor that is not left to FFTW: the direct sum beats its algorithm for primes up to there.
constexpr int max_prime = 127;

// Butterflies: x[0 ... R) becomes its discrete Fourier transform.

KERNEL void butterfly2(ComplexLanes* x) {
  const ComplexLanes a = x[0], b = x[1];
  x[0] = a + b;
  x[1] = a - b;
}

KERNEL void butterfly3(ComplexLanes* x) {
  const Lanes half = all(0.5), s = all(0.86602540378443864676);  // sin(pi/3)
  const ComplexLanes sum = x[1] + x[2], difference = x[1] - x[2];
  const ComplexLanes centre = {fnma(half, sum.re, x[0].re), fnma(half, sum.im, x[0].im)};
  x[0] = x[0] + sum;
  x[1] = {fma(s, difference.im, centre.re), fnma(s, difference.re, centre.im)};
  x[2] = {fnma(s, difference.im, centre.re), fma(s, difference.re, centre.im)};
}

KERNEL void butterfly4(ComplexLanes* x) {
  const ComplexLanes a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x[0] = a + c;
  x[2] = a - c;
  x[1] = {b.re + d.im, b.im - d.re};
  x[3] = {b.re - d.im, b.im + d.re};
}

KERNEL void butterfly5(ComplexLanes* x) {
  const Lanes c1 = all(0.30901699437494742410), c2 = all(-0.80901699437494742410);  // cos(2 pi/5), cos(4 pi/5)
  const Lanes s1 = all(0.95105651629515357212), s2 = all(0.58778525229247312917);   // sin(2 pi/5), sin(4 pi/5)
  const ComplexLanes a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const ComplexLanes p = {fma(c2, b.re, fma(c1, a.re, x[0].re)), fma(c2, b.im, fma(c1, a.im, x[0].im))};
  const ComplexLanes q = {fma(c1, b.re, fma(c2, a.re, x[0].re)), fma(c1, b.im, fma(c2, a.im, x[0].im))};
  const ComplexLanes u = {fma(s2, d.re, s1 * c.re), fma(s2, d.im, s1 * c.im)};
  const ComplexLanes v = {fms(s2, c.re, s1 * d.re), fms(s2, c.im, s1 * d.im)};
  x[0] = x[0] + (a + b);
  x[1] = {p.re + u.im, p.im - u.re};
  x[4] = {p.re - u.im, p.im + u.re};
  x[2] = {q.re + v.im, q.im - v.re};
  x[3] = {q.re - v.im, q.im + v.re};
}

KERNEL void butterfly8(ComplexLanes* x) {
  const Lanes h = all(0.70710678118654752440);  // sqrt(1/2)
  const ComplexLanes a0 = x[0] + x[4], b0 = x[0] - x[4], a1 = x[1] + x[5], b1 = x[1] - x[5];
  const ComplexLanes a2 = x[2] + x[6], b2 = x[2] - x[6], a3 = x[3] + x[7], b3 = x[3] - x[7];
  const ComplexLanes c0 = a0 + a2, c1 = a0 - a2, c2 = a1 + a3, c3 = a1 - a3;
  x[0] = c0 + c2;
  x[4] = c0 - c2;
  x[2] = {c1.re + c3.im, c1.im - c3.re};
  x[6] = {c1.re - c3.im, c1.im + c3.re};
  // Odd outputs: b1 and b3 turned by exp(-i pi/4) and exp(-3 i pi/4); their sum and difference scaled at the end.
  const ComplexLanes d1 = {b1.re + b1.im, b1.im - b1.re}, d3 = {b3.im - b3.re, all(0.0) - (b3.re + b3.im)};
  const ComplexLanes e0 = {b0.re + b2.im, b0.im - b2.re}, e1 = {b0.re - b2.im, b0.im + b2.re};
  const ComplexLanes s = d1 + d3, t = d1 - d3;
  x[1] = {fma(h, s.re, e0.re), fma(h, s.im, e0.im)};
  x[5] = {fnma(h, s.re, e0.re), fnma(h, s.im, e0.im)};
  x[3] = {fma(h, t.im, e1.re), fnma(h, t.re, e1.im)};
  x[7] = {fnma(h, t.im, e1.re), fma(h, t.re, e1.im)};
}

template <int R>
KERNEL void butterfly(ComplexLanes* x) {
  if constexpr (R == 2) {
    butterfly2(x);
  } else if constexpr (R == 3) {
    butterfly3(x);
  } else if constexpr (R == 4) {
    butterfly4(x);
  } else if constexpr (R == 5) {
    butterfly5(x);
  } else {
    butterfly8(x);
  }
}

/// Joins R neighbouring transforms of `length` into one, everywhere in the n elements.
template <int R>
void join(double* re, double* im, int n, int length, const double* twiddles) {
  const std::int64_t step = std::int64_t{complex_stride} * length;
  for (std::int64_t start = 0; start < std::int64_t{complex_stride} * n; start += step * R) {
    double* const block_re = re + start;
    double* const block_im = im + start;
    {
      ComplexLanes x[R];
      for (int s = 0; s < R; ++s) {
        x[s] = {load(block_re + s * step), load(block_im + s * step)};
      }
      butterfly<R>(x);
      for (int s = 0; s < R; ++s) {
        store(block_re + s * step, x[s].re);
        store(block_im + s * step, x[s].im);
      }
    }
    const double* w = twiddles;
    for (int k = 1; k < length; ++k) {
      w += 2 * (R - 1);
      double* const p = block_re + complex_stride * k;
      double* const q = block_im + complex_stride * k;
      ComplexLanes x[R];
      x[0] = {load(p), load(q)};
      for (int s = 1; s < R; ++s) {
        x[s] = multiply({load(p + s * step), load(q + s * step)}, all(w[2 * s - 2]), all(w[2 * s - 1]));
      }
      butterfly<R>(x);
      for (int s = 0; s < R; ++s) {
        store(p + s * step, x[s].re);
        store(q + s * step, x[s].im);
      }
    }
  }
}

/// The same for any odd radix r, by the definition: the inputs s and r - s are added and subtracted once, so that each
/// output pair (m, r - m) takes one sum of cosines and one of sines. `roots`: cos and sin(2 pi j / r) for j = 0 ...
/// r-1.
void join_prime(double* re, double* im, int n, int r, int length, const double* twiddles, const double* roots) {
  const std::int64_t step = std::int64_t{complex_stride} * length;
  constexpr int most = max_prime / 2 + 1;
  ComplexLanes sum[most], difference[most];
  const int half = r / 2;
  for (std::int64_t start = 0; start < std::int64_t{complex_stride} * n; start += step * r) {
    for (int k = 0; k < length; ++k) {
      const double* const w = twiddles + std::int64_t{2} * (r - 1) * k;
      double* const p = re + start + complex_stride * k;
      double* const q = im + start + complex_stride * k;
      const ComplexLanes first = {load(p), load(q)};
      ComplexLanes total = first;
      for (int s = 1; s <= half; ++s) {
        const int t = r - s;
        const ComplexLanes a = multiply({load(p + s * step), load(q + s * step)}, all(w[2 * s - 2]), all(w[2 * s - 1]));
        const ComplexLanes b = multiply({load(p + t * step), load(q + t * step)}, all(w[2 * t - 2]), all(w[2 * t - 1]));
        sum[s] = a + b;
        difference[s] = a - b;
        total = total + sum[s];
      }
      store(p, total.re);
      store(q, total.im);
      for (int m = 1; m <= half; ++m) {
        ComplexLanes even = first, odd = {all(0.0), all(0.0)};
        for (int s = 1, j = m; s <= half; ++s) {
          const Lanes c = all(roots[2 * j]), d = all(roots[2 * j + 1]);
          even = {fma(c, sum[s].re, even.re), fma(c, sum[s].im, even.im)};
          odd = {fma(d, difference[s].re, odd.re), fma(d, difference[s].im, odd.im)};
          j = j + m < r ? j + m : j + m - r;
        }
        store(p + m * step, even.re + odd.im);
        store(q + m * step, even.im - odd.re);
        store(p + (r - m) * step, even.re - odd.im);
        store(q + (r - m) * step, even.im + odd.re);
      }
    }
  }
}

std::vector<int> radices(int n) {
  std::vector<int> result;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) {
    ++twos;
  }
  for (int prime = 3; prime <= max_prime; prime += 2) {
    for (; n % prime == 0; n /= prime) {
      result.insert(result.begin(), prime);
    }
  }
  // As few passes as possible: eights, and one 2, one 4 or two 4s for the rest.
  int fours = 0;
  if (twos % 3 == 1 && twos >= 4) {
    fours = 2;
  } else if (twos % 3 == 2) {
    fours = 1;
  } else if (twos == 1) {
    result.push_back(2);
    twos = 0;
  }
  for (int i = 0; i < fours; ++i) {
    result.push_back(4);
  }
  for (int i = 0; i < (twos - 2 * fours) / 3; ++i) {
    result.push_back(8);
  }
  if (n != 1) {
    result.clear();
    result.push_back(0);  // a larger prime factor
  }
  return result;
}

/// Where element i of a transform of length n, whose passes so far are radix[0 ... count), starts.
int slot_of(int i, int n, const std::vector<int>& radix, std::size_t count) {
  if (count == 0) {
    return 0;
  }
  const int r = radix[count - 1];
  return i % r * (n / r) + slot_of(i / r, n / r, radix, count - 1);
}

}  // namespace

struct LaneFourier::Fallback {
  fftw_plan forward = nullptr, inverse = nullptr;

  explicit Fallback(int n) {
    // One fixed width, never chosen by timing; the plans serve any buffer of the same alignment.
    double* buffer = fftw_alloc_real(static_cast<std::size_t>(n) * complex_stride + lane_count);
    double* aligned = buffer;
    while (reinterpret_cast<std::uintptr_t>(aligned) % 64 != 0) {
      ++aligned;
    }
    const fftw_iodim line{n, complex_stride, complex_stride}, lanes{lane_count, 1, 1};
    double *re = aligned, *im = aligned + lane_count;
    forward = fftw_plan_guru_split_dft(1, &line, 1, &lanes, re, im, re, im, FFTW_ESTIMATE);
    inverse = fftw_plan_guru_split_dft(1, &line, 1, &lanes, im, re, im, re, FFTW_ESTIMATE);
    fftw_free(buffer);
    if (forward == nullptr || inverse == nullptr) {
      throw Error("FFTW makes no plan for a Fourier transform of length " + std::to_string(n));
    }
  }
  ~Fallback() {
    fftw_destroy_plan(forward);
    fftw_destroy_plan(inverse);
  }
  Fallback(const Fallback&) = delete;
  Fallback& operator=(const Fallback&) = delete;
};

LaneFourier::LaneFourier(int n) : n_(n), slot_(static_cast<std::size_t>(n)) {
  if (n < 1) {
    throw Error("a Fourier transform of length " + std::to_string(n) + " was asked for; at least 1 is needed");
  }
  const std::vector<int> radix = radices(n);
  if (!radix.empty() && radix.front() == 0) {
    fast_ = false;
    fallback_ = std::make_shared<Fallback>(n);
    for (int i = 0; i < n; ++i) {
      slot_[i] = i;
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    slot_[i] = slot_of(i, n, radix, radix.size());
  }
  int length = 1;
  for (const int r : radix) {
    passes_.push_back({r, length, static_cast<std::int64_t>(twiddles_.size()), 0});
    fast_ = fast_ && r != 7 && r <= 8;
    for (int k = 0; k < length; ++k) {
      for (int s = 1; s < r; ++s) {
        const long double angle =
            -2.0L * std::numbers::pi_v<long double> * s * k / (static_cast<long double>(r) * length);
        twiddles_.push_back(static_cast<double>(std::cos(angle)));
        twiddles_.push_back(static_cast<double>(std::sin(angle)));
      }
    }
    passes_.back().roots = static_cast<std::int64_t>(twiddles_.size());
    for (int j = 0; j < r; ++j) {
      const long double angle = 2.0L * std::numbers::pi_v<long double> * j / r;
      twiddles_.push_back(static_cast<double>(std::cos(angle)));
      twiddles_.push_back(static_cast<double>(std::sin(angle)));
    }
    length *= r;
  }
}

void LaneFourier::transform(double* buffer, bool inverse) const {
  // Swapping real and imaginary parts before and after turns the transform into its inverse.
  double* re = buffer + (inverse ? lane_count : 0);
  double* im = buffer + (inverse ? 0 : lane_count);
  if (fallback_ != nullptr) {
    fftw_execute_split_dft(inverse ? fallback_->inverse : fallback_->forward, re, im, re, im);
    return;
  }
  for (const Pass& pass : passes_) {
    const double* w = twiddles_.data() + pass.twiddle;
    switch (pass.radix) {
      case 2:
        join<2>(re, im, n_, pass.length, w);
        break;
      case 3:
        join<3>(re, im, n_, pass.length, w);
        break;
      case 4:
        join<4>(re, im, n_, pass.length, w);
        break;
      case 5:
        join<5>(re, im, n_, pass.length, w);
        break;
      case 8:
        join<8>(re, im, n_, pass.length, w);
        break;
      default:
        join_prime(re, im, n_, pass.radix, pass.length, w, twiddles_.data() + pass.roots);
        break;
    }
  }
}

int next_fast_size(int n) {
  for (;; ++n) {
    int rest = n;
    for (const int prime : {2, 3, 5}) {
      while (rest % prime == 0) {
        rest /= prime;
      }
    }
    if (rest == 1) {
      return n;
    }
  }
}

}  // namespace halyard::host
