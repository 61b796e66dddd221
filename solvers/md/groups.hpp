#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case/schema.hpp"
#include "kernels/device/buffer.hpp"
#include "kernels/md/atoms.hpp"
#include "kernels/md/box.hpp"
#include "solvers/md/domain.hpp"
#include "solvers/md/groups_case.hpp"
#include "solvers/md/id_blocks.hpp"
#include "solvers/md/system.hpp"
#include "solvers/parallel/communicator.hpp"

namespace halyard::md {

/// Which atoms belong to which groups, and where each was at the start of the run: both go where the atoms go, and are
/// state, so that a restart has the same members. Bit g of an atom's bits is group g of the case; the higher bits say
/// what actions make of the atom in the present stage.
class Groups {
 public:
  static constexpr int most = 24;
  static constexpr std::uint32_t free_x = 1U << 24, free_y = 1U << 25, free_z = 1U << 26;  // component not frozen
  static constexpr std::uint32_t free_any = free_x | free_y | free_z;
  static constexpr std::uint32_t bath = 1U << 27;  // not wholly frozen, and without a thermostat of its own

  struct Member {
    std::int64_t id = 0;
    std::uint32_t mask = 0;
    std::array<double, 3> anchor{};  // unwrapped position at the start
  };

  /// Picks the members by the records of `system`. Collective. @param anchors whether positions at the start are kept
  /// @throws Error at a [[group]] that is empty, or that names types which do not exist.
  Groups(const Communicator& comm, const std::vector<GroupSettings>& settings, const System& system,
         const CaseSchema& schema, bool anchors);

  bool any() const { return !names_.empty(); }
  bool anchors() const { return anchors_; }
  std::size_t count() const { return names_.size(); }
  const std::string& name(std::size_t g) const { return names_[g]; }
  /// The bit of a group that exists.
  std::uint32_t bit(const std::string& name) const;
  const std::string& name_of(std::uint32_t bit) const {
    return names_[static_cast<std::size_t>(std::countr_zero(bit))];
  }
  /// Of this rank's atoms, in the order of their ids; those of no group are left out.
  std::span<const Member> members() const { return members_; }

  /// Members go where their atoms go: before atoms change ranks. Collective.
  void follow(const Communicator& comm, std::span<const AtomRecord> records, std::span<const int> owner);
  /// After atoms have got their slots. `roles` gives the higher bits of an atom in these groups.
  void place(Queue& queue, const Atoms& atoms, const std::function<std::uint32_t(std::uint32_t)>& roles);

  /// Over slots, of owned ones; no bits where there are no groups.
  View1<const std::uint32_t> bits() const { return {bits_.data()}; }
  SlotVector<const double> anchor() const { return slot_vector(anchor_); }

  /// For checkpoints: the masks, and three numbers an atom, of this rank's block of ids. Collective.
  void collect(const IdBlocks& blocks, std::span<std::int64_t> masks, std::span<double> anchors) const;
  /// Sets what collect() gave, while members lie on the ranks of their ids.
  void restore(const IdBlocks& blocks, std::span<const std::int64_t> masks, std::span<const double> anchors);

 private:
  std::vector<std::string> names_;
  bool anchors_;
  std::vector<Member> members_;
  Buffer<std::uint32_t> bits_;
  std::array<Buffer<double>, 3> anchor_;
};

}  // namespace halyard::md
