#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "io/case/schema.hpp"

namespace halyard {

/// Private to io/case: the texts that follow from a schema's declarations.
class CaseDocument {
 public:
  static std::string resolved(const CaseSchema& schema);
  static std::string markdown(const CaseSchema& schema, int level);
  static std::string json_schema(const CaseSchema& schema, const std::string& title);

 private:
  /// A TOML table: its own keys, and the lists that lie in it.
  struct Block {
    std::string path, help;
    std::vector<const CaseKeySpec*> keys;
    std::vector<const CaseListSpec*> lists;
  };
  static std::vector<Block> blocks(const CaseSchema& schema);
  static void write_resolved(const CaseSchema& schema, std::string& out);
  static void write_markdown(const CaseSchema& schema, int level, std::string& out);
  static std::string json_object(const CaseSchema& schema, const std::string& path, int indent, bool& any_required);
  static std::string json_list(const CaseListSpec& list, const std::string& prefix, int indent);
};

}  // namespace halyard
