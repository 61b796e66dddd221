#include "solvers/parallel/halo_exchange.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/grid/field.hpp"
#include "tests/solvers/parallel/mirrored.hpp"

namespace halyard {
namespace {

constexpr double untouched = -77.0;

/// An array with any number of ghost layers, every element `untouched` at first: `host` is what the test sees, `view`
/// what the exchange works on.
struct Array {
  static constexpr std::int64_t gap = 3;  // behind every row
  std::int64_t pitch, plane;
  test::Mirrored memory;
  View3<double> view, host;

  Array(Queue& queue, const Index3& n, int width)
      : pitch(n[0] + 2 * width + gap),
        plane(pitch * (n[1] + 2 * width)),
        memory(queue, static_cast<std::size_t>(plane * (n[2] + 2 * width)), untouched) {
    const std::int64_t first = width * (plane + pitch + 1);
    view = {memory.device() + first, pitch, plane};
    host = {memory.host().data() + first, pitch, plane};
  }
};

/// Each cell of each field has a value of its own, exact in a double.
double value_of(int field, std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(((field * 100 + k) * 1000 + j) * 1000 + i);
}

/// Global index of ghost `index`, or -1 where there is nothing beyond the end.
std::int64_t wrapped(std::int64_t index, std::int64_t n, bool periodic) {
  if (index >= 0 && index < n) {
    return index;
  }
  return periodic ? ((index % n) + n) % n : -1;
}

struct Setting {
  Index3 cells;
  std::array<bool, 3> periodic;
  RankGrid grid;
  int width;
};

enum class Manner {
  whole,
  in_halves,         // start and finish apart
  one_after_another  // an exchange for each field, with no wait for the queue between
};

/// Fills owned cells and x ghosts, exchanges, then looks at every element of every array.
void check(const Communicator& world, const Setting& setting, const std::vector<Sides>& sides, Manner manner) {
  const Decomposition decomposition(setting.cells, setting.periodic, setting.grid, world.rank());
  const Box block = decomposition.block();
  const int w = setting.width, nx = static_cast<int>(block.extent(0)), ny = static_cast<int>(block.extent(1)),
            nz = static_cast<int>(block.extent(2));
  Queue queue(test::device());
  std::vector<Array> arrays;
  std::vector<HaloField> fields;
  std::vector<View3<double>> views;
  for (std::size_t f = 0; f < sides.size(); ++f) {
    arrays.emplace_back(queue, block.extents(), w);
    fields.push_back({arrays.back().view, sides[f]});
    views.push_back(arrays.back().view);
    for (int k = 0; k < nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
          arrays.back().host(i, j, k) = value_of(static_cast<int>(f), i, block.begin[1] + j, block.begin[2] + k);
        }
      }
    }
  }
  for (Array& array : arrays) {
    array.memory.upload();
  }
  if (setting.periodic[0]) {
    wrap_x(queue, block.extents(), views, w);
  }
  HaloExchange halo(world, decomposition, queue, choose_exchange_path("auto", queue), static_cast<int>(sides.size()),
                    w);
  if (manner == Manner::in_halves) {
    halo.start(fields);
    halo.finish();
  } else if (manner == Manner::one_after_another) {
    for (const HaloField& field : fields) {
      halo.exchange({{field}});
    }
  } else {
    halo.exchange(fields);
  }

  std::int64_t wrong = 0;
  for (Array& array : arrays) {
    array.memory.download();
  }
  for (std::size_t f = 0; f < sides.size(); ++f) {
    for (int k = -w; k < nz + w; ++k) {
      for (int j = -w; j < ny + w; ++j) {
        const Sides needed = (j < 0     ? side::y_lower
                              : j >= ny ? side::y_upper
                                        : 0U) |
                             (k < 0     ? side::z_lower
                              : k >= nz ? side::z_upper
                                        : 0U);
        const std::int64_t gj = wrapped(block.begin[1] + j, setting.cells[1], setting.periodic[1]);
        const std::int64_t gk = wrapped(block.begin[2] + k, setting.cells[2], setting.periodic[2]);
        const bool filled = gj >= 0 && gk >= 0 && (needed & ~sides[f]) == 0;
        for (int i = -w; i < nx + w; ++i) {
          const std::int64_t gi = wrapped(i, setting.cells[0], setting.periodic[0]);
          const double expected = filled && gi >= 0 ? value_of(static_cast<int>(f), gi, gj, gk) : untouched;
          if (arrays[f].host(i, j, k) != expected && wrong++ < 3) {
            ADD_FAILURE() << "field " << f << " at (" << i << ", " << j << ", " << k << "): " << arrays[f].host(i, j, k)
                          << " in place of " << expected;
          }
        }
      }
    }
    for (std::int64_t pad = 0; pad < Array::gap; ++pad) {  // between the last row's ghosts and the end
      wrong += arrays[f].memory.host()[arrays[f].memory.host().size() - 1 - static_cast<std::size_t>(pad)] != untouched;
    }
  }
  EXPECT_EQ(wrong, 0) << "cells " << setting.cells[0] << " x " << setting.cells[1] << " x " << setting.cells[2]
                      << ", periodic " << setting.periodic[0] << setting.periodic[1] << setting.periodic[2] << ", grid "
                      << setting.grid.py << " x " << setting.grid.pz << ", width " << w;
}

