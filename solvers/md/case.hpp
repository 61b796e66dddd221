#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "io/input/lammps_data.hpp"
#include "kernels/md/pair/mixing.hpp"
#include "solvers/md/units.hpp"

namespace halyard::md {

enum class Source { lattice, data };
enum class Lattice { sc, fcc, bcc, hcp, diamond };
enum class Ensemble { nve, nvt };
enum class Thermostat { langevin, nose_hoover, velocity_rescaling };

/// One [[type]].
struct TypeSettings {
  std::string name;
  std::optional<double> mass;
};

/// One [[pair.coefficients]].
struct PairCoefficients {
  std::array<int, 2> types{1, 1};                       // from 1
  std::map<std::string, std::optional<double>> inputs;  // by the potentials' names of them
  std::optional<double> cutoff;
};

/// One [[stage]].
struct StageSettings {
  std::string name;
  Ensemble ensemble = Ensemble::nve;
  std::int64_t steps = 0;
  double dt = 0.0;
  Thermostat thermostat = Thermostat::nose_hoover;
  std::optional<double> temperature, temperature_end;
  std::optional<double> temperature_time;
  std::int64_t seed = 1;
  int chain_length = 3;
};

/// What a case file says about a molecular dynamics run, in the units that it names.
struct MdCase {
  UnitSystem units = UnitSystem::lj;
  Constants constants = Constants::si2019;
  std::vector<TypeSettings> types;
  struct {
    Source source = Source::lattice;
    Lattice lattice = Lattice::fcc;
    std::array<std::int64_t, 3> cells{1, 1, 1};
    std::optional<double> lattice_constant, density;
    double c_over_a = 0.0;
    std::vector<double> composition;
    std::int64_t composition_seed = 1;
    std::filesystem::path data;
    AtomStyle data_style = AtomStyle::automatic;
    std::array<bool, 3> periodic{true, true, true};
  } system;
  struct {
    std::optional<double> temperature;
    std::int64_t seed = 1;
  } velocity;
  struct {
    std::string potential;
    double cutoff = 0.0;
    PairMixing mixing = PairMixing::geometric;
    bool tail = false;
    std::vector<PairCoefficients> coefficients;
  } pair;
  std::optional<double> skin;
  std::vector<StageSettings> stages;
};

/// Declares the keys of a molecular dynamics case and the conditions between them.
void declare(CaseSchema& schema, MdCase& settings);

}  // namespace halyard::md
