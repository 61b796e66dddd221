#include "io/hdf5/hdf5.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/hdf5/together.hpp"
#include "kernels/device/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace halyard::hdf5 {
namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

class Hdf5Test : public ScratchFolder {};

constexpr Index3 cells{7, 5, 3};

double value_at(std::int64_t c, std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(c) + 10.0 * static_cast<double>(i) + 1000.0 * static_cast<double>(j) +
         1e5 * static_cast<double>(k) + 1.0 / 3.0;
}

/// Blocks by z on this test's rank counts: some ranks have none where there are more ranks than planes.
Box block_by_z() {
  const auto [begin, end] = even_part(cells[2], ranks_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD));
  return {{0, 0, begin}, {cells[0], cells[1], end}};
}
Box block_by_x() {
  const auto [begin, end] = even_part(cells[0], ranks_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD));
  return {{begin, 0, 0}, {end, cells[1], cells[2]}};
}

template <class T>
std::vector<T> values_of(const Box& box, int components) {
  std::vector<T> values;
  for (std::int64_t k = box.begin[2]; k < box.end[2]; ++k) {
    for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j) {
      for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i) {
        for (int c = 0; c < components; ++c) values.push_back(static_cast<T>(value_at(c, i, j, k)));
      }
    }
  }
  return values;
}

/// Runs and returns the text of the halyard::Error thrown; empty where none is.
template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_F(Hdf5Test, BlocksWrittenOneWayAreReadAnother) {
  // Parts of rows, rows, planes, all at once; fewer on more ranks than a machine may have cores.
  const bool few = ranks_of(MPI_COMM_WORLD) > 2;
  const std::vector<std::size_t> limits =
      few ? std::vector<std::size_t>{200, 1 << 29} : std::vector<std::size_t>{48, 200, 900, 1 << 29};
  for (const std::size_t limit : limits) {
    const std::filesystem::path path = folder() / "blocks.h5";
    const FileOptions options{limit, {}};
    {
      File file(path, Mode::replace, MPI_COMM_WORLD, options);
      Dataset scalar = file.create_dataset("p", Type::float64, cells);
      scalar.write(block_by_z(), values_of<double>(block_by_z(), 1));
      Dataset vector = file.create_group("a/b").create_dataset("u", Type::float64, cells, 3);
      vector.write(block_by_x(), values_of<double>(block_by_x(), 3), 3);
      Dataset ids = file.create_dataset("ids", Type::int64, cells);
      ids.write(block_by_z(), values_of<std::int64_t>(block_by_z(), 1));
      Dataset narrow = file.create_dataset("narrow", Type::float32, cells, 2);
      narrow.write(block_by_x(), values_of<float>(block_by_x(), 2), 2);
    }
    {
      const File file(path, Mode::read, MPI_COMM_WORLD, options);
      std::vector<double> u(static_cast<std::size_t>(3 * block_by_z().count()));
      file.open_dataset("a/b/u").read(block_by_z(), u, 3);
      EXPECT_EQ(u, values_of<double>(block_by_z(), 3)) << "limit " << limit;
      std::vector<std::int64_t> ids(static_cast<std::size_t>(block_by_x().count()));
      file.open_dataset("ids").read(block_by_x(), ids);
      EXPECT_EQ(ids, values_of<std::int64_t>(block_by_x(), 1)) << "limit " << limit;
    }
    const File alone(path, Mode::read, options);
    const Box whole{{0, 0, 0}, cells};
    std::vector<double> p(static_cast<std::size_t>(whole.count()));
    alone.open_dataset("p").read_whole(p);
    EXPECT_EQ(p, values_of<double>(whole, 1)) << "limit " << limit;
    std::vector<float> narrow(static_cast<std::size_t>(2 * whole.count()));
    alone.open_dataset("narrow").read(whole, narrow, 2);
    EXPECT_EQ(narrow, values_of<float>(whole, 2)) << "limit " << limit;
    EXPECT_EQ(alone.open_dataset("narrow").type(), Type::float32);
    EXPECT_EQ(alone.open_dataset("a/b/u").dimensions(), (std::vector<std::int64_t>{3, 5, 7, 3}));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(Hdf5Test, RowsAndPlanesOfInt32AndSecondNames) {
  const auto [begin, end] = even_part(7, ranks_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD));
  const std::int64_t line[] = {7}, plane[] = {5, 7};
  {
    File file(folder() / "rows.h5", Mode::create, MPI_COMM_WORLD, {8, {}});
    std::vector<std::int32_t> values;
    for (std::int64_t i = begin; i < end; ++i) values.push_back(static_cast<std::int32_t>(10 * i - 20));
    file.create_dataset("a/line", Type::int32, line).write({{begin, 0, 0}, {end, 1, 1}}, values);
    file.create_dataset("a/plane", Type::int32, plane).write({{begin, 3, 0}, {end, 4, 1}}, values);
    file.link("a/line", "b/again");
    file.close();
  }
  const File file(folder() / "rows.h5", Mode::read);
  std::vector<std::int32_t> all(7);
  const std::vector<std::int32_t> expected{-20, -10, 0, 10, 20, 30, 40};
  file.open_dataset("b/again").read({{0, 0, 0}, {7, 1, 1}}, all);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(file.open_dataset("b/again").type(), Type::int32);
  file.open_dataset("a/plane").read({{0, 3, 0}, {7, 4, 1}}, all);
  EXPECT_EQ(all, expected);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(Hdf5Test, AVirtualDatasetShowsTheFirstRowsOfAnotherFileAlsoAfterBothMoved) {
  const std::int64_t part[] = {2, 3}, whole[] = {4, 3};
  const std::filesystem::path here = folder() / std::to_string(rank());
  std::filesystem::create_directory(here);
  {
    File source(here / "source", Mode::create);
    source.create_dataset("v", Type::float64, whole)
        .write_whole(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0});
    source.close();
    File file(here / "view.h5", Mode::create);
    file.create_virtual_dataset("v", Type::float64, part, "source", "v", whole);
    const std::vector<std::string> names{"a", "bcd"};
    file.set_variable_attribute("names", names);
    file.set_variable_attribute("unit", "Angstrom ps-1");
    file.close();
  }
  const std::filesystem::path there = folder() / ("moved" + std::to_string(rank()));
  std::filesystem::rename(here, there);
  std::vector<double> values(6);
  {
    const File file(there / "view.h5", Mode::read);
    EXPECT_TRUE(file.open_dataset("v").is_virtual());
    EXPECT_EQ(file.string_attribute("unit"), "Angstrom ps-1");
    file.open_dataset("v").read_whole(values);
  }
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  std::filesystem::remove(there / "source");
  const File file(there / "view.h5", Mode::read);
  file.open_dataset("v").read_whole(values);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[5]));
}

