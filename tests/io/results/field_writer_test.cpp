#include "io/results/field_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "io/results/slice_picture.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace halyard {
namespace {

class FieldWriterTest : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    for (auto& faces : grid_.faces) {
      for (int i = 0; i <= 8; ++i) faces.push_back(0.125 * i);
    }
    const auto [begin, end] = even_part(8, ranks(), rank());
    block_ = {{0, 0, begin}, {8, 8, end}};
  }
  std::vector<Quantity> pressure() const {
    return {{"pressure", "m2/s2", "", 1, block_, [](std::span<double> values) {
               for (double& value : values) value = 1.5;
             }}};
  }
  FieldWriter writer(FieldFormat format) const {
    return FieldWriter(MPI_COMM_WORLD, folder(), grid_, block_, {"box", format, FieldPrecision::float64, 1 << 20});
  }

  GridGeometry grid_;
  Box block_;
};

template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_F(FieldWriterTest, TellsPathBytesAndRate) {
  const WrittenFile written = writer(FieldFormat::vtk).write(3, 0.5, pressure());
  EXPECT_EQ(written.path, folder() / "fields" / "box_00000003.vti");
  EXPECT_EQ(written.bytes, static_cast<std::int64_t>(std::filesystem::file_size(written.path)));
  EXPECT_GT(written.bytes, FieldWriter::snapshot_bytes(grid_.cells(), 1, FieldPrecision::float64));
  EXPECT_GT(written.gigabytes_per_second(), 0.0);
}

TEST_F(FieldWriterTest, AWriteThatFailsLeavesNoFileAndTheOldListAndEveryRankKnows) {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const auto format : {FieldFormat::vtk, FieldFormat::hdf5}) {
    FieldWriter fields = writer(format);
    const std::filesystem::path first = fields.write(0, 0.0, pressure()).path;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 3000;  // of 4096 bytes of values
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string text = error_of([&] { fields.write(1, 0.1, pressure()); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(text.find("box_00000001"), std::string::npos) << text;
    MPI_Barrier(MPI_COMM_WORLD);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "fields")) {
      files += entry.path().filename().string().find("box_00000001") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(files, 0);
    EXPECT_TRUE(std::filesystem::exists(first));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(error_of([&] { fields.write(2, 0.2, pressure()); }), "");  // and it goes on where there is room again
  }
}

TEST_F(FieldWriterTest, RefusalsAreInWords) {
  FieldWriter fields = writer(FieldFormat::vtk);
  fields.write(5, 0.5, pressure());
  const std::string path = (folder() / "fields" / "box_00000005.vti").string();
  EXPECT_EQ(error_of([&] { fields.write(5, 0.5, pressure()); }), path + " exists already and is not overwritten.");
  EXPECT_EQ(error_of([&] { writer(FieldFormat::vtk).write(6, 0.6, pressure()); }),
            (folder() / "fields" / "fields.pvd").string() + " exists already and is not overwritten.");
  FieldWriter continued = writer(FieldFormat::vtk);
  continued.continue_from(5);
  EXPECT_EQ(error_of([&] { continued.write(5, 0.5, pressure()); }), "");
  std::vector<Quantity> twice = pressure();
  twice.push_back(twice[0]);
  EXPECT_EQ(error_of([&] { continued.write(7, 0.7, twice); }), "Quantity pressure is to be written twice.");

  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) std::ofstream(folder() / "file") << "in the way";
  MPI_Barrier(MPI_COMM_WORLD);
  FieldWriter nowhere(MPI_COMM_WORLD, folder() / "file", grid_, block_, {"box"});
  const std::string text = error_of([&] { nowhere.write(0, 0.0, pressure()); });
  EXPECT_NE(text.find("Making folder " + (folder() / "file" / "fields").string() + " failed: Not a directory"),
            std::string::npos)
      << text;
}

TEST_F(FieldWriterTest, SlicesThatCannotBeDrawnAreRefused) {
  const auto make = [&](SliceSettings slice) {
    return error_of([&] { SlicePicture(MPI_COMM_WORLD, folder(), grid_, block_, std::move(slice)); });
  };
  SliceSettings slice{.quantity = "pressure", .component = SliceComponent::magnitude, .axis = 2, .position = 1.5};
  EXPECT_EQ(make(slice), "The slice of pressure at z = 1.5 lies outside the domain, which reaches from 0 to 1.");
  slice.position = 1.0;
  EXPECT_EQ(make(slice), "");
  slice.colors = "rainbow";
  EXPECT_NE(make(slice).find("Colour map \"rainbow\" is not known; there are viridis, "), std::string::npos);
  slice.colors = "auto";
  slice.range = {2.0, 2.0};
  EXPECT_NE(make(slice).find("must ascend"), std::string::npos);

  std::vector<SliceSettings> slices(3, {.quantity = "velocity"});
  slices[1].position = 0.25;
  slices[2].component = SliceComponent::x;
  name_slices(slices);
  EXPECT_EQ(slices[0].name, "velocity_z0");
  EXPECT_EQ(slices[1].name, "velocity_z0.25");
  EXPECT_EQ(slices[2].name, "velocity_x_z");
}

}  // namespace
}  // namespace halyard
