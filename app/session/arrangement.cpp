// Checks docking text before Dear ImGui reads it, which checks little itself: a node that is its own parent would loop forever.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

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

// Reads a line from its front on, as Dear ImGui does: what is not at its place does not count.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  // `key` and a number of one to eight hexadecimal digits; nullopt: they do not follow.
  std::optional<unsigned> hex(std::string_view key) {
    if (!take(key)) return std::nullopt;
    unsigned value = 0;
    const char* const begin = text_.data();
    const auto [end, failed] = std::from_chars(begin, begin + std::min<std::size_t>(text_.size(), 8), value, 16);
    text_.remove_prefix(static_cast<std::size_t>(end - begin));
    return failed == std::errc() ? std::optional(value) : std::nullopt;
  }
  // `key` and two numbers, as in " Pos=0,-3".
  bool pair(std::string_view key) { return take(key) && number() && take(",") && number(); }
  // Of at most 16 bits.
  bool number() {
    std::int16_t value = 0;
    const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return failed == std::errc();
  }
  [[nodiscard]] bool ended() const { return text_.empty(); }

 private:
  std::string_view text_;
};

using Nodes = std::map<unsigned, Node>;

bool add_below(unsigned parent, Node& node, Nodes& nodes) {
  const auto above = nodes.find(parent);
  if (above == nodes.end()) return false;
  node.depth = above->second.depth + 1;
  return ++above->second.children <= 2 && above->second.split && node.depth <= kMaxDepth;
}

// Parses one line of the docking section, which holds exactly what Dear ImGui writes, in its order.
bool add_node(Line line, Nodes& nodes) {
  line.skip_blanks();
  if (!line.take("DockNode ") && !line.take("DockSpace ")) return false;
  line.skip_blanks();
  const auto id = line.hex("ID=0x");
  if (!id || *id == 0 || nodes.contains(*id)) return false;
  Node node;
  const auto parent = line.hex(" Parent=0x");
  if (parent && !add_below(*parent, node, nodes)) return false;
  if (const auto window = line.hex(" Window=0x"); window && *window == 0) return false;
  if (parent ? !line.pair(" SizeRef=") : !line.pair(" Pos=") || !line.pair(" Size=")) return false;
  node.split = line.take(" Split=X") || line.take(" Split=Y");
  for (const std::string_view flag : {" NoResize=1", " CentralNode=1", " NoTabBar=1", " HiddenTabBar=1", " NoWindowMenuButton=1",
                                      " NoCloseButton=1"})
    static_cast<void>(line.take(flag));
  static_cast<void>(line.hex(" Selected=0x"));
  nodes.emplace(*id, node);
  return line.ended();
}

// "[Table][0x5D11106F,9]": Dear ImGui allocates as many columns as the text says.
bool is_sane_table(std::string_view line) {
  const std::size_t comma = line.find(',');
  int columns = 0;
  if (comma == std::string_view::npos) return false;
  const auto [end, failed] = std::from_chars(line.data() + comma + 1, line.data() + line.size(), columns);
  return failed == std::errc() && columns > 0 && columns <= 512;
}

// "DockId=0x00000003,0": the node that a window is in, and the place of its tab.
std::optional<unsigned> dock_of_window(Line line) {
  const auto id = line.hex("DockId=0x");
  return line.ended() || (line.take(",") && line.number() && line.ended()) ? id : std::nullopt;
}

// "[Window][Values]": Dear ImGui takes any other line for one of the section before.
bool is_heading(std::string_view line) { return line.ends_with(']') && line.find("][") != std::string_view::npos; }

}  // namespace

bool is_arrangement(std::string_view text) {
  if (text.empty() || text.size() > kMaxArrangementBytes) return false;
  Nodes nodes;
  std::vector<unsigned> docks;  // that windows are in
  bool docking = false;
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (++lines > kMaxLines || line.size() > kLongestLine) return false;
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) return false;
    if (line.starts_with('[')) {
      if (!is_heading(line) || (line.starts_with("[Table]") && !is_sane_table(line))) return false;
      docking = line == "[Docking][Data]";
    } else if (docking && !line.empty()) {
      if (!add_node(Line(line), nodes)) return false;
    } else if (line.starts_with("DockId=")) {
      const auto dock = dock_of_window(Line(line));
      if (!dock) return false;
      docks.push_back(*dock);
    }
  }
  for (const auto& [id, node] : nodes) {
    if (node.split != (node.children == 2)) return false;
  }
  // Dear ImGui takes it for granted that the node of a window exists and is not split.
  const auto holds_windows = [&](unsigned dock) {
    const auto node = nodes.find(dock);
    return dock == 0 || (node != nodes.end() && !node->second.split);
  };
  return !nodes.empty() && std::ranges::all_of(docks, holds_windows);
}

}  // namespace dlscope::app
