#include "solvers/md/bonded.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kernels/md/bonded/styles.hpp"
#include "kernels/md/pair/potentials.hpp"
#include "solvers/parallel/record_exchange.hpp"
#include "solvers/parallel/session.hpp"
#include "solvers/run/collectively.hpp"

namespace halyard::md {

namespace {

std::string key_of(std::size_t kind) { return std::string("bonded.") + bonded_kind_names[kind]; }

/// "file:line: " of what the data file says.
std::string place_in_data(const MdCase& settings, std::int64_t line) {
  return fmt::format("{}:{}: ", settings.system.data.string(), line);
}

/// The inputs of every type, and where each was given, for messages.
struct TypeInputs {
  std::vector<double> values;
  std::function<Error(const std::string&)> error;
};

std::vector<TypeInputs> inputs_of_types(const MdCase& settings, const System& system, const CaseSchema& schema,
                                        std::size_t kind, const std::string& style) {
  const int types = system.topology.types[kind];
  std::vector<std::optional<TypeInputs>> found(static_cast<std::size_t>(types));
  const std::string list = key_of(kind) + "_coefficients";
  const std::vector<TypeCoefficients>& given = settings.bonded.coefficients[kind];
  for (std::size_t n = 0; n < given.size(); ++n) {
    if (given[n].type > types) {
      throw schema.error(
          list, fmt::format("number {} is for type {}; the data file has {} type(s).", n + 1, given[n].type, types));
    }
    std::optional<TypeInputs>& at = found[static_cast<std::size_t>(given[n].type - 1)];
    if (at) {
      throw schema.error(list, fmt::format("number {} gives type {} again.", n + 1, given[n].type));
    }
    at = TypeInputs{given[n].values, [&schema, list, n](const std::string& text) {
                      return schema.error(list, fmt::format("number {}: {}", n + 1, text));
                    }};
  }
  if (given.empty()) {
    for (const LammpsCoefficientLine& line : system.topology.coefficients[kind].lines) {
      const std::string place = place_in_data(settings, line.line);
      if (!line.style.empty() && line.style != style) {
        throw Error(fmt::format("{}type {} has the {} style \"{}\", the others \"{}\": one style for all is possible.",
                                place, line.type + 1, bonded_kind_names[kind], line.style, style));
      }
      found[static_cast<std::size_t>(line.type)] =
          TypeInputs{line.numbers, [place](const std::string& text) { return Error(place + text); }};
    }
  }
  std::vector<TypeInputs> all;
  for (std::size_t t = 0; t < found.size(); ++t) {
    if (!found[t]) {
      throw schema.error(list, fmt::format("lacks type {}, and the data file has no coefficients of it{}.", t + 1,
                                           given.empty() ? " either" : " that count, as the case gives others"));
    }
    all.push_back(*std::move(found[t]));
  }
  return all;
}

/// The style as the case gives it, else as the data file's section says; empty where there are no terms.
template <class Styles>
std::string choose_style(const MdCase& settings, const System& system, const CaseSchema& schema, std::size_t kind) {
  const std::string &given = settings.bonded.styles[kind], &hint = system.topology.coefficients[kind].style_hint;
  if (system.topology.counts[kind] == 0) {
    if (!given.empty()) {
      throw schema.error(key_of(kind),
                         fmt::format("is \"{}\", but the system has no {}s.", given, bonded_kind_names[kind]));
    }
    return "";
  }
  std::vector<std::string> names;
  for_each_style<Styles>([&](auto style) { names.emplace_back(style.name); });
  if (given.empty()) {
    if (std::find(names.begin(), names.end(), hint) == names.end()) {
      throw schema.error(
          key_of(kind),
          fmt::format("is not given, and {}; allowed: {}.",
                      hint.empty()
                          ? std::string("the data file does not name the style of its ") + bonded_kind_names[kind] + "s"
                          : fmt::format("the data file's style \"{}\" is none that is here", hint),
                      fmt::join(names, ", ")));
    }
    return hint;
  }
  if (settings.bonded.coefficients[kind].empty() && !hint.empty() && hint != given) {
    throw schema.error(key_of(kind),
                       fmt::format("is \"{}\", but {}coefficients of style \"{}\" follow.", given,
                                   place_in_data(settings, system.topology.coefficients[kind].line), hint));
  }
  return given;
}

template <class Styles>
void prepare_kind(const MdCase& settings, const System& system, const CaseSchema& schema, BondedKind kind,
                  BondedModel& model) {
  const auto k = static_cast<std::size_t>(kind);
  BondedStyle& table = model.styles[k];
  table.name = choose_style<Styles>(settings, system, schema, k);
  if (table.name.empty()) {
    return;
  }
  table.types = system.topology.types[k];
  const std::vector<TypeInputs> inputs = inputs_of_types(settings, system, schema, k, table.name);
  with_style<Styles>(table.name, [&](auto style) {
    using Style = decltype(style);
    table.c.resize(inputs.size() * static_cast<std::size_t>(Style::coefficients));
    std::string names;
    for (const BondedInput& input : Style::inputs) {
      names += (names.empty() ? "" : " ") + std::string(input.name);
    }
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (inputs[t].values.size() != Style::inputs.size()) {
        throw inputs[t].error(fmt::format("{} type {} has {} coefficient(s); style {} has {}: {}.",
                                          bonded_kind_names[k], t + 1, inputs[t].values.size(), table.name,
                                          Style::inputs.size(), names));
      }
      double c[Style::coefficients];
      try {
        Style::prepare(inputs[t].values.data(), c);
      } catch (const Error& error) {
        throw inputs[t].error(fmt::format("type {}: {}", t + 1, error.what()));
      }
      for (std::size_t n = 0; n < static_cast<std::size_t>(Style::coefficients); ++n) {
        table.c[n * inputs.size() + t] = c[n];
      }
      if constexpr (requires { Style::pair_weight_input; }) {
        model.ends_weight.push_back(inputs[t].values[static_cast<std::size_t>(Style::pair_weight_input)]);
      }
    }
  });
}

/// Coefficients of the pairs of dihedrals' ends: lj/charmm's eps14 and sigma14, or epsilon and sigma where the data
/// file has only those, mixed as all others are.
PairParameters parameters_of_ends(const MdCase& settings, const System& system, const CaseSchema& schema) {
  const std::string wanted = "have a weight of their ends' pair";
  if (settings.pair.potential != "lj-charmm") {
    throw schema.error("bonded.dihedral",
                       fmt::format("is \"charmm\" with types that {}, for which the pair potential must be "
                                   "\"lj-charmm\"; it is \"{}\".",
                                   wanted, settings.pair.potential));
  }
  const auto types = static_cast<int>(system.masses.size());
  const auto count = static_cast<std::size_t>(types);
  std::vector<double> epsilon(count, NAN), sigma(count, NAN);
  if (!settings.pair.coefficients.empty()) {
    for (const PairCoefficients& pair : pair_coefficients(settings, system, schema)) {
      if (pair.types[0] == pair.types[1]) {
        const auto t = static_cast<std::size_t>(pair.types[0] - 1);
        epsilon[t] = pair.inputs.at("epsilon").value();
        sigma[t] = pair.inputs.at("sigma").value();
      }
    }
  } else {
    for (const LammpsCoefficientLine& line : system.topology.pair.lines) {
      const std::size_t at = line.numbers.size() == 4 ? 2 : 0;
      epsilon[static_cast<std::size_t>(line.type)] = line.numbers[at];
      sigma[static_cast<std::size_t>(line.type)] = line.numbers[at + 1];
    }
  }
  PairParameters table(types, LennardJones::coefficients);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (std::isnan(epsilon[i]) || std::isnan(epsilon[j])) {
        throw schema.error("bonded.dihedral", fmt::format("is \"charmm\" with types that {}, which needs epsilon and "
                                                          "sigma of each type of atom; type {} has none.",
                                                          wanted, (std::isnan(epsilon[i]) ? i : j) + 1));
      }
      const PairMixing rule = settings.pair.mixing;
      const double input[2] = {mix_epsilon(rule, epsilon[i], epsilon[j], sigma[i], sigma[j]),
                               mix_length(rule, sigma[i], sigma[j])};
      double c[LennardJones::coefficients];
      constexpr double far = 1e3;  // in sigma: the cutoff that only the search for the safe distance sees
      LennardJones::prepare(input, far * std::max(input[1], 1e-3), c);
      const std::size_t pair = i * count + j;
      table.safe2[pair] = input[0] > 0.0 ? safe_r2<LennardJones>(c, far * input[1]) : 0.0;
      table.cutoff2[pair] = HUGE_VAL;
      for (std::size_t k = 0; k < static_cast<std::size_t>(LennardJones::coefficients); ++k) {
        table.c[k * count * count + pair] = c[k];
      }
    }
  }
  return table;
}

}  // namespace

