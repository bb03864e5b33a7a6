// Checks docking text before Dear ImGui reads it, which checks little itself: a node that is its own parent would loop forever.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "app/session/settings.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxLines = 2000;
constexpr std::size_t kLongestLine = 400;
constexpr int kMaxDepth = 24;

struct Node {
  int children = 0;
  int depth = 0;
  bool split = false;
};

std::optional<unsigned> hex_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = line.data() + at + key.size();
  unsigned value = 0;
  const auto [end, failed] = std::from_chars(begin, line.data() + line.size(), value, 16);
  return failed == std::errc() && end != begin ? std::optional(value) : std::nullopt;
}

// Parses one line of the docking section.
bool add_node(std::string_view line, std::map<unsigned, Node>& nodes) {
  const auto id = hex_after(line, " ID=0x");
  if (!id || *id == 0 || nodes.contains(*id)) return false;
  Node node;
  node.split = line.find(" Split=X") != std::string_view::npos || line.find(" Split=Y") != std::string_view::npos;
  if (line.find(" Parent=") != std::string_view::npos) {
    const auto parent = hex_after(line, " Parent=0x");
    if (!parent || !nodes.contains(*parent)) return false;
    Node& above = nodes[*parent];
    node.depth = above.depth + 1;
    if (++above.children > 2 || !above.split || node.depth > kMaxDepth) return false;
  }
  nodes.emplace(*id, node);
  return true;
}

// "[Table][0x5D11106F,9]": Dear ImGui allocates as many columns as the text says.
bool is_sane_table(std::string_view line) {
  const std::size_t comma = line.find(',');
  int columns = 0;
  if (comma == std::string_view::npos) return false;
  const auto [end, failed] = std::from_chars(line.data() + comma + 1, line.data() + line.size(), columns);
  return failed == std::errc() && columns > 0 && columns <= 512;
}

bool is_dock_line(std::string_view line) { return line.starts_with("DockNode ") || line.starts_with("DockSpace "); }

}  // namespace

bool is_arrangement(std::string_view text) {
  if (text.empty() || text.size() > kMaxArrangementBytes) return false;
  std::map<unsigned, Node> nodes;
  bool docking = false;
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t cut = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, cut);
    text.remove_prefix(std::min(cut + 1, text.size()));
    if (++lines > kMaxLines || line.size() > kLongestLine) return false;
    for (const char c : line) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\r') return false;
    }
    if (line.starts_with('[')) {
      if (line.starts_with("[Table]") && !is_sane_table(line)) return false;
      docking = line.starts_with("[Docking]");
      continue;
    }
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty()) continue;
    if (docking && (!is_dock_line(line) || !add_node(line, nodes))) return false;
  }
  for (const auto& [id, node] : nodes) {
    if (node.split != (node.children == 2)) return false;
  }
  return !nodes.empty();
}

}  // namespace dlscope::app
