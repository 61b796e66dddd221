#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/results/checkpoint.hpp"
#include "tests/io/results/sample_state.hpp"

/// What the tests of checkpoints share. A state is told by its seed: `write(folder, 7)`, then `read(folder).bits` is
/// `bits_of(7)`.
namespace halyard::test {

namespace fs = std::filesystem;
using Mode = RestartRequest::Mode;

inline constexpr Index3 shape{5, 7, 11};
inline const RestartRequest automatic{Mode::automatic, {}}, required{Mode::required, {}}, never{Mode::never, {}};

inline CheckpointLabel label() {
  return {"program = halyard-flow\ncells = 5 7 11\n",
          "title = \"a case\"\n[fluid]\nviscosity = 1e-3\n",
          "halyard-flow",
          "0.1.0",
          "x86-64-v3",
          "host"};
}

inline Generation write(const fs::path& folder, std::uint64_t seed, MPI_Comm comm = MPI_COMM_WORLD, int keep = 2) {
  SampleState sample(comm, shape, seed);
  StateBuffer buffer;
  return CheckpointWriter(folder, keep, comm)
      .write(sample.step, 0.5 * static_cast<double>(seed), sample.state(), label(), buffer);
}

struct Restored {
  RestartReport report;
  std::string bits;
};

inline Restored read(const fs::path& folder, MPI_Comm comm = MPI_COMM_WORLD,
                     const RestartRequest& request = automatic) {
  SampleState sample(comm, shape);
  State state = sample.state();
  StateBuffer buffer;
  Restored restored;
  restored.report = restore(find_restart(folder, request, comm), state, label(), comm, buffer);
  restored.bits = sample.bits();
  return restored;
}

inline std::string bits_of(std::uint64_t seed, MPI_Comm comm = MPI_COMM_WORLD) {
  return SampleState(comm, shape, seed).bits();
}

inline std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline void flip_byte(const fs::path& path, std::streamoff at, char mask = 0x10) {
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const char byte = static_cast<char>(stream.get() ^ mask);
  stream.seekp(at);
  stream.put(byte);
}

struct Checkpoint : testing::Test {
  test::TemporaryFolder temporary;
  fs::path folder = temporary.path() / "checkpoint";
};

}  // namespace halyard::test
