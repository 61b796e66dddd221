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
#include "kernels/md/ensemble/box_coupling.hpp"
#include "kernels/md/pair/mixing.hpp"
#include "solvers/md/action_table.hpp"
#include "solvers/md/analysis_case.hpp"
#include "solvers/md/bonded_case.hpp"
#include "solvers/md/groups_case.hpp"
#include "solvers/md/outputs_case.hpp"
#include "solvers/md/units.hpp"

namespace halyard::md {

enum class Source { lattice, data };
enum class Lattice { sc, fcc, bcc, hcp, diamond };
enum class EamFormat { funcfl, setfl, finnis_sinclair };
enum class Ensemble { nve, nvt, npt, minimise };
enum class Thermostat { langevin, nose_hoover, velocity_rescaling };
enum class Barostat { cell_rescaling, mttk };

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
  std::string section;  // of pair.files, of a tabulated potential
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
  Barostat barostat = Barostat::cell_rescaling;
  BoxCoupling coupling = BoxCoupling::isotropic;
  std::optional<double> pressure, pressure_time, compressibility;
  std::optional<double> force, longest_move;  // of a minimisation
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
    std::array<double, 3> vacuum{};
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
    std::optional<double> cutoff;
    std::vector<std::filesystem::path> files;
    EamFormat file_format = EamFormat::setfl;
    std::vector<std::string> elements;
    PairMixing mixing = PairMixing::geometric;
    bool tail = false;
    std::vector<PairCoefficients> coefficients;
  } pair;
  BondedSettings bonded;
  std::optional<double> skin;
  std::vector<StageSettings> stages;
  std::vector<GroupSettings> groups;
  ActionSettings actions;
  OutputSettings output;
  AnalysisSettings analysis;
};

/// What pair.potential says for embedded atoms, and for tables.
constexpr const char* eam_potential = "eam";
constexpr const char* tabulated_potential = "tabulated";

/// Declares the keys of a molecular dynamics case and the conditions between them.
void declare(CaseSchema& schema, MdCase& settings);

}  // namespace halyard::md
