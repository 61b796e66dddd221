#pragma once
#include <array>
#include <cstdint>

#include "kernels/device/queue.hpp"
#include "kernels/md/normal_random.hpp"
#include "kernels/md/slot_vector.hpp"

namespace halyard::md {

/// v = sqrt(kB T / m) z for the atoms of the group, z normal deviates that belong to (stream, atom id): the Maxwell
/// distribution. `thermal_energy` = kB T; `inverse_root_mass` for each type, as in Masses. Empty slots get 0.
void draw_velocities(Queue& queue, const SlotGroup& group, const RandomStream& stream, double thermal_energy,
                     View1<const double> inverse_root_mass, View1<const std::int32_t> type,
                     View1<const std::int64_t> id, const SlotVector<double>& v);

/// v_a *= factor[a] for the slots of the group.
void scale_velocities(Queue& queue, const SlotGroup& group, const std::array<double, 3>& factor,
                      const SlotVector<double>& v);

/// v += change for the atoms of the group; empty slots stay as they are. Removes a momentum P of atoms of total mass M
/// with change = -P/M.
void shift_velocities(Queue& queue, const SlotGroup& group, const std::array<double, 3>& change,
                      View1<const std::int64_t> id, const SlotVector<double>& v);

/// v_a = 0 and F_a = 0 for the slots of the group, of the components a that are asked for: frozen atoms. Call it after
/// the forces are complete.
void freeze(Queue& queue, const SlotGroup& group, const std::array<bool, 3>& components, const SlotVector<double>& v,
            const SlotVector<std::int64_t>& force);

}  // namespace halyard::md
