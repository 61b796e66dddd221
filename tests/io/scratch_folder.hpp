#pragma once
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace halyard {

/// A test with a folder of its own, the same on every rank, removed at the end.
class ScratchFolder : public testing::Test {
 public:
  const std::filesystem::path& folder() const { return folder_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::array<char, 64> name{"/tmp/halyard_test_XXXXXX"};
    if (rank_ == 0 && mkdtemp(name.data()) == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    folder_ = name.data();
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
  int rank_ = 0, ranks_ = 1;
};

}  // namespace halyard
