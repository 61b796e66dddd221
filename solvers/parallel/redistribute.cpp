#include "solvers/parallel/redistribute.hpp"

#include <algorithm>
#include <string>

#include "kernels/device/buffer.hpp"
#include "kernels/device/error.hpp"
#include "kernels/grid/copy_boxes.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard {

namespace {

// MPI counts in int: longer parts go as several messages, which arrive in their order.
constexpr std::int64_t most_in_message = std::int64_t{1} << 30;

/// The cells that this rank exchanges with another.
struct Part {
  int rank;
  Box cells;
  std::int64_t offset;  // in the scratch, doubles
  std::int64_t count;   // doubles
};

int messages(const Part& part) { return static_cast<int>((part.count + most_in_message - 1) / most_in_message); }

/// The box as copy_boxes() sees it, in an array that holds `whole`.
struct Placed {
  std::int64_t offset, stride_j, stride_k;  // doubles
};

Placed place(const Box& cells, const Box& whole, const Layout& layout, int unit) {
  return {unit * ((cells.begin[0] - whole.begin[0]) + layout.stride_j * (cells.begin[1] - whole.begin[1]) +
                  layout.stride_k * (cells.begin[2] - whole.begin[2])),
          unit * layout.stride_j, unit * layout.stride_k};
}

Placed dense(const Box& cells, int unit) { return place(cells, cells, Layout::dense(cells), unit); }

BoxCopy copy_of(const Box& cells, int unit, const double* from, const Placed& from_place, double* to,
                const Placed& to_place) {
  return {.from = from + from_place.offset,
          .to = to + to_place.offset,
          .from_stride_j = from_place.stride_j,
          .from_stride_k = from_place.stride_k,
          .to_stride_j = to_place.stride_j,
          .to_stride_k = to_place.stride_k,
          .ni = unit * cells.extent(0),
          .nj = cells.extent(1),
          .nk = cells.extent(2)};
}

std::string text_of(const Box& box) {
  const auto range = [&](int axis) {
    return "[" + std::to_string(box.begin[axis]) + ", " + std::to_string(box.end[axis]) + ")";
  };
  return range(0) + " x " + range(1) + " x " + range(2);
}

/// The boxes of a set are disjoint, and each lies whole under those of the other set.
void check_tiling(const std::vector<Box>& boxes, const std::vector<Box>& others) {
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    std::int64_t covered = 0;
    for (std::size_t other = 0; other < others.size(); ++other) {
      covered += intersection(boxes[rank], others[other]).count();
      if (other > rank && !intersection(boxes[rank], boxes[other]).empty()) {
        throw Error("redistribution: the boxes of the ranks " + std::to_string(rank) + " and " + std::to_string(other) +
                    " share cells: " + text_of(boxes[rank]) + " and " + text_of(boxes[other]));
      }
    }
    if (covered != boxes[rank].count()) {
      throw Error("redistribution: of the " + std::to_string(boxes[rank].count()) + " cells " + text_of(boxes[rank]) +
                  " of rank " + std::to_string(rank) + " the other set of boxes has " + std::to_string(covered));
    }
  }
}

}  // namespace

struct Redistribute::Impl {
  Communicator comm;
  std::vector<Box> from, to;
  int unit;
  ExchangePath path;
  Box kept;  // cells that stay on this rank
  std::vector<Part> sends, receives;
  std::int64_t send_doubles = 0, receive_doubles = 0;
  bool identity = false;

  // Memory: scratch of its own when none is lent; pinned copies on the staged path.
  Buffer<double> own_scratch, pinned;
  std::vector<BoxCopy> copies;
  std::vector<MPI_Request> send_requests, receive_requests;
  std::vector<int> part_of_request;
  std::vector<int> messages_left;  // per part received

  // Of the running call.
  Queue* queue = nullptr;
  double* target = nullptr;
  Layout to_layout;
  double* scratch = nullptr;

  Impl(const Communicator& c, std::vector<Box> f, std::vector<Box> t, int doubles, ExchangePath p);
  const Box& own(const std::vector<Box>& boxes) const { return boxes[static_cast<std::size_t>(comm.rank())]; }
  void unpack(const Part& part);
};

Redistribute::Impl::Impl(const Communicator& c, std::vector<Box> f, std::vector<Box> t, int doubles, ExchangePath p)
    : comm(c.comm()), from(std::move(f)), to(std::move(t)), unit(doubles), path(p) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  if (from.size() != ranks || to.size() != ranks) {
    throw Error("redistribution: " + std::to_string(from.size()) + " and " + std::to_string(to.size()) + " boxes for " +
                std::to_string(ranks) + " ranks");
  }
  check_tiling(from, to);
  check_tiling(to, from);
  identity = true;
  for (std::size_t r = 0; r < ranks; ++r) {
    identity = identity && (from[r] == to[r] || (from[r].empty() && to[r].empty()));
  }
  kept = intersection(own(from), own(to));
  // Starting with the next rank, so that not all send to rank 0 first.
  for (int step = 1; step < comm.size(); ++step) {
    const int target_rank = (comm.rank() + step) % comm.size();
    const int source_rank = (comm.rank() - step + comm.size()) % comm.size();
    if (const Box out = intersection(own(from), to[static_cast<std::size_t>(target_rank)]); !out.empty()) {
      sends.push_back({target_rank, out, send_doubles, unit * out.count()});
      send_doubles += unit * out.count();
    }
    if (const Box in = intersection(from[static_cast<std::size_t>(source_rank)], own(to)); !in.empty()) {
      receives.push_back({source_rank, in, receive_doubles, unit * in.count()});
      receive_doubles += unit * in.count();
    }
  }
  // The scratch holds what is received after what is sent.
  for (Part& part : receives) {
    part.offset += send_doubles;
  }
  std::size_t send_messages = 0;
  for (const Part& part : sends) {
    send_messages += static_cast<std::size_t>(messages(part));
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    part_of_request.insert(part_of_request.end(), static_cast<std::size_t>(messages(receives[i])), static_cast<int>(i));
  }
  send_requests.resize(send_messages, MPI_REQUEST_NULL);
  receive_requests.resize(part_of_request.size(), MPI_REQUEST_NULL);
  messages_left.resize(receives.size());
  copies.reserve(sends.size() + 1);
}

