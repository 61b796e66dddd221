#include "solvers/run/version.hpp"

#include <fftw3.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>
#include <muParser.h>
#include <omp.h>
#include <toml++/toml.h>

#include <CLI/Version.hpp>

#include "kernels/device/queue.hpp"

namespace halyard {

namespace {
std::string first_lines_joined(std::string text, int lines) {
  std::string joined;
  for (std::size_t at = 0; lines > 0 && at < text.size(); --lines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const auto first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t\r");
    if (first != std::string::npos) {
      joined += (joined.empty() ? "" : ", ") + line.substr(first, last - first + 1);
    }
    at = end + 1;
  }
  for (char& c : joined) {
    c = c == '\t' ? ' ' : c;
  }
  return joined;
}
}  // namespace

std::string version() { return HALYARD_VERSION; }

std::string version_text(const std::string& program) {
  std::string text = fmt::format("{} {}\n", program, version());
  const auto line = [&](const char* name, const std::string& what) { text += fmt::format("{:<16} {}\n", name, what); };

  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);

  line("MPI", first_lines_joined(std::string(mpi, static_cast<std::size_t>(length)), 1));
  line("HDF5", fmt::format("{}.{}.{} (parallel)", major, minor, release));
  line("FFTW", fftw_version);
  line("toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH));
  line("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  line("CLI11", CLI11_VERSION);
  line("muParser", mu::Parser().GetVersion(mu::pviBRIEF));
  line("VTK", *HALYARD_VTK_VERSION != '\0' ? HALYARD_VTK_VERSION : "not built in (no pictures)");
#ifdef HALYARD_CUDA
  line("CUDA", HALYARD_CUDA_VERSION);
#else
  line("CUDA", "not built in");
#endif
  line("OpenMP", std::to_string(_OPENMP));
#ifdef __clang__
  line("compiler", "clang " __clang_version__);
#else
  line("compiler", "g++ " __VERSION__);
#endif
  line("instruction set", host_instruction_set());
  return text;
}

}  // namespace halyard
