#include "solvers/parallel/session.hpp"

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <typeinfo>
#include <vector>

#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// From one rank's failure to the end of all: what is asked for is 10 s.
constexpr seconds deadline_after_failure{6};
constexpr milliseconds watch_interval{500};

/// In memory that the ranks of a node share. Lock-free atomics of int work across processes.
struct NodeBoard {
  std::atomic<int> teller;  // 1 + world rank of the first on this node that failed, 0 while none has
  struct Process {
    std::atomic<int> pid;
    std::atomic<int> left;  // it has ended its part and may go
  };
  Process* processes() { return reinterpret_cast<Process*>(this + 1); }
};
static_assert(std::atomic<int>::is_always_lock_free);

std::string program_name = "halyard";
std::atomic<MpiSession::Impl*> current{nullptr};

/// Waits until the reader of a pipe or socket has taken what was written to it. Launchers forward a rank's output and
/// its MPI_Abort by separate ways, and hydra's mpiexec exits at the abort: what its proxy has not read by then is lost.
/// What it has read goes to mpiexec before the abort, on the same connection.
void wait_until_read(int file) {
  constexpr milliseconds patience{2000};  // for a reader that has stopped; the deadline after a failure is longer
  struct stat kind {};
  if (fstat(file, &kind) != 0 || !(S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode))) {
    return;
  }
  const unsigned long unread_bytes = S_ISFIFO(kind.st_mode) ? FIONREAD : TIOCOUTQ;
  const auto start = std::chrono::steady_clock::now();
  int unread = 0;
  while (ioctl(file, unread_bytes, &unread) == 0 && unread > 0 && std::chrono::steady_clock::now() - start < patience) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

/// Returns when the message is on its way to the user.
void tell(const std::string& message) {
  // One write: lines of other processes cannot come between.
  const std::string line = program_name + ": " + message + "\n";
  std::fflush(stdout);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (n <= 0) {
      return;
    }
    done += static_cast<std::size_t>(n);
  }
  wait_until_read(STDOUT_FILENO);
  wait_until_read(STDERR_FILENO);
}

/// Ends this process after a while, whatever its other threads wait for.
void end_after(seconds time, int code) {
  std::thread([time, code] {
    std::this_thread::sleep_for(time);
    _exit(code);
  }).detach();
}

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

/// What the launcher says about this process.
struct Launcher {
  std::string name;  // with the variable that says so
  int size = 0;      // processes of its job, 0: no launcher
  int rank = 0;
};

Launcher launcher() {
  struct Signs {
    const char *name, *size, *rank;
  };
  // Innermost first: a job step of Slurm may carry the launcher of an MPI library. A job's SLURM_NTASKS says nothing: a
  // batch script may start one process in a job of many tasks.
  constexpr Signs known[] = {{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                             {"an MPICH-like launcher (mpiexec.hydra, srun --mpi=pmi2)", "PMI_SIZE", "PMI_RANK"},
                             {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  Launcher found;
  for (const Signs& signs : known) {
    const int size = number_in_environment(signs.size);
    if (size >= 1 && std::getenv(signs.rank) != nullptr && found.size == 0) {
      found = {std::string(signs.name) + " (" + signs.size + "=" + std::to_string(size) + ")", size,
               number_in_environment(signs.rank)};
    }
  }
  return found;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  HALYARD_MPI_CHECK(MPI_Get_library_version(text, &length));
  std::string line(text, static_cast<std::size_t>(length));
  line = line.substr(0, line.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  line.erase(std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }), line.end());
  return line;
}

/// The processors that this process may run on, one byte each.
std::vector<unsigned char> affinity() {
  std::vector<unsigned char> allowed(CPU_SETSIZE, 0);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      allowed[static_cast<std::size_t>(cpu)] = CPU_ISSET(cpu, &set) ? 1 : 0;
    }
  } else {
    std::fill_n(allowed.begin(), std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, long{CPU_SETSIZE}), 1);
  }
  return allowed;
}

}  // namespace

struct MpiSession::Impl {
  Communicator world, node;
  std::string library = library_version();
  int nodes = 1;
  int threads = 1;
  bool oversubscribed = false;

  MPI_Win window = MPI_WIN_NULL;
  NodeBoard* board = nullptr;
  bool all_seen = true;  // the node's processes see one another's numbers

  std::mutex mutex;
  std::condition_variable changed;
  bool ending = false;
  std::thread watch;

  Impl();
  ~Impl();
  void share_cores();
  void open_board();
  void watch_node();
  bool first_to_tell(int world_rank);
};

