#pragma once
// A system of atoms cut in bricks inside one process, ghosts by brute force: what the pair list and the loops over it
// are given on each rank, without ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "kernels/md/cluster_zone.hpp"
#include "kernels/md/force_totals.hpp"
#include "kernels/md/host/pair_list.hpp"
#include "kernels/md/virial.hpp"

namespace halyard::md::test {

using Vector = std::array<double, 3>;

struct SampleAtom {
  Vector x{};  // at which the list is built, inside the box along its periodic edges
  int type = 0;
  Vector moved{};  // since then
  Vector now() const { return {x[0] + moved[0], x[1] + moved[1], x[2] + moved[2]}; }
};

struct Sample {
  SimulationBox box;  // when the list is built
  std::vector<SampleAtom> atoms;
};

/// x_i - x_j + S of the image n of j, rounded as the loops round it: S = -lattice_vector(n).
inline Vector displacement(const SimulationBox& box, const Vector& xi, const Vector& xj, const std::array<int, 3>& n) {
  const Vector shift = box.lattice_vector(n);
  Vector d;
  for (std::size_t a = 0; a < 3; ++a) {
    d[a] = xi[a] - xj[a];
    if (n != std::array<int, 3>{0, 0, 0}) {
      d[a] += -shift[a];
    }
  }
  return d;
}
inline double squared(const Vector& d) { return std::fma(d[0], d[0], std::fma(d[1], d[1], d[2] * d[2])); }

/// Calls use(i, j, n, d) for every ordered pair of atoms and every image n of j up to `edges` away, itself excepted.
template <class Use>
void for_all_images(const SimulationBox& box, const std::vector<Vector>& x, Use use, int edges = 2) {
  std::array<int, 3> reach{};
  for (std::size_t d = 0; d < 3; ++d) {
    reach[d] = box.periodic[d] ? edges : 0;
  }
  const int count = static_cast<int>(x.size());
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      for (int nz = -reach[2]; nz <= reach[2]; ++nz) {
        for (int ny = -reach[1]; ny <= reach[1]; ++ny) {
          for (int nx = -reach[0]; nx <= reach[0]; ++nx) {
            const std::array<int, 3> n{nx, ny, nz};
            if (i != j || n != std::array<int, 3>{0, 0, 0}) {
              use(i, j, n, displacement(box, x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)], n));
            }
          }
        }
      }
    }
  }
}

inline std::vector<Vector> positions(const Sample& sample) {
  std::vector<Vector> x;
  for (const SampleAtom& atom : sample.atoms) {
    x.push_back(atom.now());
  }
  return x;
}

/// Up to `count` atoms at random, no two images nearer than `nearest`: where along an edge, decides `place`.
inline Sample random_sample(const SimulationBox& box, int count, double nearest, int types, unsigned seed,
                            const std::function<double(std::mt19937_64&, int axis)>& place) {
  Sample sample{.box = box, .atoms = {}};
  std::mt19937_64 random(seed);
  std::vector<Vector> x;
  for (int attempt = 0; attempt < 40 * count && static_cast<int>(x.size()) < count; ++attempt) {
    const Vector f{place(random, 0), place(random, 1), place(random, 2)};
    const Vector at = box.position(f);
    bool free = true;
    std::vector<Vector> two{at, at};
    for (std::size_t k = 0; k < x.size() && free; ++k) {
      two[1] = x[k];
      for_all_images(
          box, two,
          [&](int i, int j, const std::array<int, 3>&, const Vector& d) {
            free = free && (i == j || squared(d) >= nearest * nearest);
          },
          1);
    }
    if (free) {
      x.push_back(at);
      sample.atoms.push_back({.x = at, .type = static_cast<int>(random() % static_cast<unsigned>(types))});
    }
  }
  return sample;
}

inline double anywhere(std::mt19937_64& random, int) {
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}

/// On a face, one unit in the last place beside it, on a cut of two, three or four bricks; or anywhere.
inline double awkward(std::mt19937_64& random, int) {
  const double special[] = {0.0,       std::nextafter(0.0, 1.0),
                            0x1p-60,   std::nextafter(1.0, 0.0),
                            1.0,       0.5,
                            1.0 / 3.0, std::nextafter(0.5, 0.0),
                            0.25,      2.0 / 3.0};
  const unsigned choice = static_cast<unsigned>(random() % 20);
  return choice < 10 ? special[choice] : anywhere(random, 0);
}

