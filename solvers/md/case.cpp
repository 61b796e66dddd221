#include "solvers/md/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kernels/md/fixed_point.hpp"
#include "kernels/md/pair/potentials.hpp"
#include "solvers/md/actions.hpp"

namespace halyard::md {

namespace {

std::vector<std::string> potential_names() {
  std::vector<std::string> names;
  for_each_pair_potential([&](auto potential) { names.emplace_back(potential.name); });
  names.emplace_back(eam_potential);
  return names;
}

std::string unit_of(PairQuantity quantity) {
  switch (quantity) {
    case PairQuantity::energy:
      return "energy";
    case PairQuantity::length:
      return "length";
    case PairQuantity::inverse_length:
      return "1/length";
    default:
      return "energy length6";
  }
}

void declare_types(CaseSchema& schema, MdCase& c) {
  schema
      .list("type", c.types,
            [](CaseSchema& type, TypeSettings& t) {
              type.key("name", t.name).required().help("of the atoms of this type, for trajectories: \"Cu\"");
              type.key("mass", t.mass).unit("mass").above(0.0).help("of an atom; absent: as the data file says, or 1");
            })
      .help(
          "The types of atoms, in the order of their numbers, which start from 1. None given: those of the data file, "
          "or one type of mass 1.");
}

void declare_system(CaseSchema& schema, MdCase& c) {
  auto& s = c.system;
  const auto system = schema.table("system", "Which atoms there are, and in which box.");
  const auto lattice = [&s] { return s.source == Source::lattice; };
  const std::string no_lattice = "system.source is not \"lattice\"";
  system.key("source", s.source)
      .default_value(Source::lattice)
      .choices({{"lattice", Source::lattice, "a crystal that fills the box, but for system.vacuum"},
                {"data", Source::data, "a LAMMPS data file"}})
      .help("where the atoms come from");
  system.key("lattice", s.lattice)
      .default_value(Lattice::fcc)
      .choices({{"sc", Lattice::sc, "simple cubic"},
                {"fcc", Lattice::fcc, "face-centred cubic"},
                {"bcc", Lattice::bcc, "body-centred cubic"},
                {"hcp", Lattice::hcp, "hexagonal close-packed, in its orthogonal cell of 4 atoms"},
                {"diamond", Lattice::diamond, {}}})
      .active_when(lattice, no_lattice)
      .help("structure");
  system.key("cells", s.cells)
      .default_value({1, 1, 1})
      .at_least(1)
      .at_most(100'000)
      .active_when(lattice, no_lattice)
      .help("unit cells along x, y, z");
  system.key("lattice_constant", s.lattice_constant)
      .unit("length")
      .above(0.0)
      .active_when(lattice, no_lattice)
      .help("edge a of the cubic cell, or a of hcp; this or density");
  system.key("density", s.density)
      .unit("1/length3")
      .above(0.0)
      .active_when(lattice, no_lattice)
      .help("atoms per volume, from which the lattice constant follows");
  system.key("c_over_a", s.c_over_a)
      .default_value(std::sqrt(8.0 / 3.0))
      .above(0.0)
      .active_when([&s] { return s.source == Source::lattice && s.lattice == Lattice::hcp; },
                   "the lattice is not \"hcp\"")
      .help("ratio of the hcp cell's edges");
  system.key("vacuum", s.vacuum)
      .default_value({0.0, 0.0, 0.0})
      .at_least(0.0)
      .unit("length")
      .active_when(lattice, no_lattice)
      .help(
          "empty space on each side of the crystal along x, y, z, for slabs, wires and clusters: the box is longer by "
          "twice as much; along edges that repeat or do not");
  system.key("composition", s.composition)
      .default_value({})
      .at_least(0.0)
      .at_most(1.0)
      .active_when(lattice, no_lattice)
      .help("share of each type on the sites, drawn at random; empty: all sites of type 1");
  system.key("composition_seed", s.composition_seed)
      .default_value(1)
      .at_least(0)
      .at_most(0xffffffffLL)
      .active_when([&s] { return !s.composition.empty(); }, "system.composition is empty")
      .help("another seed, another alloy");
  system.key("data", s.data)
      .required_when([&s] { return s.source == Source::data; }, "system.source is \"data\"")
      .active_when([&s] { return s.source == Source::data; }, "system.source is not \"data\"")
      .help("LAMMPS data file");
  system.key("data_style", s.data_style)
      .default_value(AtomStyle::automatic)
      .choices({{"automatic", AtomStyle::automatic, "as the file says, or its columns"},
                {"atomic", AtomStyle::atomic, {}},
                {"charge", AtomStyle::charge, {}},
                {"bond", AtomStyle::bond, {}},
                {"angle", AtomStyle::angle, {}},
                {"molecular", AtomStyle::molecular, {}},
                {"full", AtomStyle::full, {}}})
      .active_when([&s] { return s.source == Source::data; }, "system.source is not \"data\"")
      .help("columns of the file's atom lines");
  system.key("periodic", s.periodic).default_value({true, true, true}).help("whether the box repeats along its edges");
  schema.check({"system.source", "system.lattice_constant", "system.density"}, [&c](CaseCheck& check) {
    if (c.system.source == Source::lattice && c.system.lattice_constant.has_value() == c.system.density.has_value()) {
      check.error("system.source", c.system.density ? "is \"lattice\", with both lattice_constant and density given: "
                                                      "give one of them."
                                                    : "is \"lattice\", which needs system.lattice_constant or "
                                                      "system.density.");
    }
  });
  schema.check({"system.source", "system.periodic", "system.vacuum", "wall"}, [&c](CaseCheck& check) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto& walls = std::get<std::vector<WallSettings>>(c.actions);
      const bool held = std::any_of(walls.begin(), walls.end(), [&](const WallSettings& w) { return w.axis() == d; });
      if (c.system.source == Source::lattice && !c.system.periodic[d] && !held && c.system.vacuum[d] == 0.0) {
        check.note("system.periodic",
                   fmt::format("is false along {0}, where the crystal fills the box: atoms that leave it stop the run. "
                               "system.vacuum gives them room along {0}, a [[wall]] keeps them in.",
                               "xyz"[d]));
      }
    }
  });
  schema.check({"system.composition", "type"}, [&c](CaseCheck& check) {
    const std::vector<double>& shares = c.system.composition;
    double sum = 0.0;
    for (const double share : shares) {
      sum += share;
    }
    const std::size_t types = std::max<std::size_t>(1, c.types.size());
    if (!shares.empty() && shares.size() != types) {
      check.error("system.composition", fmt::format("has {} shares for {} type(s).", shares.size(), types));
    } else if (!shares.empty() && std::abs(sum - 1.0) > 1e-9) {
      check.error("system.composition", fmt::format("sums to {}; the shares must sum to 1.", sum));
    }
  });
}

void declare_pair(CaseSchema& schema, MdCase& c) {
  const auto pair = schema.table("pair", "The potential between atoms that are not bonded.");
  pair.key("potential", c.pair.potential).required().choices(potential_names()).help("form of the potential");
  const auto eam = [&c] { return c.pair.potential == eam_potential; };
  const auto no_eam = [&c] { return c.pair.potential != eam_potential; };
  const std::string is_eam = "pair.potential is \"eam\"", is_not_eam = "pair.potential is not \"eam\"";
  pair.key("cutoff", c.pair.cutoff)
      .required_when(no_eam, is_not_eam)
      .active_when(no_eam, is_eam)
      .at_least(1e-6)
      .at_most(1e6)
      .unit("length")
      .help("distance beyond which it is zero");
  pair.key("files", c.pair.files)
      .default_value({})
      .active_when([&c] { return c.pair.potential == eam_potential || c.pair.potential == tabulated_potential; },
                   "pair.potential is neither \"eam\" nor \"tabulated\"")
      .help(
          "of the embedded-atom potential: one, or one funcfl file for each element; of tabulated ones: files for "
          "LAMMPS' "
          "pair_style table");
  pair.key("file_format", c.pair.file_format)
      .default_value(EamFormat::setfl)
      .choices({{"funcfl", EamFormat::funcfl, "one element a file (LAMMPS' eam)"},
                {"setfl", EamFormat::setfl, "several elements (eam/alloy)"},
                {"finnis_sinclair", EamFormat::finnis_sinclair, "a density for each pair of elements (eam/fs)"}})
      .active_when(eam, is_not_eam)
      .help("of pair.files");
  pair.key("elements", c.pair.elements)
      .default_value({})
      .active_when(eam, is_not_eam)
      .help("the files' name of the element of each type; empty: the names of the types");
  pair.key("mixing", c.pair.mixing)
      .default_value(PairMixing::geometric)
      .choices({{"geometric", PairMixing::geometric, {}},
                {"arithmetic", PairMixing::arithmetic, "Lorentz-Berthelot"},
                {"sixth_power", PairMixing::sixth_power, "Waldman-Hagler"}})
      .help("epsilon and sigma of unlike types that no [[pair.coefficients]] gives");
  pair.key("tail", c.pair.tail)
      .default_value(false)
      .help("add what a uniform density beyond the cutoff contributes to energy and pressure");
  pair.list("coefficients", c.pair.coefficients,
            [](CaseSchema& element, PairCoefficients& p) {
              element.key("types", p.types).default_value({1, 1}).at_least(1).help("the two types, from 1");
              std::set<std::string> declared;
              for_each_pair_potential([&](auto potential) {
                if constexpr (!is_tabulated<decltype(potential)>) {
                  for (const PairInput& input : potential.inputs) {
                    const std::string name(input.name);
                    if (declared.insert(name).second) {
                      std::string users;
                      for_each_pair_potential([&](auto other) {
                        if constexpr (!is_tabulated<decltype(other)>) {
                          const bool uses = std::any_of(other.inputs.begin(), other.inputs.end(),
                                                        [&](const PairInput& i) { return i.name == input.name; });
                          users += uses ? (users.empty() ? "" : ", ") + std::string(other.name) : "";
                        }
                      });
                      element.key(name, p.inputs[name]).unit(unit_of(input.quantity)).help("of " + users);
                    }
                  }
                }
              });
              element.key("cutoff", p.cutoff).unit("length").above(0.0).help("of this pair; absent: pair.cutoff");
              element.key("section", p.section)
                  .default_value("")
                  .help("of tabulated: the keyword of the pair's section in pair.files");
            })
      .help("Coefficients of pairs of types; none with potential \"eam\".");
  schema.check({"pair.potential", "pair.coefficients", "pair.files"}, [&c](CaseCheck& check) {
    const bool eam_asked = c.pair.potential == eam_potential;
    const bool tabulated = c.pair.potential == tabulated_potential;
    if ((eam_asked || tabulated) && c.pair.files.empty()) {
      check.error("pair.potential", fmt::format("is \"{}\", which needs pair.files.", c.pair.potential));
    }
    if (tabulated && c.pair.tail) {
      check.error("pair.potential", "is \"tabulated\", which has no tail: pair.tail must be false.");
    }
    if (eam_asked && !c.pair.coefficients.empty()) {
      check.error("pair.coefficients", "has no meaning with potential \"eam\": all is in pair.files. Leave it out.");
    }
    if (eam_asked && c.units != UnitSystem::metal) {
      check.error("pair.potential", "is \"eam\", whose files are in eV and A: units must be \"metal\".");
    }
    if (eam_asked && c.pair.tail) {
      check.error("pair.potential", "is \"eam\", which has no tail: pair.tail must be false.");
    }
    if (eam_asked && c.pair.file_format != EamFormat::funcfl && c.pair.files.size() > 1) {
      check.error("pair.files", "names several files; only funcfl files come one an element.");
    }
  });
  schema.check({"pair.potential", "pair.coefficients"}, [&c](CaseCheck& check) {
    if (c.pair.potential == eam_potential) {
      return;
    }
    with_pair_potential(c.pair.potential, [&](auto potential) {
      for (std::size_t n = 0; n < c.pair.coefficients.size(); ++n) {
        const auto judge = [&](const std::string& name, bool wanted, bool given) {
          if (wanted && !given) {
            check.error("pair.coefficients", fmt::format("number {} lacks {}, which the potential {} needs.", n + 1,
                                                         name, c.pair.potential));
          } else if (!wanted && given) {
            check.error("pair.coefficients", fmt::format("number {} gives {}, which the potential {} does not have.",
                                                         n + 1, name, c.pair.potential));
          }
        };
        judge("section", is_tabulated<decltype(potential)>, !c.pair.coefficients[n].section.empty());
        for (const auto& [name, value] : c.pair.coefficients[n].inputs) {
          judge(name,
                std::any_of(potential.inputs.begin(), potential.inputs.end(),
                            [&key = name](const PairInput& i) { return i.name == key; }),
                value.has_value());
        }
      }
    });
  });
}

void declare_thermostat(CaseSchema& schema, StageSettings& s) {
  const auto held = [&s] { return s.ensemble == Ensemble::nvt || s.ensemble == Ensemble::npt; };
  const std::string asked = "the ensemble is \"nvt\" or \"npt\"", not_held = "the ensemble has no thermostat";
  schema.key("thermostat", s.thermostat)
      .default_value(Thermostat::velocity_rescaling)
      .choices({{"nose_hoover", Thermostat::nose_hoover, "Nose-Hoover chain"},
                {"velocity_rescaling", Thermostat::velocity_rescaling, "stochastic velocity rescaling (Bussi)"},
                {"langevin", Thermostat::langevin, "friction and noise, BAOAB"}})
      .active_when([&s] { return s.ensemble == Ensemble::nvt; },
                   "the ensemble is not \"nvt\" (a barostat brings its thermostat)")
      .help("how the temperature is held");
  schema.key("temperature", s.temperature)
      .unit("temperature")
      .above(0.0)
      .required_when(held, asked)
      .active_when(held, not_held)
      .help("at the start of the stage");
  schema.key("temperature_end", s.temperature_end)
      .unit("temperature")
      .above(0.0)
      .active_when(held, not_held)
      .help("at its end, reached linearly; absent: constant");
  schema.key("temperature_time", s.temperature_time)
      .unit("time")
      .above(0.0)
      .required_when(held, asked)
      .active_when(held, not_held)
      .help("time constant of the thermostat: of a Langevin one, 1 / friction");
  const auto chain = [&s] {
    return (s.ensemble == Ensemble::nvt && s.thermostat == Thermostat::nose_hoover) ||
           (s.ensemble == Ensemble::npt && s.barostat == Barostat::mttk);
  };
  schema.key("seed", s.seed)
      .default_value(1)
      .at_least(0)
      .at_most(0xffffffffLL)
      .active_when([held, chain] { return held() && !chain(); }, "no random numbers are drawn in this stage")
      .help("of the thermostat's and barostat's random numbers");
  schema.key("chain_length", s.chain_length)
      .default_value(3)
      .at_least(1)
      .at_most(10)
      .active_when(chain, "there is no Nose-Hoover chain in this stage")
      .help("thermostats in a Nose-Hoover chain");
}

void declare_barostat(CaseSchema& schema, StageSettings& s) {
  const auto npt = [&s] { return s.ensemble == Ensemble::npt; };
  const std::string asked = "the ensemble is \"npt\"", no_npt = "the ensemble is not \"npt\"";
  schema.key("barostat", s.barostat)
      .default_value(Barostat::cell_rescaling)
      .choices({{"cell_rescaling", Barostat::cell_rescaling,
                 "stochastic cell rescaling (Bernetti & Bussi), with stochastic velocity rescaling"},
                {"mttk", Barostat::mttk, "Martyna-Tobias-Klein, with Nose-Hoover chains"}})
      .active_when(npt, no_npt)
      .help("how the pressure is held");
  schema.key("coupling", s.coupling)
      .default_value(BoxCoupling::isotropic)
      .choices({{"isotropic", BoxCoupling::isotropic, {}},
                {"semi_isotropic", BoxCoupling::semi_isotropic, "x and y together, z apart"},
                {"anisotropic", BoxCoupling::anisotropic, "each axis apart"}})
      .active_when(npt, no_npt)
      .help("which edges of the box change together");
  schema.key("pressure", s.pressure)
      .unit("pressure")
      .required_when(npt, asked)
      .active_when(npt, no_npt)
      .help("that is held");
  schema.key("pressure_time", s.pressure_time)
      .unit("time")
      .above(0.0)
      .required_when(npt, asked)
      .active_when(npt, no_npt)
      .help("time constant of the barostat");
  const auto rescaling = [&s] { return s.ensemble == Ensemble::npt && s.barostat == Barostat::cell_rescaling; };
  schema.key("compressibility", s.compressibility)
      .unit("1/pressure")
      .above(0.0)
      .required_when(rescaling, "barostat is \"cell_rescaling\"")
      .active_when(rescaling, "the barostat is not \"cell_rescaling\"")
      .help("of the system, roughly: it sets the speed, not the result");
}

/// m v2 of each atom must fit the sums over atoms; in a Maxwell distribution of 2^40 atoms the fastest has 62 k T.
void declare_temperature_limit(CaseSchema& schema, MdCase& c) {
  schema.check({"velocity.temperature", "stage", "units", "constants"}, [&c](CaseCheck& check) {
    const Units units = make_units(c.units, c.constants);
    const double most_energy = std::ldexp(1.0, 51 - kinetic_bits - 6), most = most_energy / units.boltzmann;
    const auto judge = [&](const std::string& key, const std::string& which, const std::optional<double>& t) {
      if (t && *t > most) {
        check.error(key, fmt::format("{}is {:.6g}; at most {:.6g} {} are possible, a k T of {} {}.", which, *t, most,
                                     units.temperature, most_energy, units.energy));
      }
    };
    judge("velocity.temperature", "", c.velocity.temperature);
    for (std::size_t i = 0; i < c.stages.size(); ++i) {
      judge("stage", fmt::format("number {}: its temperature ", i + 1), c.stages[i].temperature);
      judge("stage", fmt::format("number {}: its temperature_end ", i + 1), c.stages[i].temperature_end);
    }
  });
}

void declare_stage(CaseSchema& schema, StageSettings& s) {
  schema.key("name", s.name).default_value("").help("for the log");
  schema.key("ensemble", s.ensemble)
      .default_value(Ensemble::nve)
      .choices(
          {{"nve", Ensemble::nve, "constant energy"},
           {"nvt", Ensemble::nvt, "constant temperature"},
           {"npt", Ensemble::npt, "constant temperature and pressure"},
           {"minimise", Ensemble::minimise, "downhill to a minimum of the potential energy (FIRE); no time passes"}})
      .help("what is held");
  schema.key("steps", s.steps).required().at_least(1).help("length; of a minimisation at most");
  schema.key("dt", s.dt)
      .required()
      .above(0.0)
      .unit("time")
      .help("time step; of a minimisation the first one of its own time");
  declare_thermostat(schema, s);
  declare_barostat(schema, s);
  const auto minimise = [&s] { return s.ensemble == Ensemble::minimise; };
  const std::string asked = "the ensemble is \"minimise\"", no_minimise = "the ensemble is not \"minimise\"";
  schema.key("force", s.force)
      .unit("energy/length")
      .above(0.0)
      .required_when(minimise, asked)
      .active_when(minimise, no_minimise)
      .help("the stage ends when no component of a force is larger");
  schema.key("longest_move", s.longest_move)
      .unit("length")
      .above(0.0)
      .required_when(minimise, asked)
      .active_when(minimise, no_minimise)
      .help("of an atom in one step");
}

}  // namespace

