#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

extern char** environ;

namespace halyard::test {

/// Another process (results_child, beside this test's program), outside this MPI job, with its output in a pipe. Killed
/// by SIGKILL at the latest when the object goes.
class ChildProcess {
 public:
  explicit ChildProcess(std::vector<std::string> arguments) {
    // What the launcher tells this process must not reach the other one: it is an MPI program of its own.
    std::vector<std::string> kept;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      if (!text.starts_with("PMI") && !text.starts_with("MPI") && !text.starts_with("HYDRA")) kept.push_back(text);
    }
    char self[4096];
    const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
    std::string program(self, static_cast<std::size_t>(length > 0 ? length : 0));
    program = program.substr(0, program.rfind('/') + 1) + "results_child";
    std::vector<char*> argv{program.data()}, envp;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    for (std::string& variable : kept) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    int ends[2];
    if (::pipe(ends) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execve(program.c_str(), argv.data(), envp.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    kill();
    if (output_ >= 0) ::close(output_);
  }

  /// The next line of its output, waited for; "" at its end.
  std::string line() {
    std::string text;
    for (char letter = 0; ::read(output_, &letter, 1) == 1 && letter != '\n';) text += letter;
    return text;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  int pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace halyard::test
