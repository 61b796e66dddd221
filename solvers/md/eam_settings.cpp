#include "solvers/md/eam_settings.hpp"

#include <fmt/format.h>

#include "io/input/eam_file.hpp"
#include "io/results/file.hpp"

namespace halyard::md {

EamModel read_eam_model(const MdCase& settings, const System& system, const CaseSchema& schema) {
  const auto& files = settings.pair.files;
  const auto text_of = [&](const std::filesystem::path& path) {
    try {
      return read_file(path);
    } catch (const Error& error) {
      throw schema.error("pair.files", fmt::format("cannot be read: {}", error.what()));
    }
  };
  EamTables tables;
  if (settings.pair.file_format == EamFormat::funcfl) {
    std::vector<EamFuncfl> single;
    for (const std::filesystem::path& path : files) {
      single.push_back(parse_eam_funcfl(text_of(path), path.string()));
    }
    tables = mix_funcfl(single);
  } else {
    const std::string text = text_of(files.front());
    tables = settings.pair.file_format == EamFormat::setfl ? parse_eam_setfl(text, files.front().string())
                                                           : parse_eam_fs(text, files.front().string());
  }
  const std::vector<std::string>& names = settings.pair.elements.empty() ? system.names : settings.pair.elements;
  if (names.size() != system.names.size()) {
    throw schema.error("pair.elements", fmt::format("has {} names for {} types.", names.size(), system.names.size()));
  }
  std::vector<int> element;
  for (const std::string& name : names) {
    try {
      element.push_back(element_index(tables, name, files.front().string()));
    } catch (const Error& error) {
      throw schema.error(settings.pair.elements.empty() ? "pair.files" : "pair.elements", error.what());
    }
  }
  return EamModel({.elements = static_cast<int>(tables.elements.size()),
                   .nrho = tables.nrho,
                   .nr = tables.nr,
                   .drho = tables.drho,
                   .dr = tables.dr,
                   .cutoff = tables.cutoff,
                   .finnis_sinclair = tables.finnis_sinclair,
                   .embedding = tables.embedding,
                   .density = tables.density,
                   .r_phi = tables.r_phi},
                  element);
}

}  // namespace halyard::md
