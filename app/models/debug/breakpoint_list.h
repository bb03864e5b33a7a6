// BreakpointList: the breakpoints a person has set, by file and line. They move with the lines of a text that is edited, and each may
// carry a condition, a hit count and a text to log instead of stopping. What the host says of them (where one really stands, how often
// it was hit) is kept beside them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/debugging.h"

namespace dlscope::app {

// As the Python process names the code of a script that has no file.
inline constexpr const char* kUnsavedScript = "<string>";
inline constexpr std::size_t kMostBreakpoints = 1000;

// The path under which breakpoints of the script with this path are kept: absolute, without "." and "..".
[[nodiscard]] std::string source_path(const std::string& script_path);

// Lines of a text were replaced: those in [first, last] became those in [first, new_last]. One-based; the first and the last line
// may have kept a part of their text.
struct LineEdit {
  std::uint32_t first = 1, last = 1, new_last = 1;
  // The text of the first line in front of the edit is blank: what stood on that line goes where the text behind the edit goes.
  bool at_line_start = false;
  friend bool operator==(const LineEdit&, const LineEdit&) = default;
};

class BreakpointList {
 public:
  using Breakpoint = core::wire::Breakpoint;

  BreakpointList() = default;
  // As they were kept. Their numbers are given anew.
  explicit BreakpointList(const std::vector<Breakpoint>& kept);

  [[nodiscard]] const std::vector<Breakpoint>& all() const { return all_; }  // by path, then line
  [[nodiscard]] const Breakpoint* at(std::string_view path, std::uint32_t line) const;
  [[nodiscard]] const Breakpoint* find(std::uint64_t id) const;
  // What the host said; null: nothing yet.
  [[nodiscard]] const core::wire::BreakpointState* state_of(std::uint64_t id) const;
  // Rises with every change of the list, not with what the host says.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  // Each returns whether something changed.
  bool toggle(const std::string& path, std::uint32_t line);  // sets one, or takes away the one that is there
  bool put(Breakpoint breakpoint);  // replaces the one of its number, or without a number the one on its line; else adds it
  bool remove(std::uint64_t id);
  bool remove_all();
  bool follow(std::string_view path, const LineEdit& edit);
  bool rename(std::string_view from, const std::string& to);
  bool remove_of(std::string_view path);
  // All that the host says of them now; what it said before no longer holds.
  void take(const core::wire::BreakpointsChanged& said);

 private:
  void settle();  // sorted, at most one on a line

  std::vector<Breakpoint> all_;
  std::map<std::uint64_t, core::wire::BreakpointState> states_;
  std::uint64_t last_id_ = 0, revision_ = 0;
};

// "Stops when x > 3, from the 37th time on." What a breakpoint does, for its tooltip.
[[nodiscard]] std::string breakpoint_text(const core::wire::Breakpoint& breakpoint, const core::wire::BreakpointState* state);

}  // namespace dlscope::app
