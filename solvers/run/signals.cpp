#include "solvers/run/signals.hpp"

#include <array>
#include <csignal>

namespace halyard {

namespace {
constexpr std::array<int, 3> watched{SIGTERM, SIGUSR1, SIGINT};
volatile std::sig_atomic_t mark = 0;
std::array<struct sigaction, watched.size()> before;

void leave_mark(int signal) {
  if (signal == SIGINT && mark == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  mark = signal;
}
}  // namespace

SignalWatch::SignalWatch() {
  mark = 0;
  struct sigaction action {};
  action.sa_handler = &leave_mark;
  action.sa_flags = SA_RESTART;  // system calls under way (writing results) go on
  for (std::size_t i = 0; i < watched.size(); ++i) {
    sigaction(watched[i], &action, &before[i]);
  }
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < watched.size(); ++i) {
    sigaction(watched[i], &before[i], nullptr);
  }
}

int SignalWatch::received() { return mark; }

std::string SignalWatch::name(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGINT:
      return "SIGINT";
    default:
      return "signal " + std::to_string(signal);
  }
}

}  // namespace halyard