TEST_F(Hdf5Test, AttributesAndWholeArraysComeBack) {
  const std::filesystem::path path = folder() / "attributes.h5";
  const std::vector<double> line{0.1, 0.2, 1.0 / 3.0};
  {
    File file(path, Mode::create, MPI_COMM_WORLD, {8, {}});
    file.set_attribute("title", "Taylor-Green, \xce\xbd = 1/1600");
    file.set_attribute("title", "second \xce\xbd");
    file.set_attribute("empty", "");
    file.set_attribute("time", 0.1);
    file.set_attribute("step", std::int64_t{1} << 40);
    file.set_attribute("list", std::span<const double>(line));
    const std::vector<std::int64_t> shape{7, 5, 3};
    file.set_attribute("shape", std::span<const std::int64_t>(shape));
    const std::int64_t n = 3;
    file.create_dataset("line", Type::float64, {&n, 1}).write_whole(line);
    file.create_dataset("scalar", Type::float64, std::span<const std::int64_t>()).write_whole({line.data(), 1});
    EXPECT_TRUE(file.has("line"));
    EXPECT_FALSE(file.has("group/line"));
    EXPECT_EQ(file.names(), (std::vector<std::string>{"line", "scalar"}));
    file.flush();
    file.close();
  }
  for (const bool together : {true, false}) {
    const File file = together ? File(path, Mode::read, MPI_COMM_WORLD) : File(path, Mode::read);
    EXPECT_EQ(file.string_attribute("title"), "second \xce\xbd");
    EXPECT_EQ(file.string_attribute("empty"), "");
    EXPECT_EQ(file.double_attribute("time"), 0.1);
    EXPECT_EQ(file.double_attribute("step"), 1099511627776.0);
    EXPECT_EQ(file.int64_attribute("step"), std::int64_t{1} << 40);
    EXPECT_EQ(file.doubles_attribute("list"), line);
    EXPECT_EQ(file.int64s_attribute("shape"), (std::vector<std::int64_t>{7, 5, 3}));
    std::vector<double> back(3);
    file.open_dataset("line").read_whole(back);
    EXPECT_EQ(back, line);
    back.resize(1);
    file.open_dataset("scalar").read_whole(back);
    EXPECT_EQ(back[0], 0.1);
    EXPECT_NE(error_of([&] {
                file.int64_attribute("time");
              }).find("attribute time of " + path.string() + ":/ is not an integer"),
              std::string::npos);
    EXPECT_NE(error_of([&] { file.string_attribute("none"); }).find("has no attribute none"), std::string::npos);
  }
}