/// Displaces every atom by up to `most` in any direction, so that no two images come nearer than `nearest`.
inline void shake(Sample& sample, double most, double nearest, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  std::vector<Vector> x = positions(sample);
  for (std::size_t i = 0; i < x.size(); ++i) {
    SampleAtom& atom = sample.atoms[i];
    for (int attempt = 0; attempt < 20; ++attempt) {
      Vector d{u(random), u(random), u(random)};
      const double length = std::sqrt(squared(d));
      for (std::size_t a = 0; a < 3; ++a) {
        d[a] *= most / std::max(length, 1.0);
      }
      SampleAtom moved = atom;
      moved.moved = d;
      bool free = true;
      for (std::size_t j = 0; j < x.size() && free; ++j) {
        std::vector<Vector> two{moved.now(), x[j]};
        for_all_images(
            sample.box, two,
            [&](int first, int second, const std::array<int, 3>&, const Vector& gap) {
              free = free && (j == i || first == second || squared(gap) >= nearest * nearest);
            },
            1);
      }
      if (free) {
        atom = moved;
        x[i] = atom.now();
        break;
      }
    }
  }
}

/// What one rank of a grid of bricks holds.
struct Brick {
  Queue queue;
  Atoms atoms{queue};
  std::vector<ClusterZone> zones;
  std::array<bool, 3> self_images{};
  host::PairList list;

  Brick(const Sample& sample, const std::array<int, 3>& parts, const std::array<int, 3>& place, double reach,
        const std::map<int, std::vector<int>>& excluded = {}) {
    const SimulationBox& box = sample.box;
    Vector fraction_reach;
    for (int d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(d);
      fraction_reach[a] = reach / box.width(d) + 1e-9;
      self_images[a] = box.periodic[a] && parts[a] == 1;
    }
    const auto part_of = [&](double f, std::size_t a) {
      return std::clamp(static_cast<int>(std::floor(f * parts[a])), 0, parts[a] - 1);
    };
    std::vector<int> owned;
    std::map<int, std::vector<int>> ghosts;  // by image
    for (int i = 0; i < static_cast<int>(sample.atoms.size()); ++i) {
      const Vector f = box.fraction(sample.atoms[static_cast<std::size_t>(i)].x);
      for (int n = 0; n < host::image_count; ++n) {
        const std::array<int, 3> image = host::image_of(n);
        bool mine = image == std::array<int, 3>{0, 0, 0}, near = true;
        for (std::size_t a = 0; a < 3; ++a) {
          mine = mine && part_of(f[a], a) == place[a];
          near = near && (image[a] == 0 || (box.periodic[a] && parts[a] > 1));
          if (parts[a] > 1) {
            const double at = f[a] + image[a];
            near = near && at >= static_cast<double>(place[a]) / parts[a] - fraction_reach[a] &&
                   at <= static_cast<double>(place[a] + 1) / parts[a] + fraction_reach[a];
          }
        }
        if (mine) {
          owned.push_back(i);
        } else if (near) {
          ghosts[n].push_back(i);
        }
      }
    }
    const double spacing = column_spacing(static_cast<double>(sample.atoms.size()), box.volume());
    std::vector<int> atom_of_slot;
    const auto add_zone = [&](const std::vector<int>& members, const std::array<int, 3>& image) {
      std::array<std::vector<double>, 3> fraction;
      for (const int i : members) {
        const Vector f = box.fraction(sample.atoms[static_cast<std::size_t>(i)].x);
        for (std::size_t a = 0; a < 3; ++a) {
          fraction[a].push_back(f[a]);
        }
      }
      ClusterOrder order;
      arrange_in_clusters(box, {fraction[0], fraction[1], fraction[2]}, spacing, order);
      order.zone.image = image;
      order.zone.first_cluster = static_cast<int>(atom_of_slot.size()) / cluster_size;
      for (const std::int32_t a : order.atom) {
        atom_of_slot.push_back(a < 0 ? -1 : members[static_cast<std::size_t>(a)]);
      }
      zones.push_back(order.zone);
    };
    add_zone(owned, {0, 0, 0});
    const auto owned_slots = static_cast<int>(atom_of_slot.size());
    for (const auto& [n, members] : ghosts) {
      if (!members.empty()) {
        add_zone(members, host::image_of(n));
      }
    }
    atoms.reserve(static_cast<int>(atom_of_slot.size()));
    atoms.owned_slots = owned_slots;
    atoms.slots = static_cast<int>(atom_of_slot.size());
    atoms.owned = static_cast<std::int64_t>(owned.size());
    for (int s = 0; s < atoms.slots; ++s) {
      const int i = atom_of_slot[static_cast<std::size_t>(s)];
      atoms.id.data()[s] = i < 0 ? empty_slot : i;
      atoms.type.data()[s] = i < 0 ? 0 : sample.atoms[static_cast<std::size_t>(i)].type;
      for (std::size_t a = 0; a < 3; ++a) {
        const SampleAtom none{};
        const SampleAtom& atom = i < 0 ? none : sample.atoms[static_cast<std::size_t>(i)];
        atoms.reference[a].data()[s] = i < 0 ? empty_position(s) : atom.x[a];
        atoms.x[a].data()[s] = i < 0 ? empty_position(s) : atom.now()[a];
        atoms.force[a].data()[s] = 0;
      }
    }
    Exclusions exclusions;
    if (!excluded.empty()) {
      exclusions.start.push_back(0);
      for (int s = 0; s < owned_slots; ++s) {
        const auto found = excluded.find(atom_of_slot[static_cast<std::size_t>(s)]);
        if (found != excluded.end()) {
          exclusions.ids.insert(exclusions.ids.end(), found->second.begin(), found->second.end());
        }
        exclusions.start.push_back(static_cast<std::int32_t>(exclusions.ids.size()));
      }
    }
    host::build_pair_list(atoms, box, zones, self_images, reach, exclusions, list);
  }
};

