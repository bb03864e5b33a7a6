// BreakpointList: the breakpoints a person has set, by file and line. They move when lines are inserted or removed above them, in
// the editor or, before the file was opened, by another program.
// Each may have a condition, a hit count and a text to log instead of stopping. What the host reports of them (their actual line,
// the hits so far) is kept beside them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/debugging.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

// The path of a script that was never saved.
inline constexpr const char* kUnsavedScript = core::wire::kUnsavedScriptFile;
inline constexpr std::size_t kMaxBreakpoints = 1000;

// The path that breakpoints of this script are kept under: absolute, without "." and "..".
[[nodiscard]] std::string source_path(const std::string& script_path);

// An edit of a text: the lines in [first, last] became those in [first, new_last]. One-based; part of the first and of the last
// line may have stayed.
struct LineEdit {
  std::uint32_t first = 1, last = 1, new_last = 1;
  // Only blanks precede the edit on its first line: the code of that line moves with the text after the edit.
  bool at_line_start = false;
  friend bool operator==(const LineEdit&, const LineEdit&) = default;
};

// As it is stored from session to session.
struct KeptBreakpoint : core::wire::Breakpoint {
  std::string line_text;  // of its line without the blanks around it, cut; "": not known
  friend bool operator==(const KeptBreakpoint&, const KeptBreakpoint&) = default;
};

class BreakpointList {
 public:
  using Breakpoint = core::wire::Breakpoint;

  BreakpointList() = default;
  // kept: from the settings. The breakpoints get new numbers.
  explicit BreakpointList(const std::vector<KeptBreakpoint>& kept);

  [[nodiscard]] const std::vector<Breakpoint>& all() const { return all_; }  // by path, then line
  [[nodiscard]] std::vector<KeptBreakpoint> to_keep() const;                 // those in files
  [[nodiscard]] const Breakpoint* at(std::string_view path, std::uint32_t line) const;
  [[nodiscard]] const Breakpoint* find(std::uint64_t id) const;
  // What the host reported; null: nothing yet.
  [[nodiscard]] const core::wire::BreakpointState* state_of(std::uint64_t id) const;
  // Rises with every change of the list, but not with the host's reports.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  // Each returns whether something changed.
  bool toggle(const std::string& path, std::uint32_t line);  // sets one, or removes the one there
  bool put(Breakpoint breakpoint);  // replaces the one with its id; with id 0, the one on its line; else adds it
  bool remove(std::uint64_t id);
  bool remove_all();
  bool follow(std::string_view path, const LineEdit& edit);  // moves the breakpoints of this file with an edit
  bool rename(std::string_view from, const std::string& to);
  bool remove_of(std::string_view path);
  // With the text of a file that is opened: moves each breakpoint whose line is no longer what it was to the nearest line that is.
  bool find_lines(std::string_view path, std::string_view text);
  // With the text that a file has now, for find_lines() in a later session. Returns whether another text is to be kept of a line.
  bool note_lines(std::string_view path, std::string_view text);
  // The host's full report, in place of the previous one.
  void take(const core::wire::BreakpointsChanged& said);

 private:
  void settle();  // sorted, at most one on a line

  std::vector<Breakpoint> all_;
  std::map<std::uint64_t, core::wire::BreakpointState> states_;
  std::map<std::uint64_t, std::string> line_texts_;  // by id
  std::uint64_t last_id_ = 0, revision_ = 0;
};

// "Stops when x > 3, from the 37th time on." What a breakpoint does, for its tooltip.
[[nodiscard]] std::string breakpoint_text(const core::wire::Breakpoint& breakpoint, const core::wire::BreakpointState* state);

}  // namespace dlscope::app
