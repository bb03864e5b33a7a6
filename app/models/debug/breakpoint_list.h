// BreakpointList: the breakpoints a person has set, by file and line. They move when lines are inserted or removed above them, in
// the editor or, before the file was opened, by another program. The code that runs does not change with the text: what the host is
// told of a breakpoint, and what it tells, is about the line of that code.
// Each may have a condition, a hit count and a text to log instead of stopping. What the host reports of them (their actual line,
// the hits so far) is kept beside them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/debug/run_lines.h"
#include "core/wire/debugging.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

// The path of a script that was never saved.
inline constexpr const char* kUnsavedScript = core::wire::kUnsavedScriptFile;
inline constexpr std::size_t kMaxBreakpoints = 1000;

// The path that breakpoints of this script are kept under: absolute, without "." and "..".
[[nodiscard]] std::string source_path(const std::string& script_path);

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
  [[nodiscard]] std::vector<KeptBreakpoint> of_unsaved() const;              // those of the script that was never saved
  // For the host: with the lines of the code that runs, and without those whose line is not in it.
  [[nodiscard]] std::vector<Breakpoint> to_send() const;
  // Where the lines of the code that runs are in the texts of their files.
  [[nodiscard]] const RunLines& run_lines() const { return run_lines_; }
  [[nodiscard]] const Breakpoint* at(std::string_view path, std::uint32_t line) const;
  [[nodiscard]] const Breakpoint* find(std::uint64_t id) const;
  // What the host reported; null: nothing yet.
  [[nodiscard]] const core::wire::BreakpointState* state_of(std::uint64_t id) const;
  // Rises with every change of the list, but not with the host's reports.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  // Each returns whether something changed.
  bool run(std::string_view path, std::shared_ptr<const std::string> text = nullptr);  // this file is run as it is now
  bool toggle(const std::string& path, std::uint32_t line);  // sets one, or removes the one there
  bool put(Breakpoint breakpoint);  // replaces the one with its id; with id 0, the one on its line; else adds it
  bool remove(std::uint64_t id);
  bool remove_all();
  bool follow(std::string_view path, const LineEdit& edit);  // moves the breakpoints of this file with an edit
  bool rename(std::string_view from, const std::string& to);
  bool remove_of(std::string_view path);
  bool put_unsaved(const std::vector<KeptBreakpoint>& kept);  // of_unsaved() of a text that is restored
  // With the text of a file that is opened: moves each breakpoint whose line is no longer what it was to the nearest line that is. It
  // may be another text than that of the code that runs, whose lines are found in it, too.
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
  RunLines run_lines_;
  std::uint64_t last_id_ = 0, revision_ = 0;
};

// "Stops when x > 3, from the 37th time on." What a breakpoint of the list does, for its tooltip.
[[nodiscard]] std::string breakpoint_text(const core::wire::Breakpoint& breakpoint, const BreakpointList& list);

}  // namespace dlscope::app
