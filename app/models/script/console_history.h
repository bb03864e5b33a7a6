// What was typed at the console, over sessions: entries of one or many lines, oldest first, bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

class ConsoleHistory {
 public:
  static constexpr std::size_t kMost = 1'000;             // entries
  static constexpr std::size_t kLongestKept = 64u << 10;  // bytes; a longer entry is not kept

  // False: nothing new (empty, too long, the same as the last one).
  bool add(std::string entry);
  // Entries of earlier sessions, before those of this one.
  void put_before(std::vector<std::string> older);
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

  // Walking with Up and Down. `typed`: what stands in the line now, which Down brings back at the end. nullopt: no further.
  std::optional<std::string> older(const std::string& typed);
  std::optional<std::string> newer();
  void stop_walking() { at_.reset(); }
  [[nodiscard]] bool walking() const { return at_.has_value(); }
  // The newest entry before `before` (entries().size(): any) that contains the words.
  [[nodiscard]] std::optional<std::size_t> search(std::string_view words, std::size_t before) const;

 private:
  std::vector<std::string> entries_;
  std::optional<std::size_t> at_;
  std::string typed_;
};

// One entry per line of the file; line feeds within an entry are escaped.
[[nodiscard]] std::string history_line(std::string_view entry);
[[nodiscard]] std::vector<std::string> history_entries(std::string_view file);

// thread: a worker. The file is 0600, in a 0700 folder; what other windows appended meanwhile stays.
[[nodiscard]] std::vector<std::string> load_history(const std::string& folder);
[[nodiscard]] core::Result<void> append_history(const std::string& folder, const std::string& entry);

}  // namespace dlscope::app