std::vector<PairCoefficients> pair_coefficients(const MdCase& settings, const System& system,
                                                const CaseSchema& schema) {
  if (!settings.pair.coefficients.empty() || (system.topology.pair.empty() && system.topology.pair_ij.empty())) {
    return settings.pair.coefficients;
  }
  std::vector<PairCoefficients> all;
  const LammpsCoefficients& section = system.topology.pair.empty() ? system.topology.pair_ij : system.topology.pair;
  with_pair_potential(settings.pair.potential, [&](auto potential) {
    using Potential = decltype(potential);
    // "lj/charmm/coul/long" has the coefficients of lj/charmm.
    if (!section.style_hint.empty() && !Potential::lammps.empty() &&
        section.style_hint.compare(0, Potential::lammps.size(), Potential::lammps) != 0) {
      throw schema.error("pair.potential",
                         fmt::format("is \"{}\", but {}coefficients of style \"{}\" follow.", Potential::name,
                                     place_in_data(settings, section.line), section.style_hint));
    }
    const bool charmm = Potential::name == LennardJonesCharmm::name;
    const std::size_t wanted = charmm ? 2 : Potential::inputs.size();
    for (const LammpsCoefficientLine& line : section.lines) {
      const std::size_t count = line.numbers.size();
      const bool has_cutoff = !charmm && count == wanted + 1;
      if (count != wanted && !has_cutoff && !(charmm && count == 4)) {
        throw Error(fmt::format("{}{} coefficient(s); the potential {} has {}{}.", place_in_data(settings, line.line),
                                count, Potential::name, wanted,
                                charmm ? ", or 4 with those of dihedrals' ends" : ", and a cutoff or none"));
      }
      PairCoefficients& pair = all.emplace_back();
      pair.types = {line.type + 1, line.second_type + 1};
      for (std::size_t n = 0; n < Potential::inputs.size(); ++n) {
        const std::string name(Potential::inputs[n].name);
        if (n < wanted) {
          pair.inputs[name] = line.numbers[n];
        } else if (settings.bonded.inner_cutoff) {
          pair.inputs[name] = settings.bonded.inner_cutoff;
        } else {
          throw schema.error("pair.inner_cutoff",
                             "is not given; a data file's coefficients need it for \"lj-charmm\".");
        }
      }
      if (has_cutoff) {
        pair.cutoff = line.numbers[wanted];
      }
    }
  });
  return all;
}

