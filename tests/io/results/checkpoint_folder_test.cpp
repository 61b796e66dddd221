// What a checkpoint folder goes through: rotation, damage, kills, leftovers, full disks, other cases. Few ranks:
// nothing here depends on their number, and each collective call costs milliseconds where ranks share a core.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <limits>

#include "io/results/checkpoint.hpp"
#include "io/results/file.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/results/checkpoint_sample.hpp"
#include "tests/io/results/child_process.hpp"

namespace halyard {
namespace {

using namespace test;

TEST_F(Checkpoint, TheSameStateIsNotWrittenTwice) {
  write(folder, 4);
  fs::file_time_type before{}, after{};
  on_rank_0([&] { before = fs::last_write_time(folder / "step_00000040.h5"); });
  EXPECT_EQ(write(folder, 4).sequence, 1);
  on_rank_0([&] { after = fs::last_write_time(folder / "step_00000040.h5"); });
  EXPECT_EQ(before, after);
}

TEST_F(Checkpoint, TheSameStateGivesTheSameBytes) {
  write(temporary.path() / "a", 4);
  ::usleep(1100000);  // HDF5 counts time in seconds
  write(temporary.path() / "b", 4);
  EXPECT_TRUE(file_text(temporary.path() / "a" / "step_00000040.h5") ==
              file_text(temporary.path() / "b" / "step_00000040.h5"));
}

TEST_F(Checkpoint, NewestIsWhatWasWrittenLast) {
  write(folder, 3, MPI_COMM_WORLD, 3);
  write(folder, 5, MPI_COMM_WORLD, 3);
  SampleState sample(MPI_COMM_WORLD, shape, 4);
  StateBuffer buffer;
  CheckpointWriter writer(folder, 3, MPI_COMM_WORLD);
  writer.write(40, 0.0, sample.state(), label(), buffer);
  EXPECT_EQ(read(folder).bits, bits_of(4));
  sample.u.assign(sample.u.size(), 1.0);
  const Generation again = writer.write(50, 0.0, sample.state(), label(), buffer);
  EXPECT_EQ(again.file.filename(), "step_00000050_2.h5");
  EXPECT_EQ(read(folder).bits, sample.bits());
}

TEST_F(Checkpoint, FallsBackWhereTheNewestIsDamaged) {
  struct Damage {
    const char* what;
    std::function<void(const fs::path& file, const fs::path& manifest)> work;
    const char* reason;
  };
  const std::vector<Damage> damages{
      {"cut short", [](const fs::path& file, const fs::path&) { fs::resize_file(file, fs::file_size(file) - 100); },
       "its manifest says"},
      {"no file", [](const fs::path& file, const fs::path&) { fs::remove(file); }, "No such file"},
      {"empty file", [](const fs::path& file, const fs::path&) { fs::resize_file(file, 0); }, "the file has 0 bytes"},
      {"no manifest", [](const fs::path&, const fs::path& manifest) { fs::remove(manifest); }, "no manifest"},
      {"manifest cut short",
       [](const fs::path&, const fs::path& manifest) { fs::resize_file(manifest, fs::file_size(manifest) / 2); },
       "manifest is cut off"},
      {"manifest empty", [](const fs::path&, const fs::path& manifest) { fs::resize_file(manifest, 0); },
       "manifest is cut off"},
      {"manifest changed", [](const fs::path&, const fs::path& manifest) { flip_byte(manifest, 80, 1); },
       "manifest is damaged"},
      {"superblock", [](const fs::path& file, const fs::path&) { flip_byte(file, 9); }, "headers"},
      {"a value",
       [](const fs::path& file, const fs::path&) {
         // The first value of stress, found by its bits.
         SampleState sample(MPI_COMM_SELF, shape, 2);
         const std::string text = test::file_text(file);
         const std::string bits(reinterpret_cast<const char*>(sample.stress.data()), 64);
         flip_byte(file, static_cast<std::streamoff>(text.find(bits)) + 16, 1);
       },
       "array stress is damaged"},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    const fs::path here = temporary.path() / damage.what;
    write(here, 1);
    write(here, 2);
    on_rank_0([&] { damage.work(here / "step_00000020.h5", here / "step_00000020.manifest"); });
    const Restored restored = read(here);
    EXPECT_EQ(restored.bits, bits_of(1));
    ASSERT_EQ(restored.report.skipped.size(), 1u);
    EXPECT_TRUE(contains(restored.report.skipped[0], damage.reason)) << restored.report.skipped[0];
    EXPECT_TRUE(contains(restored.report.skipped[0], "step_00000020")) << restored.report.skipped[0];
    EXPECT_TRUE(contains(restored.report.text(), "step_00000010.h5, step 10")) << restored.report.text();

    // The run goes on from the older one: the damaged generation must not push it out.
    StateBuffer buffer;
    CheckpointWriter writer(here, 2, MPI_COMM_WORLD);
    writer.disregard(restored.report.damaged);
    SampleState next(MPI_COMM_WORLD, shape, 3);
    writer.write(30, 0.0, next.state(), label(), buffer);
    std::vector<std::string> names;
    on_rank_0([&] { names = names_in(here); });
    if (rank_of(MPI_COMM_WORLD) == 0) {
      EXPECT_EQ(names, (std::vector<std::string>{"step_00000010.h5", "step_00000010.manifest", "step_00000030.h5",
                                                 "step_00000030.manifest"}));
    }
  }
}

TEST_F(Checkpoint, NoFlippedByteGoesUnseen) {
  write(folder, 1);
  write(folder, 2);
  std::int64_t size = 0;
  on_rank_0([&] { size = static_cast<std::int64_t>(fs::file_size(folder / "step_00000020.h5")); });
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  int unseen = 0;
  for (std::int64_t at = 0; at < size; at += 61) {
    on_rank_0([&] { flip_byte(folder / "step_00000020.h5", at); });
    const Restored restored = read(folder);
    if (restored.report.damaged.empty()) ++unseen;
    EXPECT_EQ(restored.bits, bits_of(restored.report.damaged.empty() ? 2 : 1)) << "byte " << at;
    on_rank_0([&] { flip_byte(folder / "step_00000020.h5", at); });
  }
  EXPECT_EQ(unseen, 0);
  EXPECT_EQ(read(folder).bits, bits_of(2));
}

TEST_F(Checkpoint, NoneAtAll) {
  EXPECT_TRUE(find_restart(folder, automatic, MPI_COMM_WORLD).new_run());
  EXPECT_TRUE(contains(error_of([&] { find_restart(folder, required, MPI_COMM_WORLD); }), "there is no checkpoint in"));
  write(folder, 1);
  EXPECT_TRUE(find_restart(folder, never, MPI_COMM_WORLD).new_run());
}

TEST_F(Checkpoint, LeftTemporariesAreToldAndRemoved) {
  on_rank_0([&] {
    fs::create_directories(folder);
    std::ofstream(folder / "step_00000010.h5.partial") << "half";
    std::ofstream(folder / "notes.partial") << "the user's";
  });
  const RestartCandidates candidates = find_restart(folder, automatic, MPI_COMM_WORLD);
  EXPECT_TRUE(candidates.new_run());  // never anything whole: the first checkpoint was under way
  ASSERT_EQ(candidates.skipped.size(), 1u);
  EXPECT_TRUE(contains(candidates.skipped[0], "step_00000010.h5.partial")) << candidates.skipped[0];
  const CheckpointWriter writer(folder, 2, MPI_COMM_WORLD);
  EXPECT_EQ(writer.removed(), std::vector<fs::path>{folder / "step_00000010.h5.partial"});
  on_rank_0([&] { EXPECT_EQ(names_in(folder), std::vector<std::string>{"notes.partial"}); });
}

TEST_F(Checkpoint, RestartFromAFile) {
  write(folder, 1);
  write(folder, 2);
  const auto from = [&](const fs::path& path) { return read("unused", MPI_COMM_WORLD, {Mode::file, path}); };
  EXPECT_EQ(from(folder / "step_00000010.h5").bits, bits_of(1));
  EXPECT_EQ(from(folder / "step_00000010.manifest").bits, bits_of(1));
  EXPECT_EQ(from(folder).bits, bits_of(2));
  EXPECT_EQ(from(temporary.path()).bits, bits_of(2));
  EXPECT_TRUE(contains(error_of([&] { from(folder / "step_00000099.h5"); }), "no such file"));
  EXPECT_TRUE(contains(error_of([&] { from(folder / "newest"); }), "neither auto, required or never"));
  // The one that was asked for or nothing.
  on_rank_0([&] { flip_byte(folder / "step_00000020.h5", 9); });
  EXPECT_TRUE(contains(error_of([&] { from(folder / "step_00000020.h5"); }), "damaged"));
  on_rank_0([&] { fs::remove(folder / "step_00000010.manifest"); });
  EXPECT_TRUE(contains(error_of([&] { from(folder / "step_00000010.h5"); }), "is not beside it"));
}

TEST(RestartRequest, IsReadFromTheCommandLine) {
  EXPECT_EQ(RestartRequest::parse("auto").mode, Mode::automatic);
  EXPECT_EQ(RestartRequest::parse("required").mode, Mode::required);
  EXPECT_EQ(RestartRequest::parse("never").mode, Mode::never);
  EXPECT_EQ(RestartRequest::parse("a/step_00000010.h5").file, "a/step_00000010.h5");
  EXPECT_THROW(RestartRequest::parse(""), Error);
}

TEST_F(Checkpoint, AnotherListIsRefusedAndTheNameGiven) {
  write(folder, 1);
  const auto error_with = [&](const std::function<void(State&)>& change) {
    SampleState sample(MPI_COMM_WORLD, shape);
    State state = sample.state();
    change(state);
    StateBuffer buffer;
    return error_of(
        [&] { restore(find_restart(folder, automatic, MPI_COMM_WORLD), state, label(), MPI_COMM_WORLD, buffer); });
  };
  double more = 0.0;
  std::int64_t integer = 0;
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays[0].name = "w"; }), "has no array w"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays[0].shape[1] = 8; }), "array u is 5 x 7 x 11"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays[1].components = 1; }), "array stress is"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays[0].unit = "1"; }), "float64 in m/s on face_x there"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays[0].centring = Centring::face_y; }), "on face_y in this run"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.arrays.pop_back(); }),
                       "an array id, which this run does not need: the case asks for another state"));
  EXPECT_TRUE(contains(error_with([&](State& s) { s.scalars.push_back({"flux", "1", &more}); }), "has no number flux"));
  EXPECT_TRUE(contains(error_with([&](State& s) { s.scalars[1].value = &integer; }), "dt is float64 in s there"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.scalars.pop_back(); }), "a number next_output, which"));
  EXPECT_TRUE(contains(error_with([](State& s) { s.scalars[1].name = "step"; }), "two scalars of the state"));
  EXPECT_EQ(error_with([](State&) {}), "");
}

