// The pair list holds each pair within reach once, and what it lists is addressed as the loops expect.
#include "kernels/md/host/pair_list.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/kernels/md/bricks.hpp"

namespace halyard::md::test {
namespace {

/// i and j by id, image of j: as atom i meets it.
using Meeting = std::tuple<std::int64_t, std::int64_t, std::array<int, 3>>;

/// What every atom of the list meets; a meeting that counts for j too is given from both sides.
std::vector<Meeting> meetings(const Brick& brick, const host::PairList& of) {
  std::vector<Meeting> all;
  const std::int64_t* id = brick.atoms.id.data();
  for (const host::ThreadList& list : of.threads) {
    const auto entry = [&](int slot, const host::ListSegment& segment, std::uint32_t cluster, std::uint32_t mask) {
      for (int l = 0; l < cluster_size; ++l) {
        const std::int64_t i = id[slot], j = id[static_cast<int>(cluster) * cluster_size + l];
        if (i != empty_slot && j != empty_slot && ((mask >> l) & 1U) != 0) {
          const std::array<int, 3> n = host::image_of(segment.image);
          all.emplace_back(i, j, n);
          if (segment.own) {
            all.emplace_back(j, i, std::array<int, 3>{-n[0], -n[1], -n[2]});
          }
        }
      }
    };
    for (int slot = list.first; slot < list.last; ++slot) {
      const auto at = static_cast<std::size_t>(slot - list.first);
      for (std::uint32_t s = list.segments_of[at]; s < list.segments_of[at + 1]; ++s) {
        for (std::uint32_t e = list.segments[s].begin; e < list.segments[s].end; ++e) {
          entry(slot, list.segments[s], list.entries[e], ~0U);
        }
      }
      for (std::uint32_t s = list.masked_segments_of[at]; s < list.masked_segments_of[at + 1]; ++s) {
        for (std::uint32_t e = list.masked_segments[s].begin; e < list.masked_segments[s].end; ++e) {
          entry(slot, list.masked_segments[s], list.masked[e].cluster, list.masked[e].mask);
        }
      }
    }
  }
  return all;
}

void expect_complete(const Sample& sample, const std::vector<std::array<int, 3>>& grids, double reach) {
  std::vector<Vector> x;
  for (const SampleAtom& atom : sample.atoms) {
    x.push_back(atom.x);
  }
  std::set<Meeting> wanted;
  for_all_images(sample.box, x, [&](int i, int j, const std::array<int, 3>& n, const Vector& d) {
    // Just inside: whether a pair at `reach` itself is listed is for rounding to say.
    if (squared(d) < reach * reach * (1.0 - 1e-12)) {
      wanted.emplace(i, j, n);
    }
  });
  for (const std::array<int, 3>& parts : grids) {
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << parts[0] << "x" << parts[1] << "x" << parts[2] << ", " << threads);
      omp_set_num_threads(threads);
      std::set<Meeting> met;
      for (const auto& brick : make_bricks(sample, parts, reach)) {
        EXPECT_EQ(brick->list.threads.size(), static_cast<std::size_t>(threads));
        for (const Meeting& meeting : meetings(*brick, brick->list)) {
          ASSERT_NE(std::tie(std::get<0>(meeting), std::get<2>(meeting)),
                    std::make_tuple(std::get<1>(meeting), std::array<int, 3>{0, 0, 0}))
              << "atom " << std::get<0>(meeting) << " meets itself";
          ASSERT_TRUE(met.insert(meeting).second)
              << std::get<0>(meeting) << " meets " << std::get<1>(meeting) << " twice";
        }
      }
      omp_set_num_threads(1);
      for (const Meeting& meeting : wanted) {
        ASSERT_TRUE(met.count(meeting) == 1)
            << std::get<0>(meeting) << " does not meet " << std::get<1>(meeting) << " over " << std::get<2>(meeting)[0]
            << " " << std::get<2>(meeting)[1] << " " << std::get<2>(meeting)[2];
      }
    }
  }
}

