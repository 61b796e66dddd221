#include "solvers/parallel/halo_exchange.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/device/buffer.hpp"
#include "kernels/device/error.hpp"
#include "kernels/grid/copy_boxes.hpp"
#include "solvers/parallel/mpi_check.hpp"
#include "solvers/parallel/wait.hpp"

namespace halyard {

namespace {

/// A run of ghost layers along one axis and the owner's layers that fill it, both in the indices of their own block.
struct Layers {
  int ghost, source, count;
};

/// Direction -1, 0, 1 along an axis with n cells here. With fewer cells than ghosts (an axis in one part) the cells
/// repeat.
std::vector<Layers> layers(int n, int width, int direction) {
  if (direction == 0) {
    return {{0, 0, n}};
  }
  if (n >= width) {
    return {direction < 0 ? Layers{-width, n - width, width} : Layers{n, 0, width}};
  }
  std::vector<Layers> single;
  for (int g = 0; g < width; ++g) {
    single.push_back(direction < 0 ? Layers{-1 - g, n - 1 - g % n, 1} : Layers{n + g, g % n, 1});
  }
  return single;
}

/// Rows of ghosts beyond one side or edge.
struct Region {
  Sides needs;  // a field takes part that wants all of these sides
  Layers j, k;
};

/// What this rank exchanges with another in one message.
struct Peer {
  int rank;
  std::vector<Region> send, receive;
  std::int64_t send_offset = 0, receive_offset = 0;  // in the buffers, doubles
  std::int64_t send_count = 0, receive_count = 0;    // of the running exchange
};

std::int64_t rows(const Region& region) { return std::int64_t{region.j.count} * region.k.count; }

std::int64_t rows(const std::vector<Region>& regions) {
  std::int64_t total = 0;
  for (const Region& region : regions) {
    total += rows(region);
  }
  return total;
}

bool wanted(const HaloField& field, const Region& region) { return (region.needs & ~field.sides) == 0; }

}  // namespace

struct HaloExchange::Impl {
  Communicator comm;
  Queue& queue;
  ExchangePath path;
  int most_fields;
  int width;
  std::int64_t row_length;     // with its x ghosts
  std::vector<Region> inside;  // ghosts that this rank's own cells fill
  std::vector<Peer> peers;
  Buffer<double> send, receive;                // the queue's memory
  Buffer<double> pinned_send, pinned_receive;  // staged path only
  std::vector<BoxCopy> copies;
  std::vector<MPI_Request> send_requests, receive_requests;
  std::vector<HaloField> fields;  // of the running exchange
  bool running = false;

  Impl(const Communicator& c, const Decomposition& decomposition, Queue& q, ExchangePath p, int f, int w);
  Peer& peer(int rank);
  double* outgoing() { return path == ExchangePath::staged ? pinned_send.data() : send.data(); }
  double* incoming() { return path == ExchangePath::staged ? pinned_receive.data() : receive.data(); }
  std::int64_t count(const std::vector<Region>& regions) const;
  void pack(const Peer& to);
  void unpack(const Peer& from);
};

HaloExchange::Impl::Impl(const Communicator& c, const Decomposition& decomposition, Queue& q, ExchangePath p, int f,
                         int w)
    : comm(c.comm()), queue(q), path(p), most_fields(f), width(w) {
  const Box block = decomposition.block();
  const std::array<int, 3> n{static_cast<int>(block.extent(0)), static_cast<int>(block.extent(1)),
                             static_cast<int>(block.extent(2))};
  row_length = n[0] + 2 * width;
  check_rank_grid(decomposition.cells(), decomposition.grid(), comm.size(), width);

  // Sender and receiver go through the directions in the same order, so their messages agree.
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      if (dy == 0 && dz == 0) {
        continue;
      }
      const Sides needs = (dy < 0   ? side::y_lower
                           : dy > 0 ? side::y_upper
                                    : 0U) |
                          (dz < 0   ? side::z_lower
                           : dz > 0 ? side::z_upper
                                    : 0U);
      const int source = decomposition.neighbour(dy, dz), target = decomposition.neighbour(-dy, -dz);
      for (const Layers& k : layers(n[2], width, dz)) {
        for (const Layers& j : layers(n[1], width, dy)) {
          const Region region{needs, j, k};
          if (source == comm.rank()) {
            inside.push_back(region);
          } else if (source >= 0) {
            peer(source).receive.push_back(region);
          }
          if (target >= 0 && target != comm.rank()) {
            peer(target).send.push_back(region);
          }
        }
      }
    }
  }

  std::int64_t send_rows = 0, receive_rows = 0;
  std::size_t most_copies = inside.size();
  for (Peer& each : peers) {
    each.send_offset = send_rows * row_length * most_fields;
    each.receive_offset = receive_rows * row_length * most_fields;
    send_rows += rows(each.send);
    receive_rows += rows(each.receive);
    most_copies = std::max({most_copies, each.receive.size()});
  }
  std::size_t sends = 0;
  for (const Peer& each : peers) {
    sends += each.send.size();
  }
  copies.reserve(std::max(most_copies, sends) * static_cast<std::size_t>(most_fields));
  fields.reserve(static_cast<std::size_t>(most_fields));
  send_requests.resize(peers.size(), MPI_REQUEST_NULL);
  receive_requests.resize(peers.size(), MPI_REQUEST_NULL);
  const auto send_size = static_cast<std::size_t>(send_rows * row_length * most_fields);
  const auto receive_size = static_cast<std::size_t>(receive_rows * row_length * most_fields);
  if (!peers.empty()) {
    send = Buffer<double>(queue, send_size, "halo to send");
    receive = Buffer<double>(queue, receive_size, "halo received");
    if (path == ExchangePath::staged) {
      pinned_send = Buffer<double>(queue, send_size, "halo to send, staged", MemoryKind::pinned);
      pinned_receive = Buffer<double>(queue, receive_size, "halo received, staged", MemoryKind::pinned);
    }
    queue.wait();  // the buffers are zeroed before MPI writes into them
  }
}