TEST_F(Checkpoint, AStateThatDoesNotTakeItsValuesIsAnError) {
  write(folder, 1);
  SampleState sample(MPI_COMM_WORLD, shape);
  State state = sample.state();
  state.arrays[0].set = [](std::span<const std::byte>) {};
  StateBuffer buffer;
  const std::string error = error_of(
      [&] { restore(find_restart(folder, automatic, MPI_COMM_WORLD), state, label(), MPI_COMM_WORLD, buffer); });
  EXPECT_TRUE(contains(error, "has the hash")) << error;
}

TEST_F(Checkpoint, AKillNeverLosesAWrittenGeneration) {
  for (int kill = 0; kill < 12; ++kill) {
    test::ChildProcess child({"write", folder.string()});
    std::string last = "0";
    for (int line = 0; line < 1 + kill % 3; ++line) last = child.line();
    ::usleep(static_cast<useconds_t>(1500 * kill));  // somewhere in the next one
    child.kill();
    for (std::string line = child.line(); !line.empty(); line = child.line()) last = line;

    SampleState sample(MPI_COMM_WORLD, {16, 8, 8});
    State state = sample.state();
    StateBuffer buffer;
    const RestartReport report =
        restore(find_restart(folder, required, MPI_COMM_WORLD), state, {}, MPI_COMM_WORLD, buffer);
    EXPECT_GE(report.from.step, std::stoi(last));
    const SampleState expected(MPI_COMM_WORLD, {16, 8, 8}, static_cast<std::uint64_t>(report.from.step));
    EXPECT_TRUE(sample.bits() == expected.bits());
    EXPECT_TRUE(report.damaged.empty());
    const CheckpointWriter next(folder, 2, MPI_COMM_WORLD);  // clears up
    for (const std::string& name : names_in(folder)) EXPECT_FALSE(name.ends_with(".partial")) << name;
  }
}

