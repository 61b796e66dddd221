#pragma once
#include <cstdint>
#include <string>

#include "solvers/md/case.hpp"

namespace halyard::md {

/// Where a run stands when a stage begins or ends.
struct StageMoment {
  std::int64_t step = 0;        // of the run
  double time = 0.0;            // of the run
  std::int64_t stage_step = 0;  // steps done of the stage
};

// Lines of the log. stage: counted from 0.

/// "stage 2 of 3 (melt)"
std::string stage_name(const MdCase& settings, std::size_t stage);
/// "nvt, velocity_rescaling, 85 K, time constant 0.1 ps"; words are those of the case file.
std::string ensemble_text(const MdCase& settings, std::size_t stage);
/// "step 0, t = 0 ps: stage 1 of 2 (melt) begins: nvt, ...; 1000 steps of 0.002 ps, to t = 2 ps"; after a restart
/// within the stage "goes on after 400 of its 1000 steps".
std::string stage_begins(const MdCase& settings, std::size_t stage, const StageMoment& now);
/// "step 1000, t = 2 ps: stage 1 of 2 (melt) ends after 1000 steps"
std::string stage_ends(const MdCase& settings, std::size_t stage, const StageMoment& now);

}  // namespace halyard::md
