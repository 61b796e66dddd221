#include "solvers/run/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/log/format.hpp"
#include "solvers/parallel/mpi_check.hpp"

namespace halyard {

std::vector<KernelTotal> gather_kernels(const Communicator& communicator, const std::vector<KernelRecord>& records) {
  std::string mine;
  for (const KernelRecord& record : records) {
    if (record.calls > 0) {
      mine += fmt::format("{}\t{} {} {} {} {}\n", record.name, record.cost.bytes, record.cost.flops, record.calls,
                          record.items, record.seconds);
    }
  }
  const int size = communicator.size();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size)), starts(static_cast<std::size_t>(size));
  HALYARD_MPI_CHECK(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, communicator.comm()));
  int total = 0;
  for (int rank = 0; rank < size; ++rank) {
    starts[static_cast<std::size_t>(rank)] = total;
    total += lengths[static_cast<std::size_t>(rank)];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  HALYARD_MPI_CHECK(MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0,
                                communicator.comm()));
  std::vector<KernelTotal> kernels;
  if (communicator.rank() != 0) {
    return kernels;
  }
  std::istringstream lines(all);
  for (std::string name; std::getline(lines, name, '\t');) {
    std::string numbers;
    std::getline(lines, numbers);
    std::istringstream fields(numbers);
    KernelRecord record;
    fields >> record.cost.bytes >> record.cost.flops >> record.calls >> record.items >> record.seconds;
    auto found = std::find_if(kernels.begin(), kernels.end(), [&](const KernelTotal& k) { return k.name == name; });
    if (found == kernels.end()) {
      found = kernels.insert(found, KernelTotal{name, record.cost});
    }
    found->calls = std::max(found->calls, record.calls);
    found->items += record.items;
    found->seconds += record.seconds / size;
    found->seconds_max = std::max(found->seconds_max, record.seconds);
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelTotal& a, const KernelTotal& b) { return a.seconds > b.seconds; });
  return kernels;
}

std::string kernel_table(const std::vector<KernelTotal>& kernels, double step_seconds, double copy_bandwidth) {
  std::string text = fmt::format("{:<28} {:>9} {:>10} {:>7} {:>9} {:>9} {:>9}\n", "kernel (mean over ranks)", "calls",
                                 "seconds", "of step", "ns/item", "GB/s", "of copy");
  for (const KernelTotal& k : kernels) {
    const double rate = k.bytes_per_second();
    text +=
        fmt::format("{:<28} {:>9} {:>10.3f} {:>7} {:>9} {:>9} {:>9}\n", k.name, k.calls, k.seconds,
                    step_seconds > 0.0 ? fmt::format("{:.1f} %", 100.0 * k.seconds / step_seconds) : "",
                    k.items > 0 ? fmt::format("{:.3f}", 1e9 * k.seconds / static_cast<double>(k.items)) : "",
                    rate > 0.0 ? fmt::format("{:.1f}", 1e-9 * rate) : "",
                    rate > 0.0 && copy_bandwidth > 0.0 ? fmt::format("{:.0f} %", 100.0 * rate / copy_bandwidth) : "");
  }
  if (copy_bandwidth > 0.0) {
    text += fmt::format(
        "GB/s: bytes that the algorithm must move, all ranks together; a plain copy on all ranks at once runs at "
        "{:.1f} GB/s",
        1e-9 * copy_bandwidth);
  } else {
    text.pop_back();
  }
  return text;
}

Json kernel_json(const std::vector<KernelTotal>& kernels, double copy_bandwidth) {
  Json list = Json::array();
  for (const KernelTotal& k : kernels) {
    Json entry{{"name", k.name},
               {"calls", k.calls},
               {"items", k.items},
               {"seconds", k.seconds},
               {"seconds_max", k.seconds_max},
               {"bytes_per_item", k.cost.bytes},
               {"bytes_per_second", k.bytes_per_second()}};
    if (copy_bandwidth > 0.0) {
      entry.set("share_of_copy", k.bytes_per_second() / copy_bandwidth);
    }
    list.push(entry);
  }
  return list;
}

std::string phase_table(const Phases& phases) {
  std::string text = "wall time: setup " + duration_text(phases.setup);
  const auto add = [&](const char* name, double seconds) {
    text += fmt::format(", {} {}", name, duration_text(seconds));
  };
  add("steps", phases.step);
  add("history", phases.history);
  add("output", phases.output);
  add("checkpoints", phases.checkpoint);
  add("health", phases.health);
  return text;
}

Json phase_json(const Phases& phases) {
  return {{"setup", phases.setup},           {"step", phases.step},
          {"history", phases.history},       {"output", phases.output},
          {"checkpoint", phases.checkpoint}, {"health", phases.health}};
}

}  // namespace halyard