MpiSession::Impl::Impl() : node(world.node()) {
  nodes = static_cast<int>(world.sum(std::int64_t{node.rank() == 0 ? 1 : 0}));
  share_cores();
  open_board();
  watch = std::thread([this] { watch_node(); });
}

MpiSession::Impl::~Impl() {
  if (board != nullptr) {
    board->processes()[node.rank()].left = 1;
  }
  {
    const std::lock_guard lock(mutex);
    ending = true;
  }
  changed.notify_all();
  watch.join();
  if (window != MPI_WIN_NULL) {
    node.barrier();  // here waits sleep; MPI_Win_free has one inside that does not
    MPI_Win_free(&window);
  }
}

void MpiSession::Impl::share_cores() {
  const std::vector<unsigned char> mine = affinity();
  std::vector<unsigned char> all(mine.size() * static_cast<std::size_t>(node.size()));
  HALYARD_MPI_CHECK(MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(),
                                  static_cast<int>(mine.size()), MPI_BYTE, node.comm()));
  double share = 0.0;  // of the cores that this rank may use: one that k ranks may use counts 1/k
  for (std::size_t cpu = 0; cpu < mine.size(); ++cpu) {
    int users = 0;
    for (int rank = 0; rank < node.size(); ++rank) {
      users += all[static_cast<std::size_t>(rank) * mine.size() + cpu];
    }
    share += mine[cpu] != 0 ? 1.0 / users : 0.0;
  }
  const double nearly = share + 1e-9;  // thirds do not sum to one
  oversubscribed = world.any(nearly < 1.0);
  set_waits_sleep(oversubscribed);
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    omp_set_num_threads(std::max(1, static_cast<int>(nearly)));
  }
  threads = omp_get_max_threads();
}

void MpiSession::Impl::open_board() {
  const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(NodeBoard)) + node.size() * MPI_Aint{sizeof(NodeBoard::Process)};
  void* memory = nullptr;
  HALYARD_MPI_CHECK(
      MPI_Win_allocate_shared(node.rank() == 0 ? bytes : 0, 1, MPI_INFO_NULL, node.comm(), &memory, &window));
  MPI_Aint size = 0;
  int unit = 0;
  HALYARD_MPI_CHECK(MPI_Win_shared_query(window, 0, &size, &unit, &memory));
  if (node.rank() == 0) {
    std::memset(memory, 0, static_cast<std::size_t>(bytes));
  }
  node.barrier();
  board = std::launder(reinterpret_cast<NodeBoard*>(memory));
  board->processes()[node.rank()].pid = static_cast<int>(getpid());
  node.barrier();
  // Where processes do not see one another (containers with their own process numbers) only the board counts. Asked
  // between two barriers, while all are surely there: one may die as soon as it may go on.
  for (int rank = 0; rank < node.size(); ++rank) {
    all_seen = all_seen && (kill(board->processes()[rank].pid, 0) == 0 || errno == EPERM);
  }
  node.barrier();
}

/// Launchers end a job when a process of it dies, if they notice and are told to; this does not rely on it.
void MpiSession::Impl::watch_node() {
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, watch_interval, [&] { return ending; })) {
    if (board->teller != 0) {
      end_after(deadline_after_failure, exit_code::failure);  // MPI_Abort comes first, unless it fails
      return;
    }
    for (int rank = 0; all_seen && rank < node.size(); ++rank) {
      const NodeBoard::Process& process = board->processes()[rank];
      if (process.left == 0 && kill(process.pid, 0) != 0 && errno == ESRCH && process.left == 0) {
        if (first_to_tell(world.rank())) {
          tell("process " + std::to_string(process.pid) +
               " of this run has died without a message (killed, out of memory?)");
        } else {
          std::this_thread::sleep_for(milliseconds(200));  // another tells
        }
        _exit(exit_code::failure);
      }
    }
  }
}

bool MpiSession::Impl::first_to_tell(int world_rank) {
  int none = 0;
  return board->teller.compare_exchange_strong(none, 1 + world_rank);
}

