#pragma once
#include <stdexcept>
#include <string>

namespace halyard {

/// What every part of Halyard throws. The message is a whole sentence for the user: the key, file or array, the value
/// found and the values allowed.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace halyard
