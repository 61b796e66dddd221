#include "io/results/canvas.hpp"
#include "kernels/device/error.hpp"

// Built where VTK was not found or not wanted.
namespace halyard {

bool pictures_available() { return false; }

TextImage render_text(const std::string&, int, bool) { return {}; }

void write_png(const std::filesystem::path& path, const Canvas&) {
  throw Error(path.string() + " cannot be drawn: this build has no VTK, so that pictures are off.");
}

}  // namespace halyard
