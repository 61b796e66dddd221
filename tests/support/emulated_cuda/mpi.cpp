// MPI as a library that knows device memory, or does not (Settings::mpi_takes_device_pointers): calls of this program
// and of the libraries that it loads come here first. One that does not know it would end in a fault or, worse, in a
// wrong message: a pointer to device memory is refused by name. One that does reads and writes at once, whatever the
// streams still have to do.
#include <mpi.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/emulated_cuda/machine.hpp"

namespace {

using namespace halyard::emulated;

void refuse_device_memory(const char* call, std::initializer_list<const void*> buffers) {
  count_call(call);
  for (const void* const buffer : buffers) {
    if (is_device_memory(buffer)) {
      fail(std::string(call) + " is given " + describe(*find(buffer)) + ", and " +
           (settings().mpi_takes_device_pointers ? "only MPI_Isend and MPI_Irecv take that here"
                                                 : "this MPI takes memory of the host only"));
    }
  }
}

/// A message on its way from or to device memory.
struct Message {
  MPI_Request request;
  std::vector<char> bytes;
  void* to;  // null: sent
};
std::vector<std::unique_ptr<Message>>& messages() {
  static auto* instance = new std::vector<std::unique_ptr<Message>>;
  return *instance;
}

std::size_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
}

/// MPI may write to the buffer of a receive from now on: what it held is lost at once.
void spoil(void* data, std::size_t bytes) {
  const Allocation* const a = find(data);
  if (a == nullptr) {
    return;
  }
  open_memory(a->device);
  std::memset(data, 0xff, bytes);
  close_memory();
}

void completed(MPI_Request request) {
  for (auto at = messages().begin(); at != messages().end(); ++at) {
    Message& message = **at;
    if (message.request == request) {
      if (message.to != nullptr) {
        open_memory(find(message.to)->device);
        std::memcpy(message.to, message.bytes.data(), message.bytes.size());
        close_memory();
      }
      messages().erase(at);
      return;
    }
  }
}

}  // namespace

extern "C" {

int MPIX_Query_cuda_support() { return settings().mpi_takes_device_pointers ? 1 : 0; }

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!settings().mpi_takes_device_pointers || !is_device_memory(data)) {
    refuse_device_memory("MPI_Isend", {data});
    return PMPI_Isend(data, count, type, to, tag, comm, request);
  }
  count_call("MPI_Isend");
  auto message = std::make_unique<Message>();
  message->bytes.resize(bytes_of(count, type));
  open_memory(find(data)->device);
  std::memcpy(message->bytes.data(), data, message->bytes.size());
  close_memory();
  const int status = PMPI_Isend(message->bytes.data(), count, type, to, tag, comm, &message->request);
  *request = message->request;
  messages().push_back(std::move(message));
  return status;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!settings().mpi_takes_device_pointers || !is_device_memory(data)) {
    refuse_device_memory("MPI_Irecv", {data});
    spoil(data, bytes_of(count, type));
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
  }
  count_call("MPI_Irecv");
  auto message = std::make_unique<Message>();
  message->to = data;
  spoil(data, bytes_of(count, type));
  message->bytes.resize(bytes_of(count, type));
  const int status = PMPI_Irecv(message->bytes.data(), count, type, from, tag, comm, &message->request);
  *request = message->request;
  messages().push_back(std::move(message));
  return status;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, done, status);
  if (*done != 0) {
    completed(before);
  }
  return code;
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses) {
  const std::vector<MPI_Request> before(requests, requests + count);
  const int code = PMPI_Testall(count, requests, done, statuses);
  if (*done != 0) {
    for (const MPI_Request request : before) {
      completed(request);
    }
  }
  return code;
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* done, MPI_Status* status) {
  const std::vector<MPI_Request> before(requests, requests + count);
  const int code = PMPI_Testany(count, requests, index, done, status);
  if (*done != 0 && *index != MPI_UNDEFINED) {
    completed(before[static_cast<std::size_t>(*index)]);
  }
  return code;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  refuse_device_memory("MPI_Send", {data});
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  refuse_device_memory("MPI_Recv", {data});
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  refuse_device_memory("MPI_Bcast", {data});
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  refuse_device_memory("MPI_Reduce", {from, to});
  return PMPI_Reduce(from, to, count, type, op, root, comm);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  refuse_device_memory("MPI_Allreduce", {from, to});
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  refuse_device_memory("MPI_Iallreduce", {from, to});
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  refuse_device_memory("MPI_Ibcast", {data});
  return PMPI_Ibcast(data, count, type, root, comm, request);
}

int MPI_Gather(const void* from, int send_count, MPI_Datatype send_type, void* to, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
  refuse_device_memory("MPI_Gather", {from, to});
  return PMPI_Gather(from, send_count, send_type, to, count, type, root, comm);
}

int MPI_Gatherv(const void* from, int send_count, MPI_Datatype send_type, void* to, const int* counts,
                const int* places, MPI_Datatype type, int root, MPI_Comm comm) {
  refuse_device_memory("MPI_Gatherv", {from, to});
  return PMPI_Gatherv(from, send_count, send_type, to, counts, places, type, root, comm);
}

int MPI_Allgather(const void* from, int send_count, MPI_Datatype send_type, void* to, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  refuse_device_memory("MPI_Allgather", {from, to});
  return PMPI_Allgather(from, send_count, send_type, to, count, type, comm);
}

int MPI_Allgatherv(const void* from, int send_count, MPI_Datatype send_type, void* to, const int* counts,
                   const int* places, MPI_Datatype type, MPI_Comm comm) {
  refuse_device_memory("MPI_Allgatherv", {from, to});
  return PMPI_Allgatherv(from, send_count, send_type, to, counts, places, type, comm);
}

int MPI_Ialltoall(const void* from, int send_count, MPI_Datatype send_type, void* to, int count, MPI_Datatype type,
                  MPI_Comm comm, MPI_Request* request) {
  refuse_device_memory("MPI_Ialltoall", {from, to});
  return PMPI_Ialltoall(from, send_count, send_type, to, count, type, comm, request);
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                      MPI_Status* status) {
  refuse_device_memory("MPI_File_write_at", {data});
  return PMPI_File_write_at(file, offset, data, count, type, status);
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                          MPI_Status* status) {
  refuse_device_memory("MPI_File_write_at_all", {data});
  return PMPI_File_write_at_all(file, offset, data, count, type, status);
}

}  // extern "C"
