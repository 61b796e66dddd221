// Written and read on any number of ranks; failures on one rank.
#include "io/results/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <limits>
#include <set>

#include "kernels/device/error.hpp"
#include "tests/io/results/checkpoint_sample.hpp"

namespace halyard {
namespace {

using namespace test;

TEST_F(Checkpoint, RestartsOnAnyOtherRanks) {
  const int ranks = size_of(MPI_COMM_WORLD);
  std::string first_file;
  // Seven ranks on few cores pay for every collective call: fewer pairs there.
  for (const int writers : ranks > 4 ? std::set{2, ranks} : std::set{1, 2, ranks}) {
    if (writers > ranks) continue;
    const fs::path here = temporary.path() / std::to_string(writers);
    {
      const test::FirstRanks first(writers);
      if (first) {
        const Generation generation = write(here, 7, first.comm());
        SampleState sample(first.comm(), shape, 7);
        EXPECT_EQ(generation.state_hash, state_hash(sample.state(), first.comm()));
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (const int readers : ranks > 4 ? std::set{3, ranks} : std::set{1, 3, ranks}) {
      if (readers > ranks) continue;
      const test::FirstRanks first(readers);
      if (!first) continue;
      const Restored restored = read(here, first.comm());
      EXPECT_EQ(restored.bits, bits_of(7, first.comm())) << writers << " -> " << readers;
      EXPECT_EQ(restored.report.ranks, writers);
      EXPECT_EQ(restored.report.case_text, label().case_text);
      EXPECT_EQ(restored.report.version, "0.1.0");
      EXPECT_EQ(restored.report.instruction_set, "x86-64-v3");
      EXPECT_EQ(restored.report.from.step, 70);
      EXPECT_EQ(restored.report.from.time, 3.5);
    }
    // The file itself knows nothing of the ranks that wrote it.
    const std::string file = test::file_text(here / "step_00000070.h5");
    if (first_file.empty()) first_file = file;
    EXPECT_TRUE(file == first_file) << writers << " ranks";
  }
}

// After --restart FILE from an old generation the run comes by steps that the folder already holds: what it writes is
// the newest, and the older trajectory's file stays until it is rotated out.
TEST_F(Checkpoint, FallsBackOnAllRanks) {
  write(folder, 1);
  write(folder, 2);
  on_rank_0([&] {
    SampleState sample(MPI_COMM_SELF, shape, 2);
    const std::string bits(reinterpret_cast<const char*>(sample.u.data()), 64);
    const fs::path file = folder / "step_00000020.h5";
    flip_byte(file, static_cast<std::streamoff>(test::file_text(file).find(bits)) + 16, 1);
  });
  const Restored restored = read(folder);
  EXPECT_EQ(restored.bits, bits_of(1));
  ASSERT_EQ(restored.report.skipped.size(), 1u);
  EXPECT_TRUE(contains(restored.report.skipped[0], "array u is damaged")) << restored.report.skipped[0];
}

// Whatever byte is flipped, the restart has the right bits: those of the newest where the byte means nothing, else the
// older ones.
TEST_F(Checkpoint, ANonFiniteStateIsNeverStored) {
  write(folder, 1);
  SampleState sample(MPI_COMM_WORLD, shape, 2);
  StateBuffer buffer;
  CheckpointWriter writer(folder, 1, MPI_COMM_WORLD);
  if (!sample.stress.empty() && sample.pencil.end[1] == shape[1] && sample.pencil.end[2] == shape[2])
    sample.stress.back() = std::numeric_limits<double>::quiet_NaN();
  const std::string error = error_of([&] { writer.write(20, 0.0, sample.state(), label(), buffer); });
  EXPECT_EQ(error,
            "no checkpoint of step 20 is written, since the state is not finite: stress, component 2 of 3, is nan in "
            "cell (4, 6, 10).");
  EXPECT_TRUE(test::same_on_all_ranks(error, MPI_COMM_WORLD));
  on_rank_0([&] {
    EXPECT_EQ(names_in(folder), (std::vector<std::string>{"step_00000010.h5", "step_00000010.manifest"}));
  });
  EXPECT_EQ(read(folder).bits, bits_of(1));
  // A number of the state likewise; and the writer goes on with a sound state.
  SampleState sound(MPI_COMM_WORLD, shape, 3);
  sound.dt = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(error_of([&] { writer.write(30, 0.0, sound.state(), label(), buffer); }), "dt is nan"));
  sound.dt = 0.25;
  writer.write(30, 0.0, sound.state(), label(), buffer);
  EXPECT_EQ(read(folder).bits, sound.bits());
}

TEST_F(Checkpoint, AFailureOnOneRankIsAnErrorOnAll) {
  write(folder, 1);
  SampleState sample(MPI_COMM_WORLD, shape, 2);
  State state = sample.state();
  const bool last = rank_of(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1;
  StateBuffer buffer;
  if (last) state.arrays[1].get = [](std::span<std::byte>) { throw Error("the copy of stress failed."); };
  CheckpointWriter writer(folder, 2, MPI_COMM_WORLD);
  EXPECT_EQ(error_of([&] { writer.write(20, 0.0, state, label(), buffer); }), "the copy of stress failed.");
  on_rank_0([&] { EXPECT_EQ(names_in(folder).size(), 2u); });
  EXPECT_EQ(read(folder).bits, bits_of(1));
}

// The last line of defence: what the solver gives back after `set` must be what was stored.
// Larger than what is read back at once, and longest along x and along y.
TEST_F(Checkpoint, ManySlabs) {
  std::vector<Index3> shapes{{130, 70, 101}, {400001, 1, 3}, {3, 300001, 1}};
  if (size_of(MPI_COMM_WORLD) > 2) shapes = {{70001, 1, 2}};
  for (const Index3 large : shapes) {
    const fs::path here = folder / std::to_string(large[0]);
    SampleState sample(MPI_COMM_WORLD, large, 9), restored(MPI_COMM_WORLD, large);
    StateBuffer buffer;
    CheckpointWriter(here, 2, MPI_COMM_WORLD).write(1, 0.0, sample.state(), label(), buffer);
    State state = restored.state();
    restore(find_restart(here, required, MPI_COMM_WORLD), state, label(), MPI_COMM_WORLD, buffer);
    EXPECT_TRUE(restored.bits() == sample.bits());
  }
}

/// A file system of a given size in a folder, where this process may mount one.
class SmallDisk {
 public:
  SmallDisk(fs::path folder, const std::string& size) : folder_(std::move(folder)) {
    int mounted = 0;
    if (rank_of(MPI_COMM_WORLD) == 0) {
      fs::create_directories(folder_);
      mounted = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0 ? 1 : 0;
    }
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    mounted_ = mounted == 1;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (mounted_ && rank_of(MPI_COMM_WORLD) == 0) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  fs::path folder_;
  bool mounted_ = false;
};

TEST_F(Checkpoint, AFullDiskLeavesTheOlderGenerations) {
  if (size_of(MPI_COMM_WORLD) > 3) GTEST_SKIP() << "the same on more ranks, but slow";
  const SmallDisk disk(folder, "4m");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount a small file system";
  const Index3 cells{32, 32, 32};  // 1 MiB, and 1 MiB is reserved for HDF5's own
  StateBuffer buffer;
  CheckpointWriter writer(folder, 9, MPI_COMM_WORLD);
  std::string error, last_bits;
  int written = 0;
  for (std::uint64_t seed = 1; seed <= 9 && error.empty(); ++seed) {
    SampleState sample(MPI_COMM_WORLD, cells, seed);
    error = error_of([&] { writer.write(sample.step, 0.0, sample.state(), label(), buffer); });
    if (!error.empty()) continue;
    ++written;
    last_bits = sample.bits();
  }
  EXPECT_EQ(written, 2);
  EXPECT_TRUE(contains(error, "No space left on device")) << error;
  EXPECT_TRUE(contains(error, (folder / "step_00000030.h5").string())) << error;
  EXPECT_TRUE(test::same_on_all_ranks(error, MPI_COMM_WORLD));
  on_rank_0([&] { EXPECT_EQ(names_in(folder).size(), 4u); });
  SampleState restored(MPI_COMM_WORLD, cells);
  State state = restored.state();
  const RestartReport report =
      restore(find_restart(folder, automatic, MPI_COMM_WORLD), state, label(), MPI_COMM_WORLD, buffer);
  EXPECT_TRUE(report.skipped.empty());
  EXPECT_TRUE(restored.bits() == last_bits);
  // Room again: the same writer goes on.
  on_rank_0([&] {
    fs::remove(folder / "step_00000010.manifest");
    fs::remove(folder / "step_00000010.h5");
  });
  SampleState next(MPI_COMM_WORLD, cells, 8);
  writer.write(80, 0.0, next.state(), label(), buffer);
}

}  // namespace
}  // namespace halyard