namespace {

/// Tells other nodes that this one has failed, and whether a lower one has before: one message for the whole run.
bool tells_for_all_nodes(MpiSession::Impl& session) {
  if (session.nodes == 1) {
    return true;
  }
  constexpr int tag = 7919;
  const Communicator& world = session.world;
  static int notice = 1;
  for (int rank = 0; rank < world.size(); ++rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank != world.rank() && MPI_Isend(&notice, 1, MPI_INT, rank, tag, world.comm(), &request) == MPI_SUCCESS) {
      MPI_Request_free(&request);
    }
  }
  // The lowest rank speaks; it need not listen for long, the others wait for its notice.
  const auto patience = world.rank() == 0 ? milliseconds(0) : milliseconds(1000);
  const auto start = std::chrono::steady_clock::now();
  do {
    int arrived = 0;
    MPI_Status status{};
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, world.comm(), &arrived, &status) != MPI_SUCCESS) {
      return true;
    }
    if (arrived != 0) {
      int ignored = 0;
      MPI_Recv(&ignored, 1, MPI_INT, status.MPI_SOURCE, tag, world.comm(), MPI_STATUS_IGNORE);
      if (status.MPI_SOURCE < world.rank()) {
        return false;
      }
    }
    std::this_thread::sleep_for(milliseconds(1));
  } while (std::chrono::steady_clock::now() - start < patience);
  return true;
}

/// Tells the failure, unless another rank does, and ends all ranks.
[[noreturn]] void fail(const std::string& message) {
  end_after(deadline_after_failure, exit_code::failure);
  MpiSession::Impl* session = current;
  if (session == nullptr) {
    tell(message);
    _exit(exit_code::failure);
  }
  const Communicator& world = session->world;
  if (session->first_to_tell(world.rank()) && tells_for_all_nodes(*session)) {
    tell(world.size() == 1
             ? message
             : "rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) + ": " + message);
  } else {
    // Another rank tells and ends this one; if it cannot, this one ends by itself.
    std::this_thread::sleep_for(deadline_after_failure / 2);
  }
  // MPI's own lines about MPI_Abort would only hide the message.
  std::freopen("/dev/null", "w", stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code::failure);
  _exit(exit_code::failure);
}

/// For exceptions that nothing catches. The stack is left as it is: destructors of parallel files and communicators
/// would wait for ranks that do not come.
[[noreturn]] void terminated() {
  std::string message = "ended by std::terminate";
  if (const std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      message = known.what();
      if (dynamic_cast<const Error*>(&known) == nullptr && typeid(known) == typeid(std::bad_alloc)) {
        message = "out of memory (" + message + ")";
      }
    } catch (...) {
      message = "an exception of unknown type";
    }
  }
  fail(message);
}

}  // namespace

MpiSession::MpiSession(int* argc, char*** argv) {
  const Launcher said = launcher();
  int level = 0;
  HALYARD_MPI_CHECK(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level));
  int size = 1;
  HALYARD_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  if (size == 1 && said.size > 1) {
    const std::string library = library_version();
    MPI_Finalize();
    throw Error("this process is alone, but " + said.name + " started it as one of " + std::to_string(said.size) +
                ": launcher and MPI library do not match. The program is linked with " + library +
                "; start it with that library's launcher (Debian: mpiexec.mpich, or srun --mpi=pmi2)");
  }
  if (level < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Error("the MPI library " + library_version() + " gives no MPI_THREAD_FUNNELED");
  }
  impl_ = std::make_unique<Impl>();
  current = impl_.get();
}

MpiSession::~MpiSession() {
  current = nullptr;
  impl_.reset();
  MPI_Finalize();
}

const Communicator& MpiSession::world() const { return impl_->world; }
int MpiSession::node_rank() const { return impl_->node.rank(); }
int MpiSession::node_ranks() const { return impl_->node.size(); }
int MpiSession::nodes() const { return impl_->nodes; }
int MpiSession::threads() const { return impl_->threads; }
bool MpiSession::oversubscribed() const { return impl_->oversubscribed; }
const std::string& MpiSession::library() const { return impl_->library; }

int run_guarded(int argc, char** argv, const std::function<int(MpiSession&)>& body) {
  program_name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "halyard";
  std::unique_ptr<MpiSession> session;
  try {
    session = std::make_unique<MpiSession>(&argc, &argv);
  } catch (const std::exception& error) {
    if (launcher().rank == 0) {
      tell(error.what());
    }
    return exit_code::failure;
  }
  const std::terminate_handler previous = std::set_terminate(terminated);
  int code = exit_code::finished;
  try {
    code = body(*session);
  } catch (const CollectiveError& error) {
    // Nothing but this is caught: see terminated().
    if (session->world().rank() == 0) {
      tell(error.what());
    }
    code = error.exit_code();
    end_after(deadline_after_failure, code);
  }
  std::set_terminate(previous);
  return code;
}

}  // namespace halyard
