#include "io/results/particle_frame.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

ParticleUnits particle_units(const std::string& system) {
  if (system == "lj") return {};
  if (system == "metal") return {"Angstrom", "ps", "Angstrom ps-1", "eV Angstrom-1", "u"};
  if (system == "real") return {"Angstrom", "fs", "Angstrom fs-1", "kcal mol-1 Angstrom-1", "u"};
  throw Error("Units \"" + system + "\" are not known; there are lj, metal, real.");
}

namespace {

/// Multiplies and shifts until every input bit reaches every output bit (splitmix64's finisher).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void check_block(const ParticleFrame& frame, const ParticleDescription& description, bool forces) {
  if (description.species.empty() || description.species.size() != description.mass.size()) {
    throw Error(
        fmt::format("The description of the atoms has {} species and {} masses, but must have one of each a type.",
                    description.species.size(), description.mass.size()));
  }
  if (frame.begin < 0 || frame.end < frame.begin || frame.end > frame.count) {
    throw Error(fmt::format("A rank's atoms {} to {} lie outside 0 to {}.", frame.begin, frame.end, frame.count));
  }
  const auto n = static_cast<std::size_t>(frame.end - frame.begin);
  const auto want = [&](const char* name, std::size_t found, std::size_t per_atom) {
    if (found != per_atom * n) {
      throw Error(fmt::format("The array {} of a rank's {} atoms has {} values, but must have {}.", name, n, found,
                              per_atom * n));
    }
  };
  want("id", frame.id.size(), 1);
  want("type", frame.type.size(), 1);
  want("position", frame.position.size(), 3);
  want("image", frame.image.size(), 3);
  want("velocity", frame.velocity.size(), 3);
  if (forces) want("force", frame.force.size(), 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (frame.type[i] < 0 || static_cast<std::size_t>(frame.type[i]) >= description.species.size()) {
      throw Error(fmt::format("Atom {} has type {}, but types go from 0 to {}.", frame.id[i], frame.type[i],
                              description.species.size() - 1));
    }
  }
}

}  // namespace

void check_frame(MPI_Comm comm, const ParticleFrame& frame, const ParticleDescription& description, bool forces) {
  all_ranks(comm, [&] { check_block(frame, description, forces); });
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  constexpr std::size_t words = 17;
  const md::SimulationBox& box = frame.box;
  std::array<std::int64_t, words> mine{frame.begin, frame.end, frame.count, frame.step};
  std::size_t place = 4;
  for (const double value : {frame.time, box.origin[0], box.origin[1], box.origin[2], box.length[0], box.length[1],
                             box.length[2], box.xy, box.xz, box.yz}) {
    mine[place++] = std::bit_cast<std::int64_t>(value);
  }
  for (const bool periodic : box.periodic) mine[place++] = periodic ? 1 : 0;
  std::vector<std::array<std::int64_t, words>> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(mine.data(), words, MPI_INT64_T, all.data(), words, MPI_INT64_T, comm);
  // Every rank has the same list, so all throw or none.
  for (const auto& other : all) {
    if (!std::equal(other.begin() + 2, other.end(), all[0].begin() + 2)) {
      throw Error(
          fmt::format("Ranks give frames of step {} that differ in step, time, box or number of atoms.", frame.step));
    }
  }
  std::sort(all.begin(), all.end());
  std::int64_t reached = 0;
  for (const auto& block : all) {
    const std::int64_t begin = block[0], end = block[1];
    if (begin == end) continue;
    if (begin != reached) {
      throw Error(fmt::format("The ranks' atoms do not tile 0 to {}: a block begins at {} where {} was reached.",
                              frame.count, begin, reached));
    }
    reached = end;
  }
  if (reached != frame.count) {
    throw Error(fmt::format("The ranks' atoms do not tile 0 to {}: they end at {}.", frame.count, reached));
  }
}

std::uint64_t particle_identity(MPI_Comm comm, const ParticleFrame& frame) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    const auto index = static_cast<std::uint64_t>(frame.begin) + i;
    sum +=
        mix(mix(mix(index + 1) ^ static_cast<std::uint64_t>(frame.id[i])) ^ static_cast<std::uint64_t>(frame.type[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace halyard
