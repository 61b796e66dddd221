#include "io/results/particle_writer.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/file.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/results/particle_sample.hpp"
#include "tests/io/scratch_folder.hpp"

namespace halyard {
namespace {

using Path = std::filesystem::path;

enum class Blocks { even, backwards, all_on_last };

class ParticleWriterTest : public ScratchFolder {
 protected:
  /// This rank's atoms.
  std::array<std::int64_t, 2> block(std::int64_t count, Blocks blocks) const {
    if (blocks == Blocks::even) return even_part(count, ranks(), rank());
    if (blocks == Blocks::backwards) return even_part(count, ranks(), ranks() - 1 - rank());
    return rank() == ranks() - 1 ? std::array<std::int64_t, 2>{0, count} : std::array<std::int64_t, 2>{0, 0};
  }
  ParticleWriterSettings settings(const std::string& name) const {
    ParticleWriterSettings settings;
    settings.name = name;
    settings.formats = {ParticleFormat::h5md, ParticleFormat::vtk, ParticleFormat::xyz};
    settings.frames_per_file = 3;
    settings.forces = true;
    settings.bytes_per_call = ranks() == 1 ? 40 : std::size_t{1} << 20;
    return settings;
  }
  ParticleWriter writer(const Path& where, const ParticleWriterSettings& settings) const {
    return ParticleWriter(MPI_COMM_WORLD, where, settings, sample_description("real"));
  }
  void write(ParticleWriter& writer, const ParticleSample& sample, std::int64_t step,
             Blocks blocks = Blocks::even) const {
    const auto [begin, end] = block(sample.count, blocks);
    const SampleFrame atoms(sample, step, begin, end);
    writer.write(atoms.frame);
  }
  /// What a single process writes: frames at steps 0, 10, ..., 10 (frames - 1).
  void write_alone(const Path& where, ParticleWriterSettings settings, const ParticleSample& sample, int frames) const {
    if (rank() == 0) {
      settings.bytes_per_call = 1 << 20;
      ParticleWriter alone(MPI_COMM_SELF, where, settings, sample_description("real"));
      for (int i = 0; i < frames; ++i) alone.write(SampleFrame(sample, 10 * i, 0, sample.count).frame);
      alone.finish();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// Rank 0: the same files with the same bytes.
  void expect_same(const Path& a, const Path& b) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
      const std::set<std::string> files = names(a);
      EXPECT_EQ(files, names(b));
      for (const std::string& file : files) {
        EXPECT_TRUE(read_file(a / "trajectory" / file) == read_file(b / "trajectory" / file)) << file;
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static std::set<std::string> names(const Path& folder) {
    std::set<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "trajectory")) {
      list.insert(entry.path().filename().string());
    }
    return list;
  }
  /// Steps that the .h5 of a segment shows, and whether every position in it is the sample's.
  static std::vector<std::int64_t> steps_in(const Path& path, const ParticleSample& sample) {
    const hdf5::File file(path, hdf5::Mode::read);
    const hdf5::Dataset step_set = file.open_dataset("particles/all/velocity/step");
    std::vector<std::int64_t> steps(static_cast<std::size_t>(step_set.dimensions()[0]));
    step_set.read_whole(steps);
    const hdf5::Dataset position = file.open_dataset("particles/all/position/value");
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto frame = static_cast<std::int64_t>(i);
      std::vector<double> values(static_cast<std::size_t>(3 * sample.count));
      position.read({{0, 0, frame}, {3, sample.count, frame + 1}}, values);
      EXPECT_EQ(values, SampleFrame(sample, steps[i], 0, sample.count).position) << path << " frame " << i;
    }
    return steps;
  }
};

/// What does not depend on the number of ranks once there are several is not repeated where they share cores.
#define SKIP_ON_MORE_THAN_2_RANKS() \
  if (ranks() > 2) GTEST_SKIP() << "nothing in this test is other on more than 2 ranks"

template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

using Steps = std::vector<std::int64_t>;

TEST_F(ParticleWriterTest, TheSameBytesWhateverTheBlocksAndTheNumberOfRanks) {
  for (const ParticleSample& sample : particle_samples()) {
    for (const auto precision : {FieldPrecision::float64, FieldPrecision::float32}) {
      // On more ranks than a machine may have cores every collective call takes a time slice: fewer there.
      if (ranks() > 1 && (precision == FieldPrecision::float32) != (sample.name == "triclinic")) continue;
      if (ranks() > 2 && sample.name != "orthogonal") continue;
      const std::string name = sample.name + (precision == FieldPrecision::float64 ? "64" : "32");
      ParticleWriterSettings wanted = settings("run");
      wanted.precision = precision;
      ParticleWriter together = writer(folder() / name, wanted);
      write(together, sample, 0, Blocks::even);
      write(together, sample, 10, Blocks::backwards);
      write(together, sample, 20, Blocks::all_on_last);
      write(together, sample, 30, Blocks::backwards);
      write(together, sample, 30, Blocks::even);  // a frame that is there already
      together.finish();
      write_alone(folder() / (name + "-alone"), wanted, sample, 4);
      expect_same(folder() / name, folder() / (name + "-alone"));
      if (rank() == 0) {
        EXPECT_EQ(names(folder() / name),
                  (std::set<std::string>{"run.pvd", "run.xyz", "run_00000000.h5", "run_00000030.h5", "run_00000000.vtp",
                                         "run_00000010.vtp", "run_00000020.vtp", "run_00000030.vtp"}));
      }
    }
  }
}

TEST_F(ParticleWriterTest, NoAtoms) {
  ParticleWriter run = writer(folder() / "together", settings("run"));
  write(run, particle_samples()[3], 0);
  run.finish();
  write_alone(folder() / "alone", settings("run"), particle_samples()[3], 1);
  expect_same(folder() / "together", folder() / "alone");
}

TEST_F(ParticleWriterTest, AtEveryInstantTheH5ShowsTheWholeFrames) {
  SKIP_ON_MORE_THAN_2_RANKS();
  const ParticleSample& sample = particle_samples()[0];
  ParticleWriter run = writer(folder(), settings("run"));
  const Path first = folder() / "trajectory" / "run_00000000.h5", second = folder() / "trajectory" / "run_00000030.h5";
  const auto expect_steps = [&](const Path& path, const Steps& steps) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
      EXPECT_EQ(steps_in(path, sample), steps);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  write(run, sample, 0);
  expect_steps(first, {0});
  write(run, sample, 10);
  expect_steps(first, {0, 10});
  // As after a kill in the midst of a frame: values are there, the index is not.
  const auto spoil = [&] {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
      hdf5::File part(folder() / "trajectory" / "run_00000000.h5.part", hdf5::Mode::read_write);
      const std::vector<double> nonsense(static_cast<std::size_t>(3 * sample.count), -7.0);
      part.open_dataset("particles/all/position/value").write({{0, 0, 2}, {3, sample.count, 3}}, nonsense);
      part.close();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  spoil();
  expect_steps(first, {0, 10});
  write(run, sample, 20);
  expect_steps(first, {0, 10, 20});
  EXPECT_FALSE(std::filesystem::exists(first.string() + ".part"));
  const std::string closed = read_file(first);
  write(run, sample, 30);
  expect_steps(second, {30});
  run.finish();
  expect_steps(second, {30});
  EXPECT_FALSE(std::filesystem::exists(second.string() + ".part"));
  EXPECT_TRUE(read_file(first) == closed);
  write(run, sample, 40);  // and it is filled further
  expect_steps(second, {30, 40});
  EXPECT_TRUE(std::filesystem::exists(second.string() + ".part"));
}

TEST_F(ParticleWriterTest, ARestartAnywhereLeavesTheFilesOfTheRunThatWasNotInterrupted) {
  SKIP_ON_MORE_THAN_2_RANKS();
  const ParticleSample& sample = particle_samples()[1];
  write_alone(folder() / "straight", settings("run"), sample, 8);
  // {frames before the kill, whether the run could finish, step of the restart}
  std::vector<std::tuple<int, bool, std::int64_t>> stops{{5, false, 40}, {5, false, 50}, {7, true, 15},
                                                         {6, false, 30}, {5, false, 25}, {4, true, 35},
                                                         {6, false, 50}, {3, false, 0},  {7, false, 60}};
  if (ranks() > 1) stops.resize(4);
  for (const auto& [frames, finishes, restart] : stops) {
    const Path where = folder() / fmt::format("stop-{}-{}-{}", frames, finishes ? 1 : 0, restart);
    {
      ParticleWriter run = writer(where, settings("run"));
      for (int i = 0; i < frames; ++i) {
        const std::array<std::int64_t, 2> mine = block(sample.count, Blocks::even);
        SampleFrame atoms(sample, 10 * i, mine[0], mine[1]);
        // What lies beyond the restart is told apart from what the continued run writes there.
        if (10 * i > restart) {
          for (double& x : atoms.position) x += 1000.0;
        }
        run.write(atoms.frame);
      }
      if (finishes) run.finish();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0 && !finishes) {  // a frame that was cut short
      std::ofstream(where / "trajectory" / "run.xyz", std::ios::app)
          << "5\nLattice=\"1 0 0\" Step=" << 10 * frames << "\nCu 1.0 2.0";
      std::ofstream(where / "trajectory" / "run_00000090.h5.part") << "killed before its first frame was whole";
      std::ofstream(where / "trajectory" / "run_00000090.vtp.tmp") << "x";
      std::filesystem::remove(where / "trajectory" / "run_00000090.vtp.tmp");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ParticleWriter run = writer(where, settings("run"));
    run.continue_from(restart);
    for (std::int64_t step = restart + 9 - (restart + 9) % 10; step < 80; step += 10) write(run, sample, step);
    run.finish();
    expect_same(where, folder() / "straight");
  }
}

TEST_F(ParticleWriterTest, WhatChangesAmongTheAtomsOrTheBoxBeginsANewSegment) {
  SKIP_ON_MORE_THAN_2_RANKS();
  ParticleWriterSettings wanted = settings("run");
  wanted.formats = {ParticleFormat::h5md};
  ParticleWriter run = writer(folder(), wanted);
  ParticleSample sample{"", 6, false};
  write(run, sample, 0);
  sample.count = 7;
  write(run, sample, 1);
  sample.triclinic = true;  // which also has a side that is not periodic
  write(run, sample, 2);
  write(run, sample, 3);
  const auto [begin, end] = block(7, Blocks::even);
  SampleFrame swapped(sample, 4, begin, end);
  for (std::int64_t& id : swapped.id) id += 1;
  run.write(swapped.frame);
  run.finish();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) {
    EXPECT_EQ(names(folder()),
              (std::set<std::string>{"run_00000000.h5", "run_00000001.h5", "run_00000002.h5", "run_00000004.h5"}));
    sample.count = 7;
    EXPECT_EQ(steps_in(folder() / "trajectory" / "run_00000002.h5", sample), (Steps{2, 3}));
  }
}

TEST_F(ParticleWriterTest, RefusalsAreInWords) {
  SKIP_ON_MORE_THAN_2_RANKS();
  const ParticleSample& sample = particle_samples()[0];
  const Path there = folder() / "trajectory";
  {
    ParticleWriter run = writer(folder(), settings("run"));
    write(run, sample, 5);
  }
  for (const auto& [format, file] :
       {std::pair{ParticleFormat::h5md, "run_00000005.h5"}, std::pair{ParticleFormat::vtk, "run.pvd"},
        std::pair{ParticleFormat::xyz, "run.xyz"}}) {
    ParticleWriterSettings one = settings("run");
    one.formats = {format};
    ParticleWriter again = writer(folder(), one);
    EXPECT_EQ(error_of([&] { write(again, sample, 7); }),
              (there / file).string() + " exists already and is not overwritten.");
  }
  ParticleWriter other = writer(folder(), settings("a b/c"));
  EXPECT_EQ(error_of([&] { write(other, sample, 5); }), "");
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(std::filesystem::exists(there / "a_b_c_00000005.h5"));

  const std::array<std::int64_t, 2> mine = block(sample.count, Blocks::even);
  const auto refusal = [&](const auto& spoil) {
    SampleFrame atoms(sample, 9, mine[0], mine[1]);
    spoil(atoms);
    return error_of([&] { other.write(atoms.frame); });
  };
  EXPECT_EQ(refusal([](SampleFrame& atoms) { atoms.frame.count += 1; }),
            "The ranks' atoms do not tile 0 to 14: they end at 13.");
  EXPECT_NE(refusal([](SampleFrame& atoms) { atoms.frame.velocity = {}; }).find("The array velocity of a rank's "),
            std::string::npos);
  EXPECT_EQ(refusal([&](SampleFrame& atoms) {
              if (!atoms.type.empty() && mine[0] == 0) atoms.type[0] = 3;
            }),
            "Atom 5 has type 3, but types go from 0 to 2.");
  if (ranks() > 1) {
    EXPECT_EQ(refusal([&](SampleFrame& atoms) { atoms.frame.time += rank(); }),
              "Ranks give frames of step 9 that differ in step, time, box or number of atoms.");
  }
  const auto make = [&](ParticleWriterSettings wanted) { return error_of([&] { writer(folder(), wanted); }); };
  ParticleWriterSettings wanted = settings("run");
  wanted.frames_per_file = 0;
  EXPECT_EQ(make(wanted), "Frames per file of the trajectory is 0, but must be at least 1.");
  wanted.formats.clear();
  EXPECT_EQ(make(wanted), "A trajectory needs a format: h5md, vtk or xyz.");
  EXPECT_EQ(error_of([] { particle_units("si"); }), "Units \"si\" are not known; there are lj, metal, real.");
}

TEST_F(ParticleWriterTest, AWriteThatFailsIsToldOnEveryRankAndTheNextOneSucceeds) {
  SKIP_ON_MORE_THAN_2_RANKS();
  std::signal(SIGXFSZ, SIG_IGN);
  const ParticleSample& sample = particle_samples()[0];
  for (const auto format : {ParticleFormat::h5md, ParticleFormat::vtk, ParticleFormat::xyz}) {
    const Path where = folder() / std::to_string(static_cast<int>(format));
    ParticleWriterSettings one = settings("run");
    one.formats = {format};
    ParticleWriter run = writer(where, one);
    write(run, sample, 0);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 1500;  // less than one frame
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string text = error_of([&] { write(run, sample, 10); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(text.find((where / "trajectory").string()), std::string::npos) << text;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0 && format == ParticleFormat::h5md) {
      EXPECT_EQ(steps_in(where / "trajectory" / "run_00000000.h5", sample), Steps{0});
    }
    for (const std::int64_t step : {10, 20, 30}) {
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(error_of([&] { write(run, sample, step); }), "");
    }
    run.finish();
    write_alone(folder() / (where.filename().string() + "-alone"), one, sample, 4);
    expect_same(where, folder() / (where.filename().string() + "-alone"));
  }
}

}  // namespace
}  // namespace halyard
