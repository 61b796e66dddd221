// What the emulated device promises: each mistake that a GPU would not forgive is seen to end the program with its name
// or to give wrong numbers on some seed.
#include <cufft.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "tests/support/emulated_cuda/emulated.hpp"

namespace halyard::emulated {
namespace {

constexpr int n = 100;

void add(int count, double* a, double value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    a[i] += value;
  }
}
void multiply(int count, double* a, double value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    a[i] *= value;
  }
}
/// Every thread adds to one number what it finds there; which order it is shows in the digits.
void digits(double* a) { *a = 3.0 * *a + blockIdx.x; }

template <class... P, class... A>
void start(cudaStream_t stream, void (*kernel)(P...), A... arguments) {
  launch(stream, dim3(4), dim3(32), kernel, static_cast<P>(arguments)...);
}

struct EmulatedCuda : testing::Test {
  cudaStream_t stream = nullptr, other = nullptr;
  double* a = nullptr;

  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "fast";
    settings() = {};
    restart();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    a = device_array(n, 1.0);
  }
  void TearDown() override {
    settings() = {};
    cudaStreamSynchronize(stream);
    cudaStreamSynchronize(other);
    cudaFree(a);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
  }
  double* device_array(std::size_t count, double value) {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, count * sizeof(double)), cudaSuccess);
    const std::vector<double> host(count, value);
    cudaMemcpyAsync(data, host.data(), count * sizeof(double), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    return static_cast<double*>(data);
  }
  std::vector<double> download(const double* data, std::size_t count = n) {
    std::vector<double> host(count);
    cudaMemcpyAsync(host.data(), data, count * sizeof(double), cudaMemcpyDefault, stream);
    return host;
  }
};

TEST_F(EmulatedCuda, TheHostCannotTouchDeviceMemory) {
  EXPECT_DEATH(a[3] = 1.0, "host code touches byte 24 of device memory \\(allocation [0-9]+ of the run, 800 bytes\\)");
  EXPECT_DEATH(
      {
        double host[n];
        std::memcpy(host, a, sizeof host);
        std::fprintf(stderr, "%f", host[0]);
      },
      "host code touches byte [0-9]+ of device memory");
  start(stream, add, n, a, 1.0);
  cudaStreamSynchronize(stream);
  EXPECT_DEATH(a[0] = 1.0, "host code touches byte 0");  // closed again
}

