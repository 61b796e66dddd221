#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/results/state.hpp"
#include "solvers/md/analysis_case.hpp"
#include "solvers/md/outputs.hpp"
#include "solvers/run/output.hpp"

namespace halyard::md {

/// What an analysis has found, as its csv has it.
struct AnalysisTable {
  struct Column {
    std::string name, unit;
    std::vector<double> values;
  };
  std::vector<std::string> notes;  // lines above, for people: "diffusion coefficient ..."
  std::vector<Column> columns;     // of one length
};

/// Something that is averaged over samples of the run: `analysis/<name>.csv` in its folder, written anew before each
/// checkpoint and at the end. What it has summed up is part of the state, so that a restart goes on with it; sums over
/// atoms are integers, so that no bit depends on the number of ranks.
class Analysis : public Output {
 public:
  Analysis(const OutputSource& source, const OutputPlace& place, std::string name, const SamplingSettings& sampling);

  bool due(std::int64_t step, double time) const override;
  std::string write(std::int64_t step, double time) override;
  /// The notes of the table.
  std::string write_at_end(std::int64_t step, double time) override;
  void flush() override;

  /// Appends what a restart needs. The object must then stay where it is.
  void add_state(State& state);
  /// Whether energies and virial are looked at in a sample after this step.
  virtual bool needs_totals(std::int64_t /*step*/) const { return false; }
  const std::string& name() const { return name_; }

 protected:
  std::int64_t samples() const { return samples_; }
  std::int64_t every_steps() const { return every_steps_; }
  const OutputSource& source() const { return source_; }
  const Communicator& communicator() const { return source_.dynamics.domain().communicator(); }
  const Units& units() const { return source_.dynamics.units(); }
  /// The names of the types, fit for columns' names.
  std::string type_name(int type) const;
  /// The same numbers on every rank, as an array of the state.
  void add_array(State& state, const std::string& what, ElementType type, void* values, std::size_t words) const;
  void add_number(State& state, const std::string& what, std::int64_t& value) const;
  void add_number(State& state, const std::string& what, double& value) const;

  /// Takes the present state in. Collective; samples() tells how many came before.
  virtual void sample(double time) = 0;
  virtual void add_sums(State& state) = 0;
  /// The same on every rank.
  virtual AnalysisTable table() const = 0;

 private:
  OutputSource source_;
  std::filesystem::path path_;
  std::string name_;
  std::int64_t every_steps_, from_stage_, from_step_;
  std::int64_t samples_ = 0, last_step_ = -1;
};

/// The analyses that the case asks for. @throws Error where one does not fit the box or the types of atoms.
std::vector<std::unique_ptr<Analysis>> make_analyses(const OutputSource& source, const OutputPlace& place);

/// What is wrong with them, found before anything is computed. @throws Error at the position of a key.
void check_analyses(const MdCase& settings, const System& system, const CaseSchema& schema);
/// Memory on a rank with so many atoms.
std::int64_t analysis_bytes(const MdCase& settings, std::int64_t atoms);

// One each.
std::unique_ptr<Analysis> make_rdf(const OutputSource& source, const OutputPlace& place);
std::unique_ptr<Analysis> make_msd(const OutputSource& source, const OutputPlace& place);
std::unique_ptr<Analysis> make_vacf(const OutputSource& source, const OutputPlace& place);
std::unique_ptr<Analysis> make_density_profile(const OutputSource& source, const OutputPlace& place);
std::unique_ptr<Analysis> make_pressure_acf(const OutputSource& source, const OutputPlace& place);

}  // namespace halyard::md