Peer& HaloExchange::Impl::peer(int rank) {
  for (Peer& each : peers) {
    if (each.rank == rank) {
      return each;
    }
  }
  return peers.emplace_back(Peer{.rank = rank, .send = {}, .receive = {}});
}

std::int64_t HaloExchange::Impl::count(const std::vector<Region>& regions) const {
  std::int64_t total = 0;
  for (const HaloField& field : fields) {
    for (const Region& region : regions) {
      total += wanted(field, region) ? rows(region) * row_length : 0;
    }
  }
  return total;
}

void HaloExchange::Impl::pack(const Peer& to) {
  double* at = send.data() + to.send_offset;
  for (const HaloField& field : fields) {
    const View3<double>& view = field.view;
    for (const Region& region : to.send) {
      if (wanted(field, region)) {
        copies.push_back({.from = view.row(region.j.source, region.k.source) - width,
                          .to = at,
                          .from_stride_j = view.stride_j,
                          .from_stride_k = view.stride_k,
                          .to_stride_j = row_length,
                          .to_stride_k = row_length * region.j.count,
                          .ni = row_length,
                          .nj = region.j.count,
                          .nk = region.k.count});
        at += rows(region) * row_length;
      }
    }
  }
}

void HaloExchange::Impl::unpack(const Peer& from) {
  const double* at = receive.data() + from.receive_offset;
  copies.clear();
  for (const HaloField& field : fields) {
    const View3<double>& view = field.view;
    for (const Region& region : from.receive) {
      if (wanted(field, region)) {
        copies.push_back({.from = at,
                          .to = view.row(region.j.ghost, region.k.ghost) - width,
                          .from_stride_j = row_length,
                          .from_stride_k = row_length * region.j.count,
                          .to_stride_j = view.stride_j,
                          .to_stride_k = view.stride_k,
                          .ni = row_length,
                          .nj = region.j.count,
                          .nk = region.k.count});
        at += rows(region) * row_length;
      }
    }
  }
  copy_boxes(queue, copies);
}

HaloExchange::HaloExchange(const Communicator& comm, const Decomposition& decomposition, Queue& queue,
                           ExchangePath path, int fields, int width)
    : impl_(std::make_unique<Impl>(comm, decomposition, queue, path, fields, width)) {}

HaloExchange::~HaloExchange() = default;

