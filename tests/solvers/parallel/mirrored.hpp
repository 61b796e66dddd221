#pragma once
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/queue.hpp"

namespace halyard::test {

/// The device under test: the host, or what HALYARD_TEST_DEVICE=cuda asks for.
inline Device device() {
  const char* word = std::getenv("HALYARD_TEST_DEVICE");
  return word != nullptr && std::string(word) == "cuda" ? Device::cuda : Device::host;
}

/// Doubles in the memory of a queue's device and their copy on the host, where the test works. On the host they are
/// one.
class Mirrored {
 public:
  Mirrored() = default;
  Mirrored(Queue& queue, std::size_t count, double value) : queue_(&queue), host_(count, value) {
    if (queue.device() != Device::host) {
      device_ = Buffer<double>(queue, count, "mirrored");
      upload();
    }
  }

  std::vector<double>& host() { return host_; }
  double* device() { return device_.data() != nullptr ? device_.data() : host_.data(); }
  void upload() {
    if (device_.data() != nullptr) {
      copy_bytes(*queue_, device_.data(), host_.data(), device_.bytes());
      queue_->wait();
    }
  }
  void download() {
    if (device_.data() != nullptr) {
      copy_bytes(*queue_, host_.data(), device_.data(), device_.bytes());
      queue_->wait();
    }
  }

 private:
  Queue* queue_ = nullptr;
  std::vector<double> host_;
  Buffer<double> device_;
};

}  // namespace halyard::test
