#pragma once
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/case/schema.hpp"
#include "io/case/source.hpp"

namespace halyard {

/// Private to io/case: reads one case into a schema's variables and collects what is wrong.
class CaseReader {
 public:
  CaseReader(CaseSchema& schema, std::string_view text, const std::string& name, const std::filesystem::path& folder,
             const std::vector<std::string>& overrides);
  /// Throws Error with all messages.
  void read();

 private:
  // A value with the text that it stands in. Given without a node: it could not be parsed, which is told already.
  struct Found {
    const toml::node* node = nullptr;
    const CaseSource* source = nullptr;
    bool given = false;
  };

  // What one --set gives. path: as in the schema that reads it, stripped of the lists and elements that lead there.
  struct Override {
    std::string path;
    Found found;
  };
  using Overrides = std::vector<Override>;  // the later wins

  void parse_file();
  void parse_overrides();
  void parse_override(const std::string& assignment);
  /// The key or list that an override's path ends at; both null: told already. Lists on the way are kept in
  /// prototypes_.
  struct Target {
    const CaseKeySpec* key = nullptr;
    const CaseListSpec* list = nullptr;
  };
  Target target_of(const std::string& path, const CasePosition& at);
  void read_table(CaseSchema& schema, const toml::table& table, const CaseSource& source, const Overrides& overrides,
                  bool root);
  void reject_unknown(CaseSchema& schema, const toml::table& table, const CaseSource& source, const std::string& path);
  void read_key(CaseSchema& schema, CaseKeySpec& key, Found found, const CasePosition& where_missing);
  void read_list(CaseSchema& schema, CaseListSpec& list, Found found, const Overrides& overrides,
                 const CasePosition& where_missing);
  /// Those that reach into one element of a list, given by its number from 1 or by its key `name`.
  static bool names_element(const std::string& path, const std::string& list, std::size_t number,
                            const toml::table& element);
  static Overrides of_element(const Overrides& overrides, const std::string& list, std::size_t number,
                              const toml::table& element);
  /// Tells of overrides that name no element of the list.
  void reject_elements(const Overrides& overrides, const std::string& list, const std::string& name,
                       const toml::array* tables);
  void run_checks(CaseSchema& schema);

  static std::string describe(const toml::node& node, std::string_view text);
  std::optional<CaseValue> convert(const CaseKeySpec& key, const Found& found, const std::string& name,
                                   std::size_t depth);
  std::optional<CaseValue> convert_scalar(const CaseKeySpec& key, const Found& found, const std::string& name);
  std::optional<CaseValue> convert_integer(const CaseKeySpec& key, const Found& found, const std::string& name);
  std::optional<CaseValue> convert_text(const CaseKeySpec& key, const Found& found, const std::string& name);
  CaseValue with_full_paths(const CaseKeySpec& key, CaseValue value) const;
  bool in_range(const CaseKeySpec& key, const Found& found, const std::string& name, long double value);

  std::string unknown(CaseSchema& schema, const std::string& path, bool is_table) const;
  CasePosition position(const CaseSource& source, const toml::source_position& at) const;
  CasePosition position(const Found& found) const { return position(*found.source, found.node->source().begin); }
  void fail(CasePosition at, std::string message) { errors_.emplace_back(std::move(at), std::move(message)); }

  CaseSchema& schema_;
  CaseSource file_;
  std::filesystem::path folder_;
  const std::vector<std::string>& overrides_;

  toml::table table_;
  bool table_is_whole_ = true;  // false: nothing is said about missing keys
  bool all_valid_ = false;      // no key has an error
  std::deque<CaseSource> override_sources_;
  std::deque<toml::table> override_tables_;
  std::deque<CaseSchema> prototypes_;  // of elements that overrides reach into
  Overrides override_values_;
  CaseMessages errors_, notes_;
};

}  // namespace halyard