TEST_F(Checkpoint, KeepsTwoGenerations) {
  std::vector<std::vector<std::string>> seen;
  StateBuffer buffer;
  CheckpointWriter writer(folder, 2, MPI_COMM_WORLD);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SampleState sample(MPI_COMM_WORLD, shape, seed);
    const Generation generation = writer.write(sample.step, 0.0, sample.state(), label(), buffer);
    EXPECT_EQ(generation.sequence, static_cast<std::int64_t>(seed));
    EXPECT_EQ(read(folder).bits, bits_of(seed));
    on_rank_0([&] { seen.push_back(names_in(folder)); });
  }
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  const auto files = [](std::vector<int> steps) {
    std::vector<std::string> names;
    for (const int step : steps)
      for (const char* extension : {".h5", ".manifest"}) names.push_back("step_" + step_text(step) + extension);
    return names;
  };
  EXPECT_EQ(seen[0], files({10}));
  EXPECT_EQ(seen[1], files({10, 20}));
  EXPECT_EQ(seen[2], files({20, 30}));
  EXPECT_EQ(seen[3], files({30, 40}));
  EXPECT_EQ(seen[4], files({40, 50}));
}

TEST_F(Checkpoint, AllDamagedIsAnErrorAndNeverANewRun) {
  write(folder, 1);
  write(folder, 2);
  on_rank_0([&] {
    fs::resize_file(folder / "step_00000010.h5", 5000);
    flip_byte(folder / "step_00000020.h5", 9);
  });
  for (const RestartRequest& request : {automatic, required}) {
    const std::string error = error_of([&] { read(folder, MPI_COMM_WORLD, request); });
    EXPECT_TRUE(contains(error, "step_00000010") && contains(error, "step_00000020")) << error;
    EXPECT_TRUE(contains(error, "--restart never --overwrite")) << error;
    EXPECT_TRUE(test::same_on_all_ranks(error, MPI_COMM_WORLD));
  }
  on_rank_0([&] { fs::remove(folder / "step_00000020.manifest"); });
  EXPECT_TRUE(contains(error_of([&] { find_restart(folder, automatic, MPI_COMM_WORLD); }), "is whole"));
}

