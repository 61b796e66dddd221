#include "tests/support/reference_text.hpp"

#include <zlib.h>

#include <array>
#include <memory>

#include "kernels/device/error.hpp"

namespace halyard {

std::string reference_text(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);  // reads plain files too
  if (!in) throw Error("cannot open " + file.string());
  std::string text;
  std::array<char, 65536> part{};
  int bytes = 0;
  while ((bytes = gzread(in.get(), part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(bytes));
  if (bytes < 0 || !gzeof(in.get())) throw Error("cannot read " + file.string());
  return text;
}

}  // namespace halyard
