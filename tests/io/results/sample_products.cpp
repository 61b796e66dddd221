// Writes every product of io/results from values that are functions of the global index, for read_products.py.
//   sample_products FOLDER all|few|restart
// few: one snapshot of half of the kinds, since many ranks on few cores are slow.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/results/field_writer.hpp"
#include "io/results/history.hpp"
#include "io/results/slice_picture.hpp"
#include "io/results/summary.hpp"
#include "kernels/device/error.hpp"

namespace halyard {
namespace {

struct Sample {
  std::string name;
  Index3 cells;
  std::array<bool, 3> uniform;
};

// All extents different; odd, prime and 1.
const std::vector<Sample> samples{{"uniform", {7, 5, 3}, {true, true, true}},
                                  {"stretched", {7, 5, 3}, {true, false, true}},
                                  {"prime", {13, 11, 7}, {true, true, false}},
                                  {"flat", {6, 1, 5}, {false, true, true}}};

GridGeometry geometry(const Sample& sample) {
  GridGeometry grid;
  grid.uniform = sample.uniform;
  const std::array<double, 3> origin{-1.0, 0.25, 3.0}, spacing{0.5, 0.125, 2.0};  // exact in binary
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = 0; i <= sample.cells[axis]; ++i) {
      const auto x = static_cast<double>(i);
      grid.faces[axis].push_back(sample.uniform[axis] ? origin[axis] + spacing[axis] * x : 0.1 * x * (x + 1.0) / 3.0);
    }
  }
  return grid;
}

double value_at(int c, std::int64_t i, std::int64_t j, std::int64_t k) {
  return (c + 1.0) + 10.0 * static_cast<double>(i) + 1000.0 * static_cast<double>(j) + 1e5 * static_cast<double>(k) +
         1.0 / 3.0;
}

Quantity quantity(std::string name, std::string unit, int components, const Box& block, double bad_value) {
  return {std::move(name),
          std::move(unit),
          "a function of the index",
          components,
          block,
          [block, components, bad_value](std::span<double> values) {
            std::size_t next = 0;
            for (std::int64_t k = block.begin[2]; k < block.end[2]; ++k) {
              for (std::int64_t j = block.begin[1]; j < block.end[1]; ++j) {
                for (std::int64_t i = block.begin[0]; i < block.end[0]; ++i) {
                  for (int c = 0; c < components; ++c) {
                    values[next++] = bad_value != 0.0 && i == 2 && j == 3 && k == 1 ? bad_value : value_at(c, i, j, k);
                  }
                }
              }
            }
          }};
}

/// Blocks of a rank grid that differs with the number of ranks; some ranks have no cells.
Box block_of(const Index3& cells, int rank, int ranks) {
  std::array<int, 3> parts{1, 1, ranks};
  if (ranks == 3) parts = {3, 1, 1};
  if (ranks == 4) parts = {1, 2, 2};
  const std::array<int, 3> place{rank % parts[0], rank / parts[0] % parts[1], rank / (parts[0] * parts[1])};
  Box block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [begin, end] = even_part(cells[axis], parts[axis], place[axis]);
    block.begin[axis] = begin;
    block.end[axis] = end;
  }
  return block;
}

void write_products(const std::filesystem::path& folder, const std::string& mode) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Sample& sample : samples) {
    const GridGeometry grid = geometry(sample);
    const Box block = block_of(sample.cells, rank, ranks);
    const std::vector<Quantity> quantities{quantity("velocity", "m/s", 3, block, 0.0),
                                           quantity("pressure", "m2/s2", 1, block, 0.0),
                                           quantity("stress", "m2/s2", 6, block, 0.0)};
    for (const auto format : {FieldFormat::vtk, FieldFormat::hdf5}) {
      for (const auto precision : {FieldPrecision::float64, FieldPrecision::float32}) {
        // Parts of rows, rows, or all in one call: the file must be the same.
        const std::size_t bytes_per_call = ranks == 1 ? 40 : ranks == 2 ? 1000 : std::size_t{1} << 29;
        const std::string kind = std::string(format == FieldFormat::vtk ? "vtk" : "hdf5") +
                                 (precision == FieldPrecision::float64 ? "64" : "32");
        if (mode == "few" && kind != "vtk64" && kind != "hdf532") continue;
        FieldWriter writer(MPI_COMM_WORLD, folder / (sample.name + "-" + kind), grid, block,
                           {"case & " + sample.name, format, precision, bytes_per_call});
        if (mode == "restart") {
          writer.continue_from(10);
          writer.write(10, 0.1, quantities);
          writer.write(20, 0.2, quantities);
        } else if (mode == "few") {
          writer.write(10, 0.1, quantities);
        } else {
          writer.write(0, 0.0, quantities);
          writer.write(10, 0.1, quantities);
          writer.write(123456789, 1.0 / 3.0, quantities);
        }
      }
    }
  }
  if (mode == "restart") return;

  const Sample& sample = samples[1];
  const GridGeometry grid = geometry(sample);
  const Box block = block_of(sample.cells, rank, ranks);
  std::vector<SliceSettings> slices(3);
  slices[0] = {"velocity", SliceComponent::y, 2, 6.0, {}, "auto", 900, ""};  // in the middle of plane k = 1
  slices[1] = {"velocity", SliceComponent::y, 0, 0.25, std::array<double, 2>{-2e5, 2e5}, "auto", 800, ""};
  slices[2] = {"pressure", SliceComponent::magnitude, 1, 0.25, {}, "magma", 800, ""};
  name_slices(slices);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const SliceSettings& slice : slices) {
    const int components = slice.quantity == "velocity" ? 3 : 1;
    SlicePicture picture(MPI_COMM_WORLD, folder, grid, block, slice);
    picture.write(10, 0.1, quantity(slice.quantity, "m/s", components, block, slice.axis == 2 ? nan : 0.0));
  }
  if (rank == 0) {
    Summary summary{"halyard-flow", "0.1.0", "host", 2, 1, 10, 0.1, 1.5, 2.5, "Mcell/s", 0xabc, "finished", Json()};
    summary.more.set("kernels", Json::array().push({{"name", "pro\"ject"}, {"seconds", 0.1}, {"share", nan}}));
    summary.more.set("ranks_per_axis", Json::array_of(std::vector<int>{1, 2}));
    write_summary(folder / "summary.json", summary);
  }
}

}  // namespace
}  // namespace halyard

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 3) throw halyard::Error("sample_products needs FOLDER all|few|restart.");
    halyard::write_products(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