TEST_F(EmulatedCuda, WorkBeyondAnAllocationFaults) {
  EXPECT_DEATH(
      {
        start(stream, add, n + 1, a, 1.0);
        cudaStreamSynchronize(stream);
      },
      "device work void \\(\\*\\)\\(int, double\\*, double\\) touches 0 bytes behind the end of device memory");
  EXPECT_DEATH(
      {
        start(stream, add, 1, a - 1000, 1.0);
        cudaStreamSynchronize(stream);
      },
      "bytes before the begin of device memory");
  // In the bytes that alignment leaves free.
  void* odd = nullptr;
  cudaMalloc(&odd, 3);
  cudaMemsetAsync(odd, 0, 3, stream);
  cudaStreamSynchronize(stream);
  EXPECT_DEATH(
      {
        start(stream, multiply, 1, static_cast<double*>(odd), 3.0);
        cudaStreamSynchronize(stream);
      },
      "something was written to 0 bytes behind the end of device memory .*3 bytes");
  EXPECT_EQ(cudaMemsetAsync(odd, 0, 4, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(odd, a, 4, cudaMemcpyDefault, stream), cudaErrorInvalidValue);
  cudaFree(odd);
}

TEST_F(EmulatedCuda, FreedMemoryServesOnlyWorkThatWasGivenBefore) {
  double* const b = device_array(n, 1.0);
  start(stream, add, n, b, 1.0);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(cudaFree(b), cudaErrorInvalidValue);
  EXPECT_DEATH(
      {
        start(stream, add, n, b, 1.0);
        cudaStreamSynchronize(stream);
      },
      "touches byte [0-9]+ of freed device memory");
  EXPECT_EQ(cudaMemcpyAsync(a, b, 8, cudaMemcpyDefault, stream), cudaErrorInvalidValue);
}

TEST_F(EmulatedCuda, NewMemoryHoldsNoNumbers) {
  void* data = nullptr;
  cudaMalloc(&data, n * sizeof(double));
  for (const double value : download(static_cast<double*>(data))) {
    EXPECT_TRUE(std::isnan(value));
  }
  cudaFree(data);
  void* pinned = nullptr;
  cudaMallocHost(&pinned, n * sizeof(double));
  EXPECT_TRUE(std::isnan(static_cast<double*>(pinned)[n - 1]));
  EXPECT_DEATH(static_cast<double*>(pinned)[n] = 1.0, "0 bytes behind the end of pinned memory");
  cudaFreeHost(pinned);
}

TEST_F(EmulatedCuda, WorkRunsWhenTheSeedSaysSo) {
  void* pinned = nullptr;
  cudaMallocHost(&pinned, n * sizeof(double));
  auto* const host = static_cast<double*>(pinned);
  for (const std::uint64_t seed : {0, 1}) {
    settings().seed = seed;
    host[0] = -1.0;
    start(stream, add, n, a, 1.0);
    cudaMemcpyAsync(host, a, n * sizeof(double), cudaMemcpyDefault, stream);
    EXPECT_EQ(host[0], seed == 0 ? -1.0 : 3.0);  // late, early
    cudaStreamSynchronize(stream);
    EXPECT_EQ(host[0], seed == 0 ? 2.0 : 3.0);
  }
  // Memory that is not pinned: read at once, written on return.
  settings().seed = 0;
  std::vector<double> plain(n, 5.0);
  cudaMemcpyAsync(a, plain.data(), n * sizeof(double), cudaMemcpyDefault, stream);
  plain.assign(n, 6.0);
  EXPECT_EQ(download(a)[0], 5.0);
  // Pinned memory is read when its turn comes.
  host[0] = 7.0;
  cudaMemcpyAsync(a, host, sizeof(double), cudaMemcpyDefault, stream);
  host[0] = 8.0;
  EXPECT_EQ(download(a)[0], 8.0);
  cudaFreeHost(pinned);
}

// (1 + 2) 3 = 9 in the order that an event enforces, 1 * 3 + 2 = 5 in the other.
TEST_F(EmulatedCuda, AnEventNotWaitedForGivesWrongNumbersOnSomeSeed) {
  for (const bool waits : {true, false}) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      settings().seed = seed;
      restart();
      double* const b = device_array(n, 1.0);
      cudaEvent_t done = nullptr;
      cudaEventCreate(&done);
      start(stream, add, n, b, 2.0);
      cudaEventRecord(done, stream);
      if (waits) {
        cudaStreamWaitEvent(other, done);
      }
      start(other, multiply, n, b, 3.0);
      cudaStreamSynchronize(other);
      cudaStreamSynchronize(stream);
      wrong += download(b)[0] == 9.0 ? 0 : 1;
      cudaEventDestroy(done);
      cudaFree(b);
    }
    if (waits) {
      EXPECT_EQ(wrong, 0);
    } else {
      EXPECT_GE(wrong, 2);
      EXPECT_LE(wrong, 20);
    }
  }
}

TEST_F(EmulatedCuda, BlocksRunInAnOrderOfTheSeed) {
  std::vector<double> results;
  for (const std::uint64_t seed : {0, 3, 0}) {
    settings().seed = seed;
    restart();
    cudaMemsetAsync(a, 0, sizeof(double), stream);
    launch(stream, dim3(50), dim3(1), digits, a);
    results.push_back(download(a, 1)[0]);
  }
  EXPECT_NE(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

void warp_sum(double* a, double* sums) {
  double value = a[threadIdx.x];
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffU, value, offset);
  }
  const unsigned odd = __ballot_sync(0xffffffffU, threadIdx.x % 2 == 1);
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = value + __popc(odd);
  }
}
void lonely_lane(double* a) {
  if (threadIdx.x != 5) {
    a[threadIdx.x] = __shfl_down_sync(0xffffffffU, a[threadIdx.x], 1);
  }
}
void half_warp(double* a) {
  if (threadIdx.x < 16) {
    a[threadIdx.x] = __shfl_down_sync(0x0000ffffU, a[threadIdx.x], 8);
  }
}

