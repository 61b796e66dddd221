#include "kernels/device/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halyard {
namespace {

bool all_zero(const Buffer<double>& buffer) {
  return std::all_of(buffer.data(), buffer.data() + buffer.size(), [](double value) { return value == 0.0; });
}

TEST(Buffer, ZeroedAndAlignedAlsoWhenReused) {
  Queue queue;
  for (const std::size_t size : {1UL, 7UL, 64UL, 511UL, 512UL, 513UL, 100003UL, 262144UL, 300001UL}) {
    for (int time = 0; time < 2; ++time) {
      Buffer<double> buffer(queue, size, "test");
      EXPECT_EQ(buffer.size(), size);
      EXPECT_EQ(buffer.bytes(), 8 * size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
      EXPECT_TRUE(all_zero(buffer)) << size;
      std::fill_n(buffer.data(), size, 3.5);  // the next one is given this memory
    }
  }
}

TEST(Buffer, PoolKeepsWhatIsGivenBack) {
  Queue queue;
  const double* first = nullptr;
  {
    Buffer<double> buffer(queue, 54321, "test");
    first = buffer.data();
  }
  const PoolStatistics before = pool_statistics();
  {
    const Buffer<double> again(queue, 54321, "test");
    EXPECT_EQ(again.data(), first);
    const Buffer<double> other(queue, 54321, "test");
    EXPECT_NE(other.data(), first);
    const PoolStatistics now = pool_statistics();
    EXPECT_EQ(now.requests, before.requests + 2);
    EXPECT_EQ(now.system_allocations, before.system_allocations + 1);
    EXPECT_GE(now.bytes_in_use, before.bytes_in_use + 2 * 8 * 54321);
    EXPECT_GE(now.bytes_peak, now.bytes_in_use);
  }
  EXPECT_EQ(pool_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_GE(pool_statistics().bytes_peak, before.bytes_in_use + 2 * 8 * 54321);
}

TEST(Buffer, MovesAndOwnsOnce) {
  Queue queue;
  const std::int64_t before = pool_statistics().bytes_in_use;
  {
    Buffer<double> a(queue, 1000, "a");
    a.data()[3] = 4.0;
    const double* memory = a.data();
    Buffer<double> b(std::move(a));
    EXPECT_EQ(b.data(), memory);
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(a.size(), 0U);
    a = Buffer<double>(queue, 10, "a");
    a = std::move(b);
    EXPECT_EQ(a.data()[3], 4.0);
    Buffer<double> c(queue, 20, "c");
    c.swap(a);
    EXPECT_EQ(c.size(), 1000U);
    EXPECT_EQ(a.size(), 20U);
    Buffer<double>& self = c;
    c = std::move(self);
    EXPECT_EQ(c.data(), memory);
    Buffer<std::int32_t> empty(queue, 0, "nothing");
    EXPECT_EQ(empty.size(), 0U);
    const Buffer<double> unowned;
    EXPECT_EQ(unowned.data(), nullptr);
  }
  EXPECT_EQ(pool_statistics().bytes_in_use, before);
}

TEST(Buffer, RefusalNamesArrayAndBytes) {
  Queue queue;
  const std::int64_t before = pool_statistics().bytes_in_use;
  try {
    const Buffer<double> huge(queue, std::size_t{1} << 57, "velocity");  // 2^60 bytes: beyond any address space
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("out of memory for velocity: 1152921504606846976 bytes wanted"), std::string::npos) << text;
  }
  EXPECT_THROW(Buffer<double>(queue, std::size_t{1} << 61, "counts that overflow"), Error);
  EXPECT_THROW(Buffer<double>(queue, ~std::size_t{0} / 8, "bytes near the end of the numbers"), Error);
  EXPECT_EQ(pool_statistics().bytes_in_use, before);
}

TEST(Buffer, CopyBytesOnTheHostIsDoneOnReturn) {
  Queue queue;
  Buffer<double> buffer(queue, 5, "test");
  const std::vector<double> from{1, 2, 3, 4, 5};
  copy_bytes(queue, buffer.data(), from.data(), buffer.bytes());
  EXPECT_TRUE(std::equal(from.begin(), from.end(), buffer.data()));
}

TEST(Queue, DevicesByWord) {
  EXPECT_EQ(choose_device("host", 0).device, Device::host);
  EXPECT_EQ(choose_device("host", 0).reason, "");
  EXPECT_FALSE(choose_device("host", 0).name.empty());
  const auto message = [](const std::string& word) -> std::string {
    try {
      choose_device(word, 0);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("gpu"), "--device gpu: allowed are auto, host, cuda");
  EXPECT_EQ(message(""), "--device : allowed are auto, host, cuda");
  const DeviceChoice chosen = choose_device("auto", 0);
  if (chosen.device == Device::host) {  // no GPU here, or no CUDA in this build: auto says which, cuda refuses
    EXPECT_EQ(chosen.reason.find("running on the host: "), 0U) << chosen.reason;
    EXPECT_NE(message("cuda").find("; allowed here: auto, host"), std::string::npos) << message("cuda");
#ifndef HALYARD_CUDA
    EXPECT_THROW(Queue{Device::cuda}, Error);
#endif
  } else {
    EXPECT_EQ(message("cuda"), "");
  }
}

TEST(Queue, HostQueueHasNothingToWaitFor) {
  Queue queue;
  EXPECT_EQ(queue.device(), Device::host);
  EXPECT_EQ(queue.stream(), nullptr);
  EXPECT_EQ(device_memory(queue), MemoryKind::host);
  queue.wait();
  EXPECT_NO_THROW(check_host_instruction_set());  // this program runs
  EXPECT_FALSE(host_instruction_set().empty());
}

}  // namespace
}  // namespace halyard
