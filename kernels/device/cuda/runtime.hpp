#pragma once
// What the device layer needs of the CUDA runtime, as plain C++: implemented in cuda/runtime.cu, called by the g++ side
// only in builds with HALYARD_CUDA.
#include <cstddef>
#include <string>

namespace halyard::cuda {

int device_count();                       // 0 without a GPU or driver, never throws
std::string device_count_failure();       // the runtime's own words when device_count() is 0
std::string bind_device(int local_rank);  // returns the GPU's name
void* create_stream();
void destroy_stream(void* stream) noexcept;
void wait_stream(void* stream);
/// Null when memory is short. `kind`: 1 pinned, 2 device, 3 unified.
void* allocate(int kind, std::size_t bytes);
void release(int kind, void* data) noexcept;
std::size_t free_bytes();
void set_zero(void* stream, void* data, std::size_t bytes);
void copy(void* stream, void* to, const void* from, std::size_t bytes);
double seconds_of_copies(void* stream, void* to, const void* from, std::size_t bytes, int repeats);

}  // namespace halyard::cuda
