#include "solvers/md/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/md/external/unwrapped.hpp"
#include "solvers/md/dynamics.hpp"
#include "solvers/parallel/record_exchange.hpp"

namespace halyard::md {

namespace {

constexpr auto by_id = [](const Groups::Member& a, const Groups::Member& b) { return a.id < b.id; };

/// The member of this id in a list in the order of ids; null where there is none.
const Groups::Member* find(std::span<const Groups::Member> members, std::int64_t id) {
  Groups::Member wanted;
  wanted.id = id;
  const auto at = std::lower_bound(members.begin(), members.end(), wanted, by_id);
  return at != members.end() && at->id == id ? &*at : nullptr;
}

bool has_type(const GroupSettings& g, std::int32_t type) {
  return g.types.empty() || std::find(g.types.begin(), g.types.end(), type + 1) != g.types.end();
}

bool has_id(const GroupSettings& g, std::int64_t id) {
  return g.ids.empty() ||
         std::any_of(g.ids.begin(), g.ids.end(), [id](const auto& s) { return s[0] <= id && id <= s[1]; });
}

/// As Unwrapped has it, so that an atom that has not moved is where it was to the last bit.
std::array<double, 3> unwrapped(const SimulationBox& box, AtomRecord& record) {
  const SlotVector<const double> x{{&record.x[0]}, {&record.x[1]}, {&record.x[2]}};
  const SlotVector<const std::int32_t> image{{&record.image[0]}, {&record.image[1]}, {&record.image[2]}};
  const Unwrapped::Point at = Unwrapped(box, x, image)(0);
  return {at.x, at.y, at.z};
}

}  // namespace

Groups::Groups(const Communicator& comm, const std::vector<GroupSettings>& settings, const System& system,
               const CaseSchema& schema, bool anchors)
    : anchors_(anchors) {
  for (const GroupSettings& g : settings) {
    names_.push_back(g.name);
    for (const std::int64_t type : g.types) {
      if (type > static_cast<std::int64_t>(system.masses.size())) {
        throw schema.error("group", fmt::format("number {} (\"{}\") has the type {}; there are {}.", names_.size(),
                                                g.name, type, system.masses.size()));
      }
    }
  }
  for (std::size_t g = 0; g < settings.size() && system.count > 0; ++g) {
    const std::int64_t last = system.user_id(system.count - 1);
    for (const std::array<std::int64_t, 2>& stretch : settings[g].ids) {
      if (stretch[0] > last) {
        throw schema.error("group",
                           fmt::format("number {} (\"{}\") has ids from {} to {}; the last atom has the id {}.", g + 1,
                                       settings[g].name, stretch[0], stretch[1], last));
      }
    }
  }
  if (!any()) {
    return;
  }
  // How many atoms pass the first selection, the first two, all three, and are of no group to be left out.
  constexpr std::size_t tests = 4;
  std::vector<std::int64_t> passed(tests * settings.size(), 0);
  std::vector<std::uint32_t> without;
  for (const GroupSettings& g : settings) {
    std::uint32_t& mask = without.emplace_back(0);
    for (const std::string& name : g.without) {
      mask |= bit(name);
    }
  }
  for (AtomRecord record : system.records) {
    wrap(system.box, record);
    Member member{record.id, 0, unwrapped(system.box, record)};
    for (std::size_t g = 0; g < settings.size(); ++g) {
      const std::array<bool, tests> meets{has_type(settings[g], record.type),
                                          has_id(settings[g], system.user_id(record.id)), settings[g].holds(record.x),
                                          (member.mask & without[g]) == 0};
      std::size_t t = 0;
      for (; t < tests && meets[t]; ++t) {
        ++passed[tests * g + t];
      }
      member.mask |= t == tests ? 1U << g : 0U;
    }
    if (member.mask != 0) {
      members_.push_back(member);
    }
  }
  std::sort(members_.begin(), members_.end(), by_id);
  comm.sum(passed);
  for (std::size_t g = 0; g < settings.size(); ++g) {
    const std::int64_t* const left = &passed[tests * g];
    if (left[tests - 1] == 0) {
      throw schema.error("group",
                         fmt::format("number {} (\"{}\") is empty: of {} atoms {} have its types, {} of those "
                                     "its ids, {} of those lie in its region, and {} of those are in no group "
                                     "that it is to be without.",
                                     g + 1, settings[g].name, system.count, left[0], left[1], left[2], left[3]));
    }
  }
}

std::uint32_t Groups::bit(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return 1U << (at - names_.begin());
}

void Groups::follow(const Communicator& comm, std::span<const AtomRecord> records, std::span<const int> owner) {
  if (!any() || comm.size() == 1) {
    return;
  }
  std::vector<std::vector<Member>> to_rank(static_cast<std::size_t>(comm.size()));
  for (std::size_t a = 0; a < records.size(); ++a) {
    if (const Member* const member = find(members_, records[a].id)) {
      to_rank[static_cast<std::size_t>(owner[a])].push_back(*member);
    }
  }
  members_ = exchange_records(comm, to_rank).records;
  std::sort(members_.begin(), members_.end(), by_id);
}

void Groups::place(Queue& queue, const Atoms& atoms, const std::function<std::uint32_t(std::uint32_t)>& roles) {
  if (!any()) {
    return;
  }
  const auto slots = static_cast<std::size_t>(atoms.capacity());
  if (bits_.size() < slots) {
    bits_ = Buffer<std::uint32_t>(queue, slots, "group bits");
    for (Buffer<double>& anchor : anchor_) {
      anchor = Buffer<double>(queue, anchors_ ? slots : 0, "positions at the start");
    }
  }
  for (int s = 0; s < atoms.owned_slots; ++s) {
    const std::int64_t id = atoms.id.data()[s];
    const Member* const member = id == empty_slot ? nullptr : find(members_, id);
    const std::uint32_t mask = member != nullptr ? member->mask : 0;
    bits_.data()[s] = id == empty_slot ? 0 : mask | roles(mask);
    for (std::size_t d = 0; anchors_ && d < 3; ++d) {
      anchor_[d].data()[s] = member != nullptr ? member->anchor[d] : 0.0;
    }
  }
}

void Groups::collect(const IdBlocks& blocks, std::span<std::int64_t> masks, std::span<double> anchors) const {
  std::vector<std::vector<Member>> to_rank(static_cast<std::size_t>(blocks.communicator().size()));
  for (const Member& member : members_) {
    to_rank[static_cast<std::size_t>(blocks.rank_of(member.id))].push_back(member);
  }
  std::fill(masks.begin(), masks.end(), 0);
  std::fill(anchors.begin(), anchors.end(), 0.0);
  for (const Member& member : exchange_records(blocks.communicator(), to_rank).records) {
    const auto at = static_cast<std::size_t>(member.id - blocks.begin());
    if (!masks.empty()) {
      masks[at] = member.mask;
    }
    for (std::size_t d = 0; !anchors.empty() && d < 3; ++d) {
      anchors[3 * at + d] = member.anchor[d];
    }
  }
}

void Groups::restore(const IdBlocks& blocks, std::span<const std::int64_t> masks, std::span<const double> anchors) {
  members_.clear();
  for (std::size_t at = 0; at < masks.size(); ++at) {
    if (masks[at] != 0) {
      Member& member = members_.emplace_back();
      member.id = blocks.begin() + static_cast<std::int64_t>(at);
      member.mask = static_cast<std::uint32_t>(masks[at]);
      for (std::size_t d = 0; !anchors.empty() && d < 3; ++d) {
        member.anchor[d] = anchors[3 * at + d];
      }
    }
  }
}

}  // namespace halyard::md