/// Every setting that these ranks allow: all grids, all periodic flags.
void for_each_setting(const Communicator& world, const std::vector<Index3>& sizes, int width,
                      const std::function<void(const Setting&)>& act) {
  for (const Index3& cells : sizes) {
    for (int py = 1; py <= world.size(); ++py) {
      const RankGrid grid{py, world.size() / py};
      if (grid.ranks() != world.size()) {
        continue;
      }
      try {
        check_rank_grid(cells, grid, world.size(), width);
      } catch (const Error&) {
        continue;
      }
      for (unsigned flags = 0; flags < 8; ++flags) {
        act({cells, {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0}, grid, width});
      }
    }
  }
}

TEST(HaloExchange, EveryGhostHasItsOwnersValue) {
  const Communicator world;
  for_each_setting(world, {{5, 7, 9}, {1, 13, 7}, {4, 7, 7}, {3, 1, 8}, {3, 8, 1}, {1, 1, 7}}, 1,
                   [&](const Setting& setting) { check(world, setting, {side::all}, Manner::whole); });
}

TEST(HaloExchange, WiderHalos) {
  const Communicator world;
  for (int width = 2; width <= 3; ++width) {
    // Also with fewer cells than ghosts on an axis in one part, which repeat.
    for_each_setting(world, {{5, 14, 15}, {2, 21, 1}, {1, 2, 22}, {2, 1, 1}}, width, [&](const Setting& setting) {
      check(world, setting, {side::all, side::all}, Manner::in_halves);
    });
  }
}

TEST(HaloExchange, SeveralFieldsEachWithItsSides) {
  const Communicator world;
  for_each_setting(world, {{5, 7, 9}}, 1, [&](const Setting& setting) {
    check(world, setting, {side::y_lower, side::z_lower}, Manner::in_halves);   // v and w before a divergence
    check(world, setting, {side::y_upper | side::z_upper}, Manner::in_halves);  // phi before a gradient
    check(world, setting, {side::all, 0U, side::z, side::y}, Manner::whole);
  });
  for (Sides sides = 0; sides < 16; ++sides) {
    for_each_setting(world, {{3, 7, 8}}, 1, [&](const Setting& setting) {
      if (setting.periodic[0]) {
        check(world, setting, {sides}, Manner::whole);
      }
    });
  }
}

// What the last exchange still unpacks must not be overwritten by what the next one receives.
TEST(HaloExchange, ExchangesFollowOneAnother) {
  const Communicator world;
  for_each_setting(world, {{5, 7, 9}, {16, 14, 21}}, 1, [&](const Setting& setting) {
    check(world, setting, {side::all, side::all, side::all}, Manner::one_after_another);
  });
}

TEST(HaloExchange, LaysNoHandOnTheCellsAndAllocatesNothing) {
  const Communicator world;
  Queue queue(test::device());
  const Index3 cells{16, 14, 21};
  const Decomposition decomposition(cells, {true, true, true}, choose_rank_grid(cells, world.size()), world.rank());
  Field u(queue, decomposition.block().extents(), 1, "u"), v(queue, decomposition.block().extents(), 1, "v");
  HaloExchange halo(world, decomposition, queue, choose_exchange_path("auto", queue), 2);
  const std::vector<HaloField> fields{{u.view(), side::all}, {v.view(), side::y}};
  halo.exchange(fields);
  const PoolStatistics before = pool_statistics();
  for (int step = 0; step < 10; ++step) {
    halo.exchange(fields);
    halo.exchange({{u.view(), side::z_upper}});
  }
  const PoolStatistics after = pool_statistics();
  EXPECT_EQ(after.requests, before.requests);
  EXPECT_EQ(after.system_allocations, before.system_allocations);
}

TEST(HaloExchange, RefusesMisuse) {
  const Communicator world;
  Queue queue;
  const Index3 cells{4, 14, 21};
  const Decomposition decomposition(cells, {true, true, true}, choose_rank_grid(cells, world.size()), world.rank());
  Field u(queue, decomposition.block().extents(), 1, "u");
  HaloExchange halo(world, decomposition, queue, ExchangePath::direct, 1);
  EXPECT_THROW(halo.exchange({{u.view()}, {u.view()}}), Error);
  halo.start(std::vector<HaloField>{{u.view()}});
  EXPECT_THROW(halo.start(std::vector<HaloField>{{u.view()}}), Error);
  halo.finish();
  if (world.size() > 1) {
    // Fewer layers than ghosts in a split axis.
    const Decomposition thin({4, 1, 2 * world.size()}, {true, true, true}, {1, world.size()}, world.rank());
    EXPECT_THROW(HaloExchange(world, thin, queue, ExchangePath::direct, 1, 3), Error);
  }
}

TEST(HaloExchange, DescriptionSaysPathAndSpeed) {
  const Communicator world;
  Queue queue;
  const Index3 cells{32, 28, 21};
  const Decomposition decomposition(cells, {true, true, true}, choose_rank_grid(cells, world.size()), world.rank());
  HaloExchange halo(world, decomposition, queue, choose_exchange_path("auto", queue), 3);
  const std::string text = halo.description();
  if (world.size() == 1) {
    EXPECT_EQ(text, "copies inside the rank, no messages");
  } else {
    EXPECT_EQ(text.find("host memory handed to MPI, up to "), 0U) << text;
    EXPECT_NE(text.find("us latency"), std::string::npos) << text;
  }
  EXPECT_EQ(choose_exchange_path("staged", queue), ExchangePath::direct);  // nothing to stage on the host
  try {
    choose_exchange_path("fast", queue);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "parallel.exchange = \"fast\": allowed are \"auto\", \"mpi\", \"staged\"");
  }
}

}  // namespace
}  // namespace halyard
