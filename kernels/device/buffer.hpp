#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/device/error.hpp"
#include "kernels/device/queue.hpp"

namespace halyard {

enum class MemoryKind { host, pinned, device, unified };

/// What the pool has done since the start. A steady step takes nothing from the system (tests/solvers/flow counts).
struct PoolStatistics {
  std::int64_t system_allocations = 0;  // times memory was taken from the system
  std::int64_t requests = 0;            // times a buffer asked
  std::int64_t bytes_in_use = 0;
  std::int64_t bytes_peak = 0;  // largest bytes_in_use
};
PoolStatistics pool_statistics();

namespace detail {
/// Aligned to a page at least; the content is arbitrary.
void* pool_take(MemoryKind kind, std::size_t bytes, const std::string& name);
void pool_give(MemoryKind kind, void* data, std::size_t bytes) noexcept;
/// By all threads in equal parts, so that pages lie near the thread that will work on them.
void set_zero(Queue& queue, MemoryKind kind, void* data, std::size_t bytes);
/// size * element, or as much as no machine has where that overflows.
inline std::size_t bytes_of(std::size_t size, std::size_t element) {
  return size > ~std::size_t{0} / element ? ~std::size_t{0} : size * element;
}
}  // namespace detail

/// The kind of memory that kernels on this queue's device work in.
inline MemoryKind device_memory(const Queue& queue) {
  return queue.device() == Device::cuda ? MemoryKind::device : MemoryKind::host;
}

/// Copies `bytes` in the order of the queue; either side may be host or device memory. On the host: done on return.
void copy_bytes(Queue& queue, void* to, const void* from, std::size_t bytes);

/// Owns `size` elements of one kind of memory, taken from a pool that keeps what is given back (page faults are dear).
/// Zeroed at construction, in the order of the queue. On a device, work on other queues that still uses the memory must
/// be waited for before the buffer is given back. Movable, not copyable. @throws Error with the name, the bytes wanted
/// and the bytes free.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Queue& queue, std::size_t size, std::string name, MemoryKind kind)
      : data_(static_cast<T*>(detail::pool_take(kind, detail::bytes_of(size, sizeof(T)), name))),
        size_(size),
        kind_(kind) {
    detail::set_zero(queue, kind, data_, size * sizeof(T));
  }
  Buffer(Queue& queue, std::size_t size, std::string name)
      : Buffer(queue, size, std::move(name), device_memory(queue)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) {
      detail::pool_give(kind_, data_, size_ * sizeof(T));
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  MemoryKind kind() const { return kind_; }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(kind_, other.kind_);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  MemoryKind kind_ = MemoryKind::host;
};

}  // namespace halyard