TEST_F(Checkpoint, AnotherCaseIsRefusedAndTheDifferenceNamed) {
  write(folder, 1);
  SampleState sample(MPI_COMM_WORLD, shape);
  State state = sample.state();
  StateBuffer buffer;
  CheckpointLabel other = label();
  other.case_key = "program = halyard-flow\ncells = 5 7 12\nmean = on\n";
  const std::string error =
      error_of([&] { restore(find_restart(folder, automatic, MPI_COMM_WORLD), state, other, MPI_COMM_WORLD, buffer); });
  EXPECT_TRUE(contains(error, "cells is 5 7 11 there and 5 7 12 here; mean is absent there and on here")) << error;
  EXPECT_TRUE(contains(error, "step_00000010.h5")) << error;
  // The same before anything is read, as programs ask it.
  const RestartCandidates candidates = find_restart(folder, automatic, MPI_COMM_WORLD);
  EXPECT_EQ(error_of([&] { require_same_case(candidates, other.case_key); }), error);
  EXPECT_EQ(error_of([&] { require_same_case(candidates, label().case_key); }), "");
  EXPECT_EQ(error_of([&] { require_same_case({}, other.case_key); }), "");
}

TEST_F(Checkpoint, EmptyStates) {
  State state;
  StateBuffer buffer;
  CheckpointLabel empty;
  CheckpointWriter(folder, 2, MPI_COMM_WORLD).write(0, 0.0, state, empty, buffer);
  EXPECT_EQ(restore(find_restart(folder, required, MPI_COMM_WORLD), state, empty, MPI_COMM_WORLD, buffer).from.step, 0);
  std::vector<double> none;
  state.arrays = {SampleState::array("none", "1", Centring::none, 1, {0, 1, 1}, {}, none)};
  CheckpointWriter(folder, 2, MPI_COMM_WORLD).write(1, 0.0, state, empty, buffer);
  EXPECT_EQ(restore(find_restart(folder, required, MPI_COMM_WORLD), state, empty, MPI_COMM_WORLD, buffer).from.step, 1);
}

// Killed at any moment, at the latest the checkpoint that was reported written is there.
}  // namespace
}  // namespace halyard