void declare(CaseSchema& schema, MdCase& c) {
  schema.key("units", c.units)
      .required()
      .choices({{"lj", UnitSystem::lj, "reduced: sigma, epsilon, m"},
                {"metal", UnitSystem::metal, "A, ps, eV, g/mol, K, bar"},
                {"real", UnitSystem::real, "A, fs, kcal/mol, g/mol, K, atm"}})
      .help("of every number in the case and its results, as in LAMMPS");
  schema.key("constants", c.constants)
      .default_value(Constants::si2019)
      .choices({{"si2019", Constants::si2019, "exact"},
                {"lammps", Constants::lammps, "with the digits LAMMPS has, to compare beyond the seventh"}})
      .active_when([&c] { return c.units != UnitSystem::lj; }, "units is \"lj\"")
      .help("of nature");
  declare_types(schema, c);
  declare_system(schema, c);
  const auto velocity = schema.table("velocity", "Velocities at the start, momentum removed.");
  velocity.key("temperature", c.velocity.temperature)
      .unit("temperature")
      .at_least(0.0)
      .help("drawn for this temperature, and scaled to it; absent: as the data file says, or 0");
  velocity.key("seed", c.velocity.seed)
      .default_value(1)
      .at_least(0)
      .at_most(0xffffffffLL)
      .active_when([&c] { return c.velocity.temperature.has_value(); }, "velocity.temperature is not given")
      .help("another seed, other velocities");
  declare_temperature_limit(schema, c);
  declare_pair(schema, c);
  declare(schema, c.bonded);
  schema.table("neighbour", "The list of neighbours.")
      .key("skin", c.skin)
      .unit("length")
      .above(0.0)
      .help(
          "pairs are listed up to cutoff + skin, and the list is renewed when an atom moved half of it; absent: chosen "
          "for speed from density, temperature and dt, at least 0.12 of the cutoff");
  schema.list("stage", c.stages, declare_stage).count_at_least(1).help("What the run does, one stage after the other.");
  declare_actions(schema, c);
  declare(schema, c.output);
  declare(schema, c.analysis);
}

}  // namespace halyard::md
