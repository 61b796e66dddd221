#include <vtkFreeTypeTools.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>

#include <string_view>

#include "io/results/canvas.hpp"
#include "io/results/file.hpp"
#include "kernels/device/error.hpp"

namespace halyard {

bool pictures_available() { return true; }

TextImage render_text(const std::string& text, int size, bool bold) {
  if (text.empty()) return {};
  vtkNew<vtkTextProperty> property;
  property->SetFontFamilyToArial();
  property->SetFontSize(size);
  property->SetBold(bold);
  property->SetColor(0.0, 0.0, 0.0);
  vtkNew<vtkImageData> image;
  vtkFreeTypeTools* tools = vtkFreeTypeTools::GetInstance();
  tools->ScaleToPowerTwoOff();
  constexpr int pixels_per_inch = 72;  // then points are pixels
  int size_drawn[2] = {0, 0};
  if (!tools->RenderString(property, text, pixels_per_inch, image, size_drawn)) {
    throw Error("The text \"" + text + "\" of a picture could not be drawn.");
  }
  int* dimensions = image->GetDimensions();
  TextImage drawn{dimensions[0], dimensions[1], {}};
  drawn.coverage.reserve(static_cast<std::size_t>(drawn.width) * static_cast<std::size_t>(drawn.height));
  int* extent = image->GetExtent();
  for (int row = dimensions[1] - 1; row >= 0; --row) {  // VTK's first row is the lowest
    for (int column = 0; column < dimensions[0]; ++column) {
      const auto* rgba =
          static_cast<const unsigned char*>(image->GetScalarPointer(extent[0] + column, extent[2] + row, 0));
      drawn.coverage.push_back(rgba[3]);
    }
  }
  return drawn;
}

void write_png(const std::filesystem::path& path, const Canvas& canvas) {
  vtkNew<vtkImageData> image;
  image->SetDimensions(canvas.width(), canvas.height(), 1);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  auto* out = static_cast<unsigned char*>(image->GetScalarPointer());
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(canvas.width());
  for (int row = canvas.height() - 1; row >= 0; --row) {
    const std::uint8_t* in = canvas.rgb().data() + static_cast<std::size_t>(row) * row_bytes;
    out = std::copy(in, in + row_bytes, out);
  }
  vtkNew<vtkPNGWriter> writer;
  writer->SetInputData(image);
  writer->WriteToMemoryOn();
  writer->Write();
  vtkUnsignedCharArray* bytes = writer->GetResult();
  if (bytes == nullptr || bytes->GetNumberOfValues() == 0) throw Error("VTK could not make " + path.string() + ".");
  // Through our own writer: VTK's does not tell of a full disk.
  write_file(path, {reinterpret_cast<const char*>(bytes->GetPointer(0)),
                    static_cast<std::size_t>(bytes->GetNumberOfValues())});
}

}  // namespace halyard
