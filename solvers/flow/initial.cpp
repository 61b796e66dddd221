#include "solvers/flow/initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/device/philox.hpp"

namespace halyard::flow {

namespace {

constexpr const char* kKeys[3] = {"initial.u", "initial.v", "initial.w"};

/// A random number in (-1, 1) that belongs to a component of the velocity in a global cell.
double noise(std::int64_t seed, int component, std::int64_t cell) {
  const auto index = static_cast<std::uint64_t>(cell);
  const auto words = Philox4x32::generate({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                            static_cast<std::uint32_t>(component), 0}},
                                          static_cast<std::uint32_t>(seed), 0x666c6f77U /* "flow" */);
  return Philox4x32::symmetric_uniform(words.w[0], words.w[1]);
}

bool is_velocity(double value) { return std::abs(value) <= kLargestInput; }  // false for NaN

}  // namespace

std::int64_t InitialVelocity::fill(int c, const Box& block, std::span<double> values) const {
  const Index3 n = block.extents();
  const Expression& formula = settings_.initial[c];
  std::vector<double> x(static_cast<std::size_t>(n[0]));
  for (std::int64_t i = 0; i < n[0]; ++i) {
    x[i] = place(c, 0, block.begin[0] + i);
  }
  std::int64_t spoilt = none;
#pragma omp parallel reduction(min : spoilt)
  {
    std::vector<double> own(values.empty() ? static_cast<std::size_t>(n[0]) : 0);
#pragma omp for schedule(static)
    for (std::int64_t r = 0; r < n[1] * n[2]; ++r) {
      const std::int64_t j = block.begin[1] + r % n[1], k = block.begin[2] + r / n[1];
      double* const row = values.empty() ? own.data() : values.data() + r * n[0];
      // One value is enough of a formula without x, y, z.
      const std::int64_t count = formula.is_constant() ? 1 : n[0];
      formula.evaluate_row(x.data(), place(c, 1, j), place(c, 2, k), row, count);
      std::fill(row + count, row + n[0], row[0]);
      for (std::int64_t i = 0; i < n[0]; ++i) {
        const std::int64_t cell = (k * settings_.cells[1] + j) * settings_.cells[0] + block.begin[0] + i;
        if (!is_velocity(row[i])) {
          spoilt = std::min(spoilt, cell);
        }
        if (!values.empty() && settings_.noise_amplitude > 0.0) {
          row[i] += settings_.noise_amplitude * noise(settings_.noise_seed, c, cell);
        }
      }
    }
  }
  return spoilt;
}

void InitialVelocity::require_velocity(const Communicator& comm, const CaseSchema& schema,
                                       std::array<std::int64_t, 3> spoilt) const {
  std::string messages;
  for (int c = 0; c < 3; ++c) {
    const std::int64_t cell = comm.min(spoilt[c]);
    if (cell == none) {
      continue;
    }
    const std::int64_t i = cell % settings_.cells[0], j = cell / settings_.cells[0] % settings_.cells[1],
                       k = cell / (settings_.cells[0] * settings_.cells[1]);
    const double x = place(c, 0, i), y = place(c, 1, j), z = place(c, 2, k);
    double value = 0.0;
    settings_.initial[c].evaluate_row(&x, y, z, &value, 1);
    const Error error = schema.error(
        kKeys[c], fmt::format("is {} m/s in cell ({}, {}, {}) at x = {}, y = {}, z = {} m; it must be finite and at "
                              "most {} in magnitude everywhere in the domain.",
                              std::isnan(value) ? "nan" : fmt::format("{}", value), i, j, k, x, y, z, kLargestInput));
    messages += fmt::format("{}{}", messages.empty() ? "" : "\n", error.what());
  }
  if (!messages.empty()) {
    throw Error(messages);
  }
}

}  // namespace halyard::flow