/// All bricks of a sample.
inline std::vector<std::unique_ptr<Brick>> make_bricks(const Sample& sample, const std::array<int, 3>& parts,
                                                       double reach,
                                                       const std::map<int, std::vector<int>>& excluded = {}) {
  std::vector<std::unique_ptr<Brick>> bricks;
  for (int k = 0; k < parts[2]; ++k) {
    for (int j = 0; j < parts[1]; ++j) {
      for (int i = 0; i < parts[0]; ++i) {
        bricks.push_back(std::make_unique<Brick>(sample, parts, std::array<int, 3>{i, j, k}, reach, excluded));
      }
    }
  }
  return bricks;
}

/// Forces by atom, and totals over all bricks, as whole numbers.
struct Forces {
  std::vector<std::array<std::int64_t, 3>> force;  // [force_unit]
  std::array<Wide, energy_term_count> energy2{};
  /// Of an image less that of the opposite one: a pair counts under either, as the bricks happen to lie.
  std::array<std::array<std::int64_t, 3>, host::image_count / 2> shift_force2{};
  std::array<Wide, 6> products{};
  bool overlap = false;

  void add(Brick& brick, const ForceTotals& totals) {
    for (int s = 0; s < brick.atoms.owned_slots; ++s) {
      const std::int64_t id = brick.atoms.id.data()[s];
      if (id != empty_slot) {
        for (std::size_t a = 0; a < 3; ++a) {
          force[static_cast<std::size_t>(id)][a] = brick.atoms.force[a].data()[s];
        }
      }
    }
    for (std::size_t t = 0; t < energy_term_count; ++t) {
      energy2[t] += totals.energy2[t];
    }
    for (std::size_t n = 0; n < shift_force2.size(); ++n) {
      for (std::size_t a = 0; a < 3; ++a) {
        shift_force2[n][a] += totals.shift_force2[n][a] - totals.shift_force2[host::image_count - 1 - n][a];
      }
    }
    const std::array<Wide, 6> here = position_force_sum(brick.queue, brick.atoms);
    for (std::size_t c = 0; c < 6; ++c) {
      products[c] += here[c];
    }
    overlap = overlap || totals.overlap;
  }
  double energy(EnergyTerm term) const {
    return 0.5 * energy_unit * static_cast<double>(energy2[static_cast<std::size_t>(term)]);
  }
  /// sum over pairs of d_a F_b, in the order xx, yy, zz, xy, xz, yz.
  std::array<double, 6> virial(const SimulationBox& box) const {
    constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
    std::array<double, 6> w{};
    for (std::size_t c = 0; c < 6; ++c) {
      w[c] = virial_unit * static_cast<double>(products[c]);
      for (int n = 0; n < host::image_count / 2; ++n) {
        w[c] -= box.lattice_vector(host::image_of(n))[first[c]] *
                (0.5 * force_unit * static_cast<double>(shift_force2[static_cast<std::size_t>(n)][second[c]]));
      }
    }
    return w;
  }
  bool operator==(const Forces&) const = default;
};

/// The box and positions under the strain e of component c (xx, yy, zz, xy, xz, yz): x_a += e x_b.
inline SimulationBox strained(SimulationBox box, std::size_t c, double e) {
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  box.origin[first[c]] += e * box.origin[second[c]];
  const SimulationBox old = box;
  switch (c) {
    case 0:
      box.length[0] += e * old.length[0];
      box.xy += e * old.xy;
      box.xz += e * old.xz;
      break;
    case 1:
      box.length[1] += e * old.length[1];
      box.yz += e * old.yz;
      break;
    case 2:
      box.length[2] += e * old.length[2];
      break;
    case 3:
      box.xy += e * old.length[1];
      box.xz += e * old.yz;
      break;
    case 4:
      box.xz += e * old.length[2];
      break;
    default:
      box.yz += e * old.length[2];
  }
  return box;
}
inline std::vector<Vector> strained(std::vector<Vector> x, std::size_t c, double e) {
  constexpr std::array<std::size_t, 6> first{0, 1, 2, 0, 0, 1}, second{0, 1, 2, 1, 2, 2};
  for (Vector& at : x) {
    at[first[c]] += e * at[second[c]];
  }
  return x;
}

/// The slope at zero by differences of fourth order.
template <class Function>
double slope_at_zero(Function f, double h) {
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

}  // namespace halyard::md::test
