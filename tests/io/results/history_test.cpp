#include "io/results/history.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace halyard {
namespace {

std::vector<HistoryColumn> row(std::int64_t step, double time, double energy) {
  return {{"step", "1", static_cast<double>(step)}, {"time", "s", time}, {"kinetic_energy", "m2/s2", energy}};
}

class HistoryTest : public ScratchFolder {
 protected:
  std::filesystem::path path() const { return folder() / "history.csv"; }
  std::string text() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::string text = read_file(path());
    MPI_Barrier(MPI_COMM_WORLD);
    return text;
  }
};

const std::string header = "# units: 1,s,m2/s2\nstep,time,kinetic_energy\n";

TEST_F(HistoryTest, RowsHaveUnitsNamesAndExactNumbers) {
  HistoryWriter history(MPI_COMM_WORLD, path());
  history.append(row(0, 0.0, 1.0 / 3.0));
  history.append(row(1, 0.1, -2.5e-17));
  EXPECT_EQ(text(), header + "0,0,0.3333333333333333\n1,0.1,-2.5e-17\n");  // before it is closed: each row at once
}

// As many units as names: a reader pairs them by their place.
TEST_F(HistoryTest, AnEmptyUnitKeepsItsPlace) {
  HistoryWriter history(MPI_COMM_WORLD, path());
  history.append(std::vector<HistoryColumn>{{"step", "", 0.0}, {"ratio", "", 2.0}, {"time", "s", 0.5}});
  EXPECT_EQ(text(), "# units: ,,s\nstep,ratio,time\n0,2,0.5\n");
}

TEST_F(HistoryTest, RowsMayWait) {
  HistoryWriter history(MPI_COMM_WORLD, path(), 3600.0);
  history.append(row(0, 0.0, 1.0));
  EXPECT_EQ(text(), header);
  history.flush();
  EXPECT_EQ(text(), header + "0,0,1\n");
}

TEST_F(HistoryTest, RestartCutsLaterRowsAndTheUnfinishedOne) {
  if (rank() == 0) std::ofstream(path()) << header << "0,0,1\n5,0.5,0.9\n10,1,0.8\n15,1.5,0.7\n20,2,0.";
  MPI_Barrier(MPI_COMM_WORLD);
  HistoryWriter history(MPI_COMM_WORLD, path());
  history.continue_from(10);
  EXPECT_EQ(text(), header + "0,0,1\n5,0.5,0.9\n10,1,0.8\n");
  history.append(row(10, 1.0, 0.8));  // the restart's first state is there already
  history.append(row(15, 1.5, 0.75));
  EXPECT_EQ(text(), header + "0,0,1\n5,0.5,0.9\n10,1,0.8\n15,1.5,0.75\n");
}

TEST_F(HistoryTest, RestartFromAKillInTheHeaderBeginsAnew) {
  if (rank() == 0) std::ofstream(path()) << "# units: 1,s,m2/s2\nstep,ti";
  MPI_Barrier(MPI_COMM_WORLD);
  HistoryWriter history(MPI_COMM_WORLD, path());
  history.continue_from(10);
  history.append(row(10, 1.0, 0.8));
  EXPECT_EQ(text(), header + "10,1,0.8\n");
}

TEST_F(HistoryTest, WhatDoesNotFitIsRefused) {
  const auto error_of = [](auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  if (rank() == 0) std::ofstream(path()) << "# units: 1,s\nstep,time\n0,0\n";
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) {
    EXPECT_EQ(error_of([&] { HistoryWriter(MPI_COMM_SELF, path()).append(row(0, 0.0, 1.0)); }),
              path().string() + " exists already and is not overwritten.");
    EXPECT_NE(error_of([&] {
                HistoryWriter history(MPI_COMM_SELF, path());
                history.continue_from(0);
                history.append(row(1, 0.0, 1.0));
              }).find("lacks the column(s) kinetic_energy, which this run writes: it cannot be continued"),
              std::string::npos);
  }
  // Both ways, and another order, without a row to write.
  const auto told = [&](const std::string& names) {
    if (rank() == 0) std::ofstream(path()) << "# units: 1,s,1,1\n" + names + "\n0,0,0,0\n";
    MPI_Barrier(MPI_COMM_WORLD);
    return rank() != 0 ? std::string() : error_of([&] {
      HistoryWriter history(MPI_COMM_SELF, path());
      history.continue_from(0);
      history.require_columns(row(0, 0.0, 1.0));
    });
  };
  const std::string end =
      ": it cannot be continued. Change the case back, move the file away or use another output folder.";
  const auto expected = [&](const std::string& what) {
    return rank() == 0 ? path().string() + " " + what + end : std::string();
  };
  EXPECT_EQ(told("step,time,kinetic_energy"), "");
  EXPECT_EQ(told("step,a,time,b"),
            expected("has the column(s) a,b, which this run does not write, and lacks the column(s) kinetic_energy, "
                     "which this run writes"));
  EXPECT_EQ(told("step,kinetic_energy,time"),
            expected("has the columns in the order step,kinetic_energy,time, this run in the order "
                     "step,time,kinetic_energy"));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) std::ofstream(path()) << "name,value\n1,2\n";
  MPI_Barrier(MPI_COMM_WORLD);
  HistoryWriter history(MPI_COMM_WORLD, path());
  EXPECT_NE(error_of([&] { history.continue_from(0); }).find(":1 does not begin with \"# units: \""),
            std::string::npos);  // on every rank
}

TEST_F(HistoryTest, AWriteThatFailsIsToldWithPathReasonAndFreeSpace) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::string text;
  HistoryWriter history(MPI_COMM_WORLD, path());
  rlimit small = before;
  small.rlim_cur = 100;  // bytes: the header and a few rows
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    for (int step = 0; step < 20; ++step) history.append(row(step, 0.1 * step, 1.0));
  } catch (const Error& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  if (rank() == 0) {
    EXPECT_NE(text.find("Writing " + path().string() + " failed: File too large ("), std::string::npos) << text;
    EXPECT_NE(text.find("GB free there)."), std::string::npos) << text;
  } else {
    EXPECT_EQ(text, "");
  }
}

}  // namespace
}  // namespace halyard