void Redistribute::Impl::unpack(const Part& part) {
  if (path == ExchangePath::staged) {
    copy_bytes(*queue, scratch + part.offset, pinned.data() + part.offset,
               static_cast<std::size_t>(part.count) * sizeof(double));
  }
  const BoxCopy copy = copy_of(part.cells, unit, scratch + part.offset, dense(part.cells, unit), target,
                               place(part.cells, own(to), to_layout, unit));
  copy_boxes(*queue, {&copy, 1});
}

Redistribute::Redistribute(const Communicator& comm, std::vector<Box> from, std::vector<Box> to,
                           int doubles_per_element, ExchangePath path)
    : impl_(std::make_unique<Impl>(comm, std::move(from), std::move(to), doubles_per_element, path)) {}

Redistribute::~Redistribute() = default;
Redistribute::Redistribute(Redistribute&&) noexcept = default;
Redistribute& Redistribute::operator=(Redistribute&&) noexcept = default;

const Box& Redistribute::from() const { return impl_->own(impl_->from); }
const Box& Redistribute::to() const { return impl_->own(impl_->to); }
bool Redistribute::is_identity() const { return impl_->identity; }
std::int64_t Redistribute::scratch_doubles() const { return impl_->send_doubles + impl_->receive_doubles; }

void Redistribute::execute(Queue& queue, const double* source, const Layout& from_layout, double* target,
                           const Layout& to_layout, std::span<double> scratch) {
  start(queue, source, from_layout, target, to_layout, scratch);
  finish();
}

void Redistribute::start(Queue& queue, const double* source, const Layout& from_layout, double* target,
                         const Layout& to_layout, std::span<double> scratch) {
  Impl& x = *impl_;
  if (x.queue != nullptr) {
    throw Error("a redistribution was started before the last one was finished");
  }
  const auto needed = static_cast<std::size_t>(scratch_doubles());
  if (scratch.empty()) {
    if (x.own_scratch.size() < needed) {
      x.own_scratch = Buffer<double>(queue, needed, "redistribution");
    }
    scratch = {x.own_scratch.data(), needed};
  }
  if (scratch.size() < needed) {
    throw Error("redistribution: scratch of " + std::to_string(scratch.size()) + " doubles in place of " +
                std::to_string(needed));
  }
  const bool staged = x.path == ExchangePath::staged;
  if (staged && x.pinned.size() < needed) {
    x.pinned = Buffer<double>(queue, needed, "redistribution, staged", MemoryKind::pinned);
  }
  queue.wait();  // whatever still works on the scratch, before MPI writes into it
  x.queue = &queue;
  x.target = target;
  x.to_layout = to_layout;
  x.scratch = scratch.data();
  double* const memory = staged ? x.pinned.data() : x.scratch;

  const auto for_each_message = [&](const Part& part, auto&& post) {
    for (std::int64_t done = 0; done < part.count; done += most_in_message) {
      post(memory + part.offset + done, static_cast<int>(std::min(most_in_message, part.count - done)));
    }
  };
  std::size_t request = 0;
  for (std::size_t i = 0; i < x.receives.size(); ++i) {
    x.messages_left[i] = messages(x.receives[i]);
    for_each_message(x.receives[i], [&](double* at, int count) {
      HALYARD_MPI_CHECK(
          MPI_Irecv(at, count, MPI_DOUBLE, x.receives[i].rank, 0, x.comm.comm(), &x.receive_requests[request++]));
    });
  }

  x.copies.clear();
  for (const Part& part : x.sends) {
    x.copies.push_back(copy_of(part.cells, x.unit, source, place(part.cells, from(), from_layout, x.unit),
                               x.scratch + part.offset, dense(part.cells, x.unit)));
  }
  copy_boxes(queue, x.copies);
  if (staged) {
    copy_bytes(queue, memory, x.scratch, static_cast<std::size_t>(x.send_doubles) * sizeof(double));
  }
  if (!x.sends.empty()) {
    queue.wait();  // MPI does not wait for the stream
  }
  request = 0;
  for (const Part& part : x.sends) {
    for_each_message(part, [&](double* at, int count) {
      HALYARD_MPI_CHECK(MPI_Isend(at, count, MPI_DOUBLE, part.rank, 0, x.comm.comm(), &x.send_requests[request++]));
    });
  }

  if (!x.kept.empty()) {
    const BoxCopy copy = copy_of(x.kept, x.unit, source, place(x.kept, from(), from_layout, x.unit), target,
                                 place(x.kept, to(), to_layout, x.unit));
    copy_boxes(queue, {&copy, 1});
  }
}

void Redistribute::finish() {
  Impl& x = *impl_;
  for (int done = wait_any(x.receive_requests); done >= 0; done = wait_any(x.receive_requests)) {
    const auto part = static_cast<std::size_t>(x.part_of_request[static_cast<std::size_t>(done)]);
    if (--x.messages_left[part] == 0) {
      x.unpack(x.receives[part]);
    }
  }
  wait_all(x.send_requests);
  if (x.path == ExchangePath::staged) {
    x.queue->wait();  // the next call receives into the same pinned memory
  }
  x.queue = nullptr;
}

}  // namespace halyard
