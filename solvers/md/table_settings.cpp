#include "solvers/md/table_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "io/input/pair_table_file.hpp"
#include "io/results/file.hpp"
#include "kernels/device/error.hpp"
#include "kernels/md/pair/tabulated.hpp"

namespace halyard::md {

namespace {

struct Section {
  std::string file;
  PairTableSection table;
};

std::vector<Section> read_sections(const MdCase& settings, const CaseSchema& schema) {
  std::vector<Section> sections;
  for (const std::filesystem::path& path : settings.pair.files) {
    std::string text;
    try {
      text = read_file(path);
    } catch (const Error& error) {
      throw schema.error("pair.files", fmt::format("cannot be read: {}", error.what()));
    }
    for (PairTableSection& table : parse_pair_tables(text, path.string())) {
      sections.push_back({path.string(), std::move(table)});
    }
  }
  return sections;
}

const Section& find_section(const std::vector<Section>& sections, const std::string& name, std::size_t number,
                            const CaseSchema& schema) {
  const Section* found = nullptr;
  std::string names;
  for (const Section& section : sections) {
    names += (names.empty() ? "" : ", ") + section.table.keyword;
    if (section.table.keyword != name) {
      continue;
    }
    if (found != nullptr) {
      throw schema.error("pair.coefficients", fmt::format("number {} asks for section {}, which is in {} and in {}.",
                                                          number, name, found->file, section.file));
    }
    found = &section;
  }
  if (found == nullptr) {
    throw schema.error("pair.coefficients",
                       fmt::format("number {} asks for section {}; pair.files have {}.", number, name, names));
  }
  return *found;
}

}  // namespace

PairParameters read_pair_tables(const MdCase& settings, int types, const CaseSchema& schema,
                                std::vector<std::string>& notes) {
  const std::vector<Section> sections = read_sections(settings, schema);
  PairParameters parameters(types, Tabulated::coefficients);
  const auto rows = std::make_shared<std::vector<double>>();
  const auto pairs = static_cast<std::size_t>(types) * static_cast<std::size_t>(types);
  std::vector<bool> given(pairs, false);
  std::set<std::string> judged;
  for (std::size_t n = 0; n < settings.pair.coefficients.size(); ++n) {
    const PairCoefficients& pair = settings.pair.coefficients[n];
    const auto [i, j] = std::array<int, 2>{pair.types[0] - 1, pair.types[1] - 1};
    if (i >= types || j >= types) {
      throw schema.error("pair.coefficients", fmt::format("number {} is for types {} and {}; there are types 1 to {}.",
                                                          n + 1, i + 1, j + 1, types));
    }
    if (given[static_cast<std::size_t>(i * types + j)]) {
      throw schema.error("pair.coefficients",
                         fmt::format("number {} gives types {} and {} again.", n + 1, i + 1, j + 1));
    }
    const Section& section = find_section(sections, pair.section, n + 1, schema);
    const PairTable table{fmt::format("{}:{}: section {}", section.file, section.table.line, section.table.keyword),
                          section.table.r, section.table.energy, section.table.force};
    const double r_cut = pair.cutoff.value_or(settings.pair.cutoff.value_or(0.0));
    double c[Tabulated::coefficients];
    try {
      Tabulated::prepare(table, r_cut, *rows, c);
    } catch (const Error& error) {
      throw schema.error("pair.coefficients", fmt::format("for types {} and {}: {}", i + 1, j + 1, error.what()));
    }
    const double safe = safe_r2<Tabulated>(c, r_cut, rows->data());
    for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
      const auto at = static_cast<std::size_t>(a * types + b);
      given[at] = true;
      parameters.cutoff2[at] = r_cut * r_cut;
      parameters.safe2[at] = safe;
      for (std::size_t k = 0; k < static_cast<std::size_t>(Tabulated::coefficients); ++k) {
        parameters.c[k * pairs + at] = c[k];
      }
    }
    if (judged.insert(section.table.keyword).second) {
      if (const std::size_t wrong = Tabulated::inconsistent_rows(table); wrong > 0) {
        notes.push_back(fmt::format(
            "{}: in {} of {} rows the force is not minus the slope of the energy, by more than a tenth; forces and "
            "energies then belong together only as the cubics between rows make them: mind sign and unit of the column",
            table.where, wrong, table.r.size()));
      }
    }
  }
  for (std::size_t at = 0; at < pairs; ++at) {
    if (!given[at]) {
      throw schema.error("pair.coefficients",
                         fmt::format("lacks types {} and {}.", at / static_cast<std::size_t>(types) + 1,
                                     at % static_cast<std::size_t>(types) + 1));
    }
  }
  parameters.keep_tables(rows);
  return parameters;
}

}  // namespace halyard::md
