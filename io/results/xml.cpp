#include "io/results/xml.hpp"

namespace halyard {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string xml_attribute(std::string_view element, std::string_view name) {
  const std::string mark = std::string(name) + "=\"";
  const std::size_t begin = element.find(mark);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = element.find('"', begin + mark.size());
  return std::string(element.substr(begin + mark.size(), end - begin - mark.size()));
}

}  // namespace halyard
