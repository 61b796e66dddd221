#include "kernels/md/atoms.hpp"

#include <string>
#include <utility>

namespace halyard::md {

void Atoms::reserve(int slots_wanted) { resize(slots_wanted, 0); }

void Atoms::grow(int slots_wanted) { resize(slots_wanted, owned_slots); }

void Atoms::resize(int slots_wanted, int keep) {
  if (slots_wanted <= capacity_) {
    return;
  }
  // A tenth more than asked for: the count of ghosts wanders from list to list.
  capacity_ = (slots_wanted + slots_wanted / 10 + cluster_size) / cluster_size * cluster_size;
  const auto renew = [&]<class T>(Buffer<T>& buffer, const std::string& name) {
    Buffer<T> larger(queue_, static_cast<std::size_t>(capacity_), name);
    copy_bytes(queue_, larger.data(), buffer.data(), static_cast<std::size_t>(keep) * sizeof(T));
    queue_.wait();
    buffer = std::move(larger);
  };
  for (int d = 0; d < 3; ++d) {
    renew(x[d], "positions");
    renew(v[d], "velocities");
    renew(force[d], "forces");
    renew(reference[d], "reference positions");
    renew(image[d], "image flags");
  }
  renew(id, "atom ids");
  renew(type, "atom types");
}

}  // namespace halyard::md
