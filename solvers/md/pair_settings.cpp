#include "solvers/md/pair_settings.hpp"

#include <fmt/format.h>

#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "kernels/md/pair/potentials.hpp"

namespace halyard::md {

namespace {

/// What the user gave, or mixing made, for one pair of types.
struct PairInputs {
  std::vector<double> values;
  double cutoff = 0.0;
};

/// Whether unlike types can be mixed: epsilon, sigma, and perhaps more lengths.
template <class Potential>
constexpr bool mixes() {
  const auto& inputs = Potential::inputs;
  if (inputs.size() < 2 || inputs[0].name != "epsilon" || inputs[1].name != "sigma") {
    return false;
  }
  for (std::size_t k = 2; k < inputs.size(); ++k) {
    if (inputs[k].quantity != PairQuantity::length) {
      return false;
    }
  }
  return true;
}

/// Of all ordered pairs of types (i * types + j).
template <class Potential>
std::vector<PairInputs> complete(const MdCase& settings, int types, const CaseSchema& schema) {
  const auto& given = settings.pair.coefficients;
  const auto at = [types](int i, int j) { return static_cast<std::size_t>(i * types + j); };
  std::vector<std::optional<PairInputs>> found(static_cast<std::size_t>(types) * static_cast<std::size_t>(types));
  for (std::size_t n = 0; n < given.size(); ++n) {
    const auto [i, j] = std::array<int, 2>{given[n].types[0] - 1, given[n].types[1] - 1};
    if (i >= types || j >= types) {
      throw schema.error("pair.coefficients", fmt::format("number {} is for types {} and {}; there are types 1 to {}.",
                                                          n + 1, i + 1, j + 1, types));
    }
    if (found[at(i, j)]) {
      throw schema.error("pair.coefficients",
                         fmt::format("number {} gives types {} and {} again.", n + 1, i + 1, j + 1));
    }
    PairInputs inputs{.values = {}, .cutoff = given[n].cutoff.value_or(settings.pair.cutoff.value_or(0.0))};
    for (const PairInput& input : Potential::inputs) {
      inputs.values.push_back(given[n].inputs.at(std::string(input.name)).value());
    }
    found[at(i, j)] = found[at(j, i)] = inputs;
  }
  std::vector<PairInputs> all;
  for (int i = 0; i < types; ++i) {
    for (int j = 0; j < types; ++j) {
      if (found[at(i, j)]) {
        all.push_back(*found[at(i, j)]);
        continue;
      }
      if constexpr (mixes<Potential>()) {
        if (i != j && found[at(i, i)] && found[at(j, j)]) {
          const PairInputs &a = *found[at(i, i)], &b = *found[at(j, j)];
          const PairMixing rule = settings.pair.mixing;
          PairInputs& mixed = all.emplace_back();
          mixed.values = {mix_epsilon(rule, a.values[0], b.values[0], a.values[1], b.values[1])};
          for (std::size_t k = 1; k < a.values.size(); ++k) {
            mixed.values.push_back(mix_length(rule, a.values[k], b.values[k]));
          }
          mixed.cutoff = mix_length(rule, a.cutoff, b.cutoff);
          continue;
        }
      }
      throw schema.error("pair.coefficients", fmt::format("lacks types {} and {}.", i + 1, j + 1));
    }
  }
  return all;
}

/// Calls use(potential, inputs) with the case's potential.
template <class Use>
void with_inputs(const MdCase& settings, int types, const CaseSchema& schema, Use use) {
  with_pair_potential(settings.pair.potential, [&](auto potential) {
    using Potential = decltype(potential);
    if constexpr (!is_tabulated<Potential>) {
      use(potential, complete<Potential>(settings, types, schema));
    }
  });
}

}  // namespace

PairParameters make_pair_parameters(const MdCase& settings, int types, const CaseSchema& schema) {
  PairParameters table;
  with_inputs(settings, types, schema, [&](auto potential, const std::vector<PairInputs>& all) {
    using Potential = decltype(potential);
    table = PairParameters(types, Potential::coefficients);
    for (std::size_t pair = 0; pair < all.size(); ++pair) {
      double c[Potential::coefficients];
      const double r_cut = Potential::cutoff(all[pair].values.data(), all[pair].cutoff);
      try {
        Potential::prepare(all[pair].values.data(), all[pair].cutoff, c);
      } catch (const Error& error) {
        throw schema.error("pair.coefficients",
                           fmt::format("for types {} and {}: {}", pair / static_cast<std::size_t>(types) + 1,
                                       pair % static_cast<std::size_t>(types) + 1, error.what()));
      }
      table.cutoff2[pair] = r_cut * r_cut;
      table.safe2[pair] = safe_r2<Potential>(c, r_cut);
      for (int k = 0; k < Potential::coefficients; ++k) {
        table.c[static_cast<std::size_t>(k) * all.size() + pair] = c[k];
      }
    }
  });
  return table;
}

TailCorrection make_tail(const MdCase& settings, std::span<const std::int64_t> atoms, const CaseSchema& schema) {
  TailCorrection sum;
  if (!settings.pair.tail) {
    return sum;
  }
  const int types = static_cast<int>(atoms.size());
  with_inputs(settings, types, schema, [&](auto potential, const std::vector<PairInputs>& all) {
    using Potential = decltype(potential);
    if constexpr (Potential::has_tail) {
      for (std::size_t pair = 0; pair < all.size(); ++pair) {
        const PairTail tail = Potential::tail(all[pair].values.data(), all[pair].cutoff);
        const double count =
            static_cast<double>(atoms[pair / atoms.size()]) * static_cast<double>(atoms[pair % atoms.size()]);
        sum.energy_volume += 2.0 * std::numbers::pi * count * tail.energy;
        sum.pressure_volume2 += 2.0 * std::numbers::pi / 3.0 * count * tail.virial;
      }
    } else {
      throw schema.error("pair.tail",
                         fmt::format("is true, but the potential {} has no tail.", settings.pair.potential));
    }
  });
  return sum;
}

}  // namespace halyard::md