Bonded::Bonded(const MdCase& settings, const System& system, const CaseSchema& schema)
    : system_(&system), potential_(settings.pair.potential) {
  prepare_kind<BondStyles>(settings, system, schema, BondedKind::bond, model_);
  prepare_kind<AngleStyles>(settings, system, schema, BondedKind::angle, model_);
  prepare_kind<DihedralStyles>(settings, system, schema, BondedKind::dihedral, model_);
  prepare_kind<ImproperStyles>(settings, system, schema, BondedKind::improper, model_);
  model_.special_weight = settings.bonded.special_lj;
  if (std::all_of(model_.ends_weight.begin(), model_.ends_weight.end(), [](double w) { return w == 0.0; })) {
    model_.ends_weight.clear();
  } else {
    model_.ends = parameters_of_ends(settings, system, schema);
  }
  constexpr double margin = 1.25;  // for bonds and angles that stretch; a longer one is an error at the next list
  reach_ = margin * system.topology.longest;
  terms_ = system.topology.terms;
}

double Bonded::stiffest_bond() const {
  const BondedStyle& table = model_.styles[static_cast<std::size_t>(BondedKind::bond)];
  double stiffest = 0.0;
  if (table.name.empty()) {
    return stiffest;
  }
  with_style<BondStyles>(table.name, [&](auto style) {
    using Style = decltype(style);
    for (int type = 0; type < table.types; ++type) {
      double c[Style::coefficients];
      for (int k = 0; k < Style::coefficients; ++k) {
        c[k] = table.c[static_cast<std::size_t>(k * table.types + type)];
      }
      const auto force = [&c](double r) { return Style::template evaluate<double>(r * r, c).force_over_r * r; };
      // The force turns from repulsive to attractive at the minimum.
      constexpr double step = 1.01, end = 1e4;
      double low = 1e-3;
      while (low < end && !(force(low) > 0.0 && force(low * step) <= 0.0)) {
        low *= step;
      }
      if (low >= end) {
        continue;
      }
      double high = low * step;
      for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (force(middle) > 0.0 ? low : high) = middle;
      }
      const double h = 1e-5 * low;
      stiffest = std::max(stiffest, (force(low - h) - force(low + h)) / (2.0 * h));
    }
  });
  return stiffest;
}

