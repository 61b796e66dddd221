#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/log/log.hpp"
#include "solvers/md/case.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/md/id_blocks.hpp"
#include "solvers/md/system.hpp"
#include "solvers/run/output.hpp"
#include "solvers/run/program.hpp"

namespace halyard::md {

/// What outputs and analyses look at. All that it refers to must outlive them.
struct OutputSource {
  Dynamics& dynamics;
  const IdBlocks& blocks;
  const MdCase& settings;
  Log& log;
  std::string title;                              // of the run
  std::function<std::int64_t()> stage = nullptr;  // the present one, from 0
};

/// Trajectory, pictures and the data file that the case asks for.
std::vector<std::unique_ptr<Output>> make_outputs(const OutputSource& source, const OutputPlace& place);

/// What these will write. `last_step`: where the run ends; nothing where that is not known.
std::vector<Estimate::Volume> output_volumes(const MdCase& settings, std::int64_t atoms,
                                             std::optional<std::int64_t> last_step);

/// The radius of the spheres where the case gives none: of atoms that just do not touch in a liquid.
double picture_radius(UnitSystem units, double volume_per_atom);

}  // namespace halyard::md
