#pragma once
#include <string>

namespace halyard {

/// While it lives, SIGTERM, SIGUSR1 and SIGINT only leave a mark, for the loop to read at a step boundary. A second
/// SIGINT ends the process as usual, for who cannot wait.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The number of the signal that came to this process; 0: none.
  static int received();
  /// "SIGTERM"
  static std::string name(int signal);
};

}  // namespace halyard