TEST(PairList, HoldsEveryPairWithinReachOnce) {
  const double reach = 1.5;
  const std::vector<std::array<int, 3>> grids{{1, 1, 1}, {2, 1, 1}, {1, 1, 3}, {2, 2, 2}};
  unsigned seed = 0;
  for (const SimulationBox& box :
       {SimulationBox{.length = {4.7, 3.1, 5.3}}, SimulationBox{.origin = {7, -8, 0.1}, .length = {3.0, 3.0, 4.5}},
        SimulationBox{.length = {6.1, 5.2, 4.9}, .xy = 2.9, .xz = -2.8, .yz = 1.9},
        SimulationBox{.length = {6.1, 5.2, 4.9}, .xy = -2.9, .xz = 3.0, .yz = -2.4},
        SimulationBox{.length = {4.7, 3.1, 5.3}, .periodic = {false, true, true}},
        SimulationBox{.length = {3.1, 3.1, 5.3}, .periodic = {false, false, false}}}) {
    for (const int count : {0, 1, 2, 7, 8, 9, 64, 130}) {
      for (const auto place : {anywhere, awkward}) {
        SCOPED_TRACE(testing::Message() << "box " << seed << ", " << count << " atoms");
        const Sample sample = random_sample(box, count, 0.0, 1, ++seed, place);
        // Thin triclinic boxes allow fewer bricks.
        std::vector<std::array<int, 3>> fitting;
        for (const std::array<int, 3>& parts : grids) {
          bool fits = true;
          for (int d = 0; d < 3; ++d) {
            fits = fits && (parts[static_cast<std::size_t>(d)] == 1 ||
                            box.width(d) / parts[static_cast<std::size_t>(d)] >= reach);
          }
          if (fits) {
            fitting.push_back(parts);
          }
        }
        expect_complete(sample, fitting, reach);
      }
    }
  }
}

TEST(PairList, ReachesAcrossTheWholeBox) {
  // Pairs with the next image alone are looked for, so no list may reach further than the box is wide.
  const Sample sample = random_sample({.length = {2.0, 2.2, 2.1}}, 30, 0.0, 1, 5, anywhere);
  expect_complete(sample, {{1, 1, 1}}, 2.0);
}

TEST(PairList, AtomsAtOnePlaceMeetToo) {
  Sample sample{.box = {.length = {4.0, 4.0, 4.0}}, .atoms = {}};
  for (int i = 0; i < 20; ++i) {
    sample.atoms.push_back({.x = {4.0, 0.0, 2.0}});
  }
  expect_complete(sample, {{1, 1, 1}, {2, 2, 2}}, 1.0);
}

TEST(PrunedPairList, HoldsTheEntriesWithANearPairAndNoOther) {
  const double reach = 1.6, near_reach = 1.2;
  const SimulationBox box{.length = {6.1, 5.2, 4.9}, .xy = 2.9, .xz = -2.4, .yz = 1.9};
  Sample sample = random_sample(box, 150, 0.0, 1, 77, awkward);
  shake(sample, 0.2, 0.0, 78);
  const std::vector<Vector> x = positions(sample);
  const auto near = [&](const Meeting& meeting) {
    const auto& [i, j, n] = meeting;
    return squared(displacement(box, x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)], n)) <
           near_reach * near_reach;
  };
  for (const std::array<int, 3>& parts : {std::array<int, 3>{1, 1, 1}, {1, 1, 3}}) {
    for (const int threads : {1, 3}) {
      omp_set_num_threads(threads);
      for (const auto& brick : make_bricks(sample, parts, reach)) {
        host::PairList pruned;
        host::prune_pair_list(brick->atoms, box, brick->list, near_reach, pruned);
        const std::vector<Meeting> all = meetings(*brick, brick->list), kept = meetings(*brick, pruned);
        const std::set<Meeting> of_all(all.begin(), all.end()), of_kept(kept.begin(), kept.end());
        EXPECT_LT(kept.size(), all.size());
        EXPECT_TRUE(std::includes(of_all.begin(), of_all.end(), of_kept.begin(), of_kept.end()));
        for (const Meeting& meeting : all) {
          EXPECT_TRUE(!near(meeting) || of_kept.count(meeting) == 1);
        }
        // An entry is the meetings of one atom with eight others: one of them must be near.
        for (const host::ThreadList& list : pruned.threads) {
          for (int slot = list.first; slot < list.last; ++slot) {
            const auto at = static_cast<std::size_t>(slot - list.first);
            for (std::uint32_t s = list.segments_of[at]; s < list.segments_of[at + 1]; ++s) {
              for (std::uint32_t e = list.segments[s].begin; e < list.segments[s].end; ++e) {
                bool any = false;
                for (int l = 0; l < cluster_size; ++l) {
                  const int j = static_cast<int>(list.entries[e]) * cluster_size + l;
                  any = any || (brick->atoms.id.data()[j] != empty_slot &&
                                near({brick->atoms.id.data()[slot], brick->atoms.id.data()[j],
                                      host::image_of(list.segments[s].image)}));
                }
                ASSERT_TRUE(any) << slot << " " << list.entries[e];
              }
            }
          }
        }
      }
    }
  }
  omp_set_num_threads(1);
}

}  // namespace
}  // namespace halyard::md::test