TEST_F(Hdf5Test, FailuresAreToldInWordsOnEveryRank) {
  const std::filesystem::path path = folder() / "there.h5";
  File(path, Mode::create, MPI_COMM_WORLD).close();
  EXPECT_EQ(error_of([&] { File(path, Mode::create, MPI_COMM_WORLD); }),
            path.string() + " exists already and is not overwritten.");
  EXPECT_EQ(error_of([&] { File(folder() / "missing.h5", Mode::read, MPI_COMM_WORLD); }),
            (folder() / "missing.h5").string() + " cannot be opened: no such file or directory.");
  EXPECT_EQ(error_of([&] { File(folder() / "no" / "x.h5", Mode::create, MPI_COMM_WORLD); }),
            (folder() / "no" / "x.h5").string() + " cannot be created: No such file or directory.");
  if (rank_of(MPI_COMM_WORLD) == 0) std::ofstream(folder() / "text.h5") << "not HDF5";
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_NE(error_of([&] { File(folder() / "text.h5", Mode::read, MPI_COMM_WORLD); }).find("file signature not found"),
            std::string::npos);
  File file(path, Mode::read_write, MPI_COMM_WORLD);
  EXPECT_NE(error_of([&] { file.open_dataset("p"); }).find("HDF5 cannot open dataset " + path.string() + ":/p"),
            std::string::npos);
  Dataset p = file.create_dataset("p", Type::float64, cells);
  const int last = ranks_of(MPI_COMM_WORLD) - 1;
  const Box outside{{0, 0, 0}, {8, 1, 1}};
  const Box box = rank_of(MPI_COMM_WORLD) == last ? outside : Box{};
  EXPECT_NE(error_of([&] { p.write(box, values_of<double>(box, 1)); }).find("cells 0 to 8 of axis x lie outside its 7"),
            std::string::npos);
  EXPECT_NE(error_of([&] { p.write(Box{}, std::span<const double>(), 2); }).find("2 component(s)"), std::string::npos);
}

TEST_F(Hdf5Test, AWriteThatFailsIsAnErrorAndTheProcessGoesOn) {
  // Files end at 4096 bytes for every rank, as on a full disk but for the system's word.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const Index3 many{64, 8, 8};
  const auto [begin, end] = even_part(many[2], ranks_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD));
  const Box box{{0, 0, begin}, {many[0], many[1], end}};
  const std::vector<double> values(static_cast<std::size_t>(box.count()), 1.0);
  const auto write = [&](const std::filesystem::path& path) {
    File file(path, Mode::create, MPI_COMM_WORLD);
    file.create_dataset("p", Type::float64, many).write(box, values);
    file.flush();
    file.close();
  };
  rlimit small = before;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error_of([&] { write(folder() / "full.h5"); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(text.find((folder() / "full.h5").string()), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { write(folder() / "next.h5"); }), "");
}

TEST(ThrowTogether, TheLowestRanksTextOnEveryRank) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  EXPECT_EQ(error_of([&] { throw_together(MPI_COMM_WORLD, ""); }), "");
  const int rank = rank_of(MPI_COMM_WORLD);
  const std::string mine = rank >= ranks / 2 ? "rank " + std::to_string(rank) + " failed." : "";
  EXPECT_EQ(error_of([&] { throw_together(MPI_COMM_WORLD, mine); }), "rank " + std::to_string(ranks / 2) + " failed.");
}

}  // namespace
}  // namespace halyard::hdf5