TEST_F(EmulatedCuda, LanesOfAWarpWaitForOneAnother) {
  std::vector<double> numbers(96);
  double expected[3] = {16.0, 16.0, 16.0};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<double>(i * i);
    expected[i / 32] += numbers[i];
  }
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    settings().seed = seed;
    restart();
    cudaMemcpyAsync(a, numbers.data(), 96 * sizeof(double), cudaMemcpyDefault, stream);
    double* const sums = device_array(3, 0.0);
    launch(stream, dim3(1), dim3(96), warp_sum, a, sums);
    EXPECT_EQ(download(sums, 3), std::vector<double>(expected, expected + 3));
    cudaFree(sums);
  }
  launch(stream, dim3(1), dim3(32), half_warp, a);
  const std::vector<double> half = download(a);
  EXPECT_EQ(half[3], numbers[11]);
  EXPECT_TRUE(std::isnan(half[8]));  // from a lane that did not take part: undefined on a GPU
  EXPECT_DEATH(
      {
        launch(stream, dim3(1), dim3(32), lonely_lane, a);
        cudaStreamSynchronize(stream);
      },
      "a thread of a warp waits for lane 5, which does not exist or has ended");
}

TEST_F(EmulatedCuda, LaunchesAreChecked) {
  double host = 0.0;
  EXPECT_DEATH(start(stream, add, 1, &host, 1.0),
               "kernel void .*: an argument holds at byte 0 the address of memory of the host");
  const std::vector<double> heap(10);
  EXPECT_DEATH(start(stream, add, 1, const_cast<double*>(heap.data()), 1.0), "the address of memory of the host");
  EXPECT_DEATH(start(nullptr, add, n, a, 1.0), "goes to the default stream");
  launch(stream, dim3(1), dim3(1025), add, n, a, 1.0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  launch(stream, dim3(1, 65536), dim3(1), add, n, a, 1.0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(download(a)[0], 1.0);  // nothing ran
}

TEST_F(EmulatedCuda, MpiRefusesDeviceMemoryByTheCallsName) {
  MPI_Request request = MPI_REQUEST_NULL;
  double host = 0.0;
  EXPECT_DEATH(MPI_Isend(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request),
               "MPI_Isend is given device memory .*800 bytes\\), and this MPI takes memory of the host only");
  EXPECT_DEATH(MPI_Irecv(a + 5, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request), "MPI_Irecv is given device memory");
  EXPECT_DEATH(MPI_Allreduce(a, &host, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce is given device memory");
  EXPECT_DEATH(MPI_Bcast(a, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast is given device memory");
  settings().mpi_takes_device_pointers = true;
  EXPECT_DEATH(MPI_Allreduce(a, &host, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), "only MPI_Isend and MPI_Irecv");
}

TEST_F(EmulatedCuda, CountsCallsWaitsAndBytes) {
  reset_counts();
  start(stream, add, n, a, 1.0);
  start(stream, add, n, a, 1.0);
  cudaStreamSynchronize(stream);
  download(a);
  EXPECT_EQ(count("kernel"), 2);
  EXPECT_EQ(count("host waits"), 2);  // the copy to memory that is not pinned waits by itself
  EXPECT_EQ(count("cudaMemcpyAsync"), 1);
  EXPECT_EQ(count("bytes to host"), 800);
  EXPECT_EQ(count("cudaMalloc"), 0);
}

TEST_F(EmulatedCuda, PlansAreCheckedAndTransform) {
  constexpr int length = 5, lines = 3;
  std::vector<double> x(2 * length * lines);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::cos(static_cast<double>(i * i));
  }
  double* const z = device_array(x.size(), 0.0);
  cudaMemcpyAsync(z, x.data(), x.size() * sizeof(double), cudaMemcpyDefault, stream);
  cufftHandle plan = 0;
  int size[1] = {length};
  std::size_t bytes = 0;
  auto* const data = reinterpret_cast<cufftDoubleComplex*>(z);
  EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);  // not made yet
  EXPECT_EQ(cufftMakePlanMany(plan, 1, size, size, lines, 1, size, lines, 1, CUFFT_Z2Z, lines, &bytes), CUFFT_SUCCESS);
  EXPECT_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  const std::vector<double> modes = download(z, x.size());
  for (int line = 0; line < lines; ++line) {
    double re = 0.0, im = 0.0;  // mode 2, by its definition
    for (int e = 0; e < length; ++e) {
      const double angle = -2.0 * 3.14159265358979323846 * 2 * e / length;
      const double a_re = x[static_cast<std::size_t>(2 * (e * lines + line))];
      const double a_im = x[static_cast<std::size_t>(2 * (e * lines + line) + 1)];
      re += a_re * std::cos(angle) - a_im * std::sin(angle);
      im += a_re * std::sin(angle) + a_im * std::cos(angle);
    }
    EXPECT_NEAR(modes[static_cast<std::size_t>(2 * (2 * lines + line))], re, 1e-14);
    EXPECT_NEAR(modes[static_cast<std::size_t>(2 * (2 * lines + line) + 1)], im, 1e-14);
  }
  EXPECT_EQ(cufftExecZ2Z(plan, data, data, CUFFT_INVERSE), CUFFT_SUCCESS);
  EXPECT_NEAR(download(z, 1)[0], length * x[0], 1e-14);  // neither way divides
  EXPECT_DEATH(cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(x.data()), data, CUFFT_FORWARD),
               "cufftExecZ2Z is given memory of the host");
  EXPECT_DEATH(
      {
        cufftExecZ2Z(plan, data + 1, data + 1, CUFFT_FORWARD);
        cudaStreamSynchronize(stream);
      },
      "device work cufftExecZ2Z touches .* behind the end");
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  cudaFree(z);
}

TEST_F(EmulatedCuda, DevicesMemoryAndFailuresCanBeSet) {
  EXPECT_EQ(choose_device("auto", 0).device, Device::cuda);
  settings().devices = 0;
  EXPECT_EQ(choose_device("auto", 0).device, Device::host);
  try {
    choose_device("cuda", 0);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--device cuda: no usable GPU (no CUDA-capable device is detected); allowed here: auto, host");
  }
  settings().devices = 3;
  EXPECT_EQ(choose_device("cuda", 4).name, "emulated device 1 (this processor; for tests)");
  EXPECT_DEATH(
      {
        // Memory of the device before, work on this one's stream.
        Queue queue(Device::cuda);
        start(static_cast<cudaStream_t>(queue.stream()), add, n, a, 1.0);
        queue.wait();
      },
      "device work .* touches byte [0-9]+ of device memory");
  EXPECT_EQ(choose_device("cuda", 0).device, Device::cuda);

  Queue queue(Device::cuda);
  settings().memory = 100000 + n * sizeof(double);
  const Buffer<double> fits(queue, 10000, "fits");
  try {
    const Buffer<double> more(queue, 2501, "velocity");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "out of memory for velocity: 20008 bytes wanted, 20000 bytes are free on the GPU");
  }
  settings() = {};
  settings().failing_allocation = 2;
  restart();
  EXPECT_NO_THROW(Buffer<double>(queue, 10, "first"));
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&data, 8), cudaSuccess);
  cudaFree(data);
  queue.wait();
}

}  // namespace
}  // namespace halyard::emulated
