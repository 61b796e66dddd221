#include "io/results/run_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "kernels/device/error.hpp"
#include "tests/io/results/child_process.hpp"
#include "tests/io/results/sample_state.hpp"

namespace halyard {
namespace {

namespace fs = std::filesystem;
using test::ChildProcess;
using test::contains;
using test::error_of;
using test::on_rank_0;
using test::rank_of;
using Mode = RestartRequest::Mode;

void put(const fs::path& path, const std::string& text = "x") {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

struct RunFolders : testing::Test {
  test::TemporaryFolder temporary;
  fs::path path = temporary.path() / "run";

  static RunFolder open(const fs::path& folder, RestartRequest restart = {}, bool overwrite = false,
                        bool use_locks = true) {
    RunFolder::Options options;
    options.program = "halyard-test";
    options.restart = std::move(restart);
    options.overwrite = overwrite;
    options.use_locks = use_locks;
    return RunFolder::open(folder, options, MPI_COMM_WORLD);
  }
  /// The error of open(), which must be the same on all ranks.
  static std::string refusal(const fs::path& folder, RestartRequest restart = {}, bool overwrite = false,
                             bool use_locks = true) {
    const std::string error = error_of([&] { open(folder, std::move(restart), overwrite, use_locks); });
    EXPECT_TRUE(test::same_on_all_ranks(error, MPI_COMM_WORLD));
    return error;
  }
  /// A folder with all that a run leaves, and two files that it did not write.
  void former_run(bool with_checkpoint = true) {
    { open(path); }
    on_rank_0([&] {
      for (const char* name : {"case.toml", "history.csv", "log.txt", "summary.json", "fields/flow_00000010.vti",
                               "fields/fields.pvd", "fields/flow_00000020.vti.tmp", "pictures/u_z_00000010.png",
                               "checkpoint/step_00000020.h5.partial", "plot.py", "fields/mine.vti"})
        put(path / name);
      if (with_checkpoint)
        for (const char* name : {"checkpoint/step_00000010.h5", "checkpoint/step_00000010.manifest"}) put(path / name);
    });
  }
};

TEST_F(RunFolders, MakesTheLayout) {
  const RunFolder folder = open(path / "deeper");
  EXPECT_FALSE(folder.continues());
  EXPECT_TRUE(folder.notes().empty());
  for (const fs::path& part : {folder.fields(), folder.pictures(), folder.checkpoints()})
    EXPECT_TRUE(fs::is_directory(part)) << part;
  EXPECT_EQ(folder.history(), path / "deeper" / "history.csv");
  const std::string text = test::file_text(path / "deeper" / ".lock");
  EXPECT_TRUE(contains(text, "state = running") && contains(text, "program = halyard-test")) << text;
  MPI_Barrier(MPI_COMM_WORLD);  // all have read it: rank 0 frees the lock where its folder ends
}

TEST_F(RunFolders, AnEmptyFolderIsTaken) {
  on_rank_0([&] { fs::create_directories(path); });
  open(path);
  open(path);  // and again, since nothing was written
}

TEST_F(RunFolders, AFormerRunIsRefusedUnlessContinued) {
  former_run();
  const std::string before = test::file_text(path / ".lock");
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string error = refusal(path, {Mode::never, {}});
  EXPECT_TRUE(contains(error, "holds a former run (case.toml, ")) << error;
  EXPECT_TRUE(contains(error, "--restart auto continues it, --overwrite replaces it")) << error;
  EXPECT_EQ(test::file_text(path / ".lock"), before);
  MPI_Barrier(MPI_COMM_WORLD);

  EXPECT_TRUE(open(path, {Mode::automatic, {}}).continues());
  EXPECT_TRUE(open(path, {Mode::required, {}}).continues());
  EXPECT_TRUE(open(path, {Mode::file, path / "checkpoint" / "step_00000010.h5"}).continues());
  EXPECT_TRUE(open(path, {Mode::file, path}).continues());
  EXPECT_TRUE(contains(refusal(path, {Mode::file, temporary.path() / "other" / "checkpoint" / "step_00000010.h5"}),
                       "does not continue it"));
  EXPECT_TRUE(fs::exists(path / "history.csv"));
}

TEST_F(RunFolders, AFormerRunWithoutACheckpointIsRefused) {
  former_run(false);
  EXPECT_TRUE(contains(refusal(path), "without a checkpoint to continue from: --overwrite replaces it"));
}

TEST_F(RunFolders, OverwriteRemovesOnlyWhatHalyardWrites) {
  former_run();
  const RunFolder folder = open(path, {}, true);
  EXPECT_FALSE(folder.continues());
  if (rank_of(MPI_COMM_WORLD) == 0) {
    ASSERT_EQ(folder.notes().size(), 1u);
    EXPECT_TRUE(contains(folder.notes()[0], "11 files")) << folder.notes()[0];
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (!entry.is_directory()) left.push_back(entry.path().lexically_relative(path).string());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{".lock", "fields/mine.vti", "plot.py"}));
}

TEST_F(RunFolders, OverwriteAndARestartFromTheSameFolderContradict) {
  former_run();
  EXPECT_TRUE(contains(refusal(path, {Mode::required, {}}, true), "give one of the two"));
  EXPECT_TRUE(
      contains(refusal(path, {Mode::file, path / "checkpoint" / "step_00000010.h5"}, true), "give one of the two"));
  EXPECT_TRUE(fs::exists(path / "checkpoint" / "step_00000010.h5"));
}

TEST_F(RunFolders, AForeignFolderIsRefusedEvenWithOverwrite) {
  on_rank_0([&] {
    put(path / "history.csv");  // a name of ours is not enough
    put(path / "thesis.tex");
  });
  for (const bool overwrite : {false, true}) {
    const std::string error = refusal(path, {}, overwrite);
    EXPECT_TRUE(contains(error, "(history.csv, thesis.tex)")) << error;
  }
  EXPECT_FALSE(fs::exists(path / ".lock"));
  EXPECT_TRUE(fs::exists(path / "history.csv"));
}

TEST_F(RunFolders, AFileIsRefused) {
  on_rank_0([&] { put(path); });
  EXPECT_TRUE(contains(refusal(path), "is a file"));
  EXPECT_TRUE(contains(refusal(path / "below"), path.string()));
  EXPECT_TRUE(contains(refusal(""), "is empty"));
}

TEST_F(RunFolders, ARunningRunHasItAndAKilledOneHasNot) {
  std::optional<ChildProcess> child;
  std::string said;
  on_rank_0([&] {
    child.emplace(std::vector<std::string>{"hold", path.string()});
    said = child->line();
    EXPECT_EQ(said, "held");
  });
  for (const bool overwrite : {false, true}) {
    const std::string error = refusal(path, {}, overwrite);
    EXPECT_TRUE(contains(error, "in use by a running Halyard (host ")) << error;
    const std::string process = child ? "process " + std::to_string(child->pid()) + "," : "process ";
    EXPECT_TRUE(contains(error, process)) << error;
  }
  on_rank_0([&] { child->kill(); });
  const RunFolder folder = open(path);
  if (child) {
    ASSERT_EQ(folder.notes().size(), 1u);
    EXPECT_TRUE(contains(folder.notes()[0], "ended without notice")) << folder.notes()[0];
  }
}

TEST_F(RunFolders, TheLockFallsWithTheObject) {
  {
    const RunFolder folder = open(path);
    EXPECT_TRUE(contains(refusal(path), "in use by a running Halyard"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string text = test::file_text(path / ".lock");
  EXPECT_TRUE(contains(text, "state = free")) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  RunFolder first = open(path);
  const RunFolder moved = std::move(first);
  EXPECT_TRUE(contains(refusal(path), "in use by a running Halyard"));
}

// A file system without locks: host and process in .lock decide.
TEST_F(RunFolders, WithoutLocksTheTextDecides) {
  std::optional<ChildProcess> child;
  {
    const RunFolder folder = open(path, {}, false, false);
    if (rank_of(MPI_COMM_WORLD) == 0) {
      EXPECT_TRUE(contains(folder.notes().at(0), "has no locks"));
    }
    EXPECT_TRUE(contains(refusal(path, {}, false, false), "in use by a running Halyard"));
  }
  open(path, {}, false, false);  // ended in order
  on_rank_0([&] {
    child.emplace(std::vector<std::string>{"hold", path.string()});
    EXPECT_EQ(child->line(), "held");
  });
  EXPECT_TRUE(contains(refusal(path, {}, false, false), "in use by a running Halyard"));
  on_rank_0([&] { child->kill(); });
  open(path, {}, false, false);
  on_rank_0([&] { put(path / ".lock", "Halyard run folder\nstate = running\nhost = elsewhere\npid = 1\n"); });
  EXPECT_TRUE(
      contains(refusal(path, {}, false, false), "on another host (host elsewhere, process 1, started unknown)"));
}

TEST_F(RunFolders, AnAbandonedFolderIsAsBefore) {
  {
    RunFolder folder = open(path / "deeper");
    on_rank_0([&] {
      put(folder.log());
      put(folder.resolved_case());
    });
    folder.abandon();
  }
  on_rank_0([&] { EXPECT_FALSE(fs::exists(path)); });

  on_rank_0([&] { put(path / "checkpoint" / "mine.txt"); });  // in the folder's folder: not foreign, not ours
  on_rank_0([&] { put(path / ".lock", "Halyard run folder\nstate = free\n"); });
  { open(path).abandon(); }
  on_rank_0([&] {
    EXPECT_TRUE(fs::exists(path / "checkpoint" / "mine.txt") && fs::exists(path / ".lock"));
    EXPECT_FALSE(fs::exists(path / "fields"));
    fs::remove_all(path);
  });

  former_run();
  { open(path, {Mode::automatic, {}}).abandon(); }
  on_rank_0([&] {
    for (const char* name : {"case.toml", "history.csv", "fields/flow_00000010.vti", "checkpoint/step_00000010.h5"})
      EXPECT_TRUE(fs::exists(path / name)) << name;
  });
}

TEST_F(RunFolders, AReadOnlyOrFullFileSystem) {
  int mounted = 0;
  on_rank_0([&] {
    fs::create_directories(path);
    mounted = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k") == 0 ? 1 : 0;
  });
  MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (mounted == 0) GTEST_SKIP() << "needs the right to mount a small file system";
  const fs::path full = path / "full";
  on_rank_0([&] {
    fs::create_directories(full);
    std::ofstream filler(path / "filler", std::ios::binary);
    for (int n = 0; n < 64 && filler; ++n) filler << std::string(4096, 'x') << std::flush;
  });
  EXPECT_TRUE(contains(refusal(full), "No space left on device"));
  EXPECT_TRUE(contains(refusal(path / "other" / "run"), "No space left on device"));
  on_rank_0([&] { EXPECT_FALSE(fs::exists(path / "other")); });
  on_rank_0([&] {
    fs::remove(path / "filler");
    EXPECT_EQ(::mount("tmpfs", path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  });
  const std::string error = refusal(path / "new");
  EXPECT_TRUE(contains(error, (path / "new").string()) && contains(error, "Read-only file system")) << error;
  on_rank_0([&] { ::mount("tmpfs", path.c_str(), "tmpfs", MS_REMOUNT, nullptr); });
  { open(full); }  // what the full disk left is no obstacle
  on_rank_0([&] { ::umount2(path.c_str(), MNT_DETACH); });
}

}  // namespace
}  // namespace halyard