void Bonded::follow(const Communicator& comm, std::span<const AtomRecord> records, std::span<const int> owner) {
  if (!any() || comm.size() == 1) {
    return;
  }
  std::unordered_map<std::int64_t, int> leaving;
  for (std::size_t a = 0; a < records.size(); ++a) {
    if (owner[a] != comm.rank()) {
      leaving.emplace(records[a].id, owner[a]);
    }
  }
  std::vector<std::vector<BondedTerm>> to_rank(static_cast<std::size_t>(comm.size()));
  std::size_t kept = 0;
  for (const BondedTerm& term : terms_) {
    const auto found = leaving.find(term.atom());
    if (found == leaving.end()) {
      terms_[kept++] = term;
    } else {
      to_rank[static_cast<std::size_t>(found->second)].push_back(term);
    }
  }
  terms_.resize(kept);
  const std::vector<BondedTerm> come = exchange_records(comm, to_rank).records;
  terms_.insert(terms_.end(), come.begin(), come.end());
}

void Bonded::list(const Communicator& comm, const Atoms& atoms, const SimulationBox& box, double reach) {
  bool any = false;
  for (const std::int64_t count : system_->topology.counts) {
    any = any || count > 0;
  }
  if (!any) {
    return;
  }
  on_every_rank(comm, exit_code::failure, [&] {
    const std::vector<host::BondedProblem> problems =
        host::build_bonded_list(atoms, box, terms_, model_, static_cast<int>(system_->masses.size()), reach, list_);
    if (problems.empty()) {
      return;
    }
    const auto worst = std::max_element(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
      return std::pair(a.distance, b.atoms) < std::pair(b.distance, a.atoms);
    });
    if (worst->distance == 0.0) {
      throw Error(fmt::format("Atom {} of the {} is not near atom {}, so the {} has no force.",
                              system_->user_id(worst->atoms[1]), name_of(worst->term),
                              system_->user_id(worst->atoms[0]),
                              bonded_kind_names[static_cast<std::size_t>(worst->term.kind)]));
    }
    throw Error(fmt::format(
        "Atoms {} and {} of the {} are {:.6g} apart: half the box, or further than the {:.6g} that terms may reach, "
        "which is a quarter more than the longest at the start.",
        system_->user_id(worst->atoms[0]), system_->user_id(worst->atoms[1]), name_of(worst->term), worst->distance,
        reach));
  });
}

ForceTotals Bonded::compute(Queue& queue, const PairParameters& table, const SimulationBox& box, bool totals,
                            Atoms& atoms) {
  if (list_.threads.empty()) {
    return {};
  }
  const BondedTotals sums = bonded_forces(queue, model_, potential_, table, box, list_, totals, atoms);
  broken_ = sums.broken;
  return sums.totals;
}

std::string Bonded::broken(const Communicator& comm) const {
  std::array<double, 5> ids;
  std::copy(broken_.begin(), broken_.end(), ids.begin());
  const double kind = comm.max(ids[0]);
  if (kind < 0.0) {
    return "";
  }
  const int from = comm.first(broken_[0] >= 0);
  comm.broadcast(ids, from);
  BondedTerm term;
  term.kind = static_cast<BondedKind>(static_cast<int>(ids[0]));
  for (std::size_t a = 0; a < 4; ++a) {
    term.atoms[a] = static_cast<std::int64_t>(ids[a + 1]);
  }
  return name_of(term);
}

std::string Bonded::name_of(const BondedTerm& term) const {
  std::string text = fmt::format("{} of atoms", bonded_kind_names[static_cast<std::size_t>(term.kind)]);
  for (int a = 0; a < term.size(); ++a) {
    text += fmt::format("{} {}",
                        a == 0                 ? ""
                        : a + 1 == term.size() ? " and"
                                               : ",",
                        system_->user_id(term.atoms[static_cast<std::size_t>(a)]));
  }
  return text;
}

}  // namespace halyard::md