void HaloExchange::start(std::span<const HaloField> fields) {
  Impl& x = *impl_;
  if (x.running) {
    throw Error("a halo exchange was started before the last one was finished");
  }
  if (fields.size() > static_cast<std::size_t>(x.most_fields)) {
    throw Error("a halo exchange of " + std::to_string(fields.size()) + " fields, made for at most " +
                std::to_string(x.most_fields));
  }
  x.fields.assign(fields.begin(), fields.end());
  x.running = true;
  if (x.path == ExchangePath::direct) {
    x.queue.wait();  // the last exchange's unpacking, before MPI writes into the same memory
  }

  for (std::size_t p = 0; p < x.peers.size(); ++p) {
    Peer& from = x.peers[p];
    from.receive_count = x.count(from.receive);
    if (from.receive_count > 0) {
      HALYARD_MPI_CHECK(MPI_Irecv(x.incoming() + from.receive_offset, static_cast<int>(from.receive_count), MPI_DOUBLE,
                                  from.rank, 0, x.comm.comm(), &x.receive_requests[p]));
    }
  }

  x.copies.clear();
  for (Peer& to : x.peers) {
    to.send_count = x.count(to.send);
    x.pack(to);
  }
  copy_boxes(x.queue, x.copies);
  if (x.path == ExchangePath::staged) {
    for (const Peer& to : x.peers) {
      copy_bytes(x.queue, x.outgoing() + to.send_offset, x.send.data() + to.send_offset,
                 static_cast<std::size_t>(to.send_count) * sizeof(double));
    }
  }
  x.queue.wait();  // MPI does not wait for the stream

  for (std::size_t p = 0; p < x.peers.size(); ++p) {
    const Peer& to = x.peers[p];
    if (to.send_count > 0) {
      HALYARD_MPI_CHECK(MPI_Isend(x.outgoing() + to.send_offset, static_cast<int>(to.send_count), MPI_DOUBLE, to.rank,
                                  0, x.comm.comm(), &x.send_requests[p]));
    }
  }

  x.copies.clear();
  for (const HaloField& field : x.fields) {
    const View3<double>& view = field.view;
    for (const Region& region : x.inside) {
      if (wanted(field, region)) {
        x.copies.push_back({.from = view.row(region.j.source, region.k.source) - x.width,
                            .to = view.row(region.j.ghost, region.k.ghost) - x.width,
                            .from_stride_j = view.stride_j,
                            .from_stride_k = view.stride_k,
                            .to_stride_j = view.stride_j,
                            .to_stride_k = view.stride_k,
                            .ni = x.row_length,
                            .nj = region.j.count,
                            .nk = region.k.count});
      }
    }
  }
  copy_boxes(x.queue, x.copies);
}

void HaloExchange::finish() {
  Impl& x = *impl_;
  for (int p = wait_any(x.receive_requests); p >= 0; p = wait_any(x.receive_requests)) {
    const Peer& from = x.peers[static_cast<std::size_t>(p)];
    if (x.path == ExchangePath::staged) {
      copy_bytes(x.queue, x.receive.data() + from.receive_offset, x.incoming() + from.receive_offset,
                 static_cast<std::size_t>(from.receive_count) * sizeof(double));
    }
    x.unpack(from);
  }
  if (x.path == ExchangePath::staged) {
    x.queue.wait();  // the next exchange receives into the same pinned memory
  }
  wait_all(x.send_requests);
  x.running = false;
}

std::string HaloExchange::description() {
  Impl& x = *impl_;
  std::int64_t largest = 0;
  for (const Peer& to : x.peers) {
    largest = std::max(largest, rows(to.send) * x.row_length * x.most_fields);
  }
  largest = x.comm.max(largest) * std::int64_t{sizeof(double)};
  const std::int64_t neighbours = x.comm.max(static_cast<std::int64_t>(x.peers.size()));
  if (neighbours == 0) {
    return "copies inside the rank, no messages";
  }
  const ExchangeSpeed speed = measure_exchange(x.comm, x.queue, x.path, static_cast<std::size_t>(largest));
  const char* path = x.path == ExchangePath::staged     ? "staged through pinned host memory"
                     : x.queue.device() == Device::cuda ? "device memory handed to MPI"
                                                        : "host memory handed to MPI";
  char text[256];
  std::snprintf(text, sizeof text,
                "%s, up to %lld neighbour%s, messages up to %.1f KiB, %.1f us latency, %.1f GB/s one way", path,
                static_cast<long long>(neighbours), neighbours == 1 ? "" : "s", static_cast<double>(largest) / 1024.0,
                1e6 * speed.latency, 1e-9 * speed.bandwidth);
  return text;
}

}  // namespace halyard
