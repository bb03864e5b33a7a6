// The console's input, across sessions: entries of one or more lines, oldest first, bounded.
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
  static constexpr std::size_t kMax = 1'000;             // entries
  static constexpr std::size_t kLongestKept = 64u << 10;  // bytes; a longer entry is not added

  // False: not added (empty, too long, or equal to the last one).
  bool add(std::string entry);
  // Adds entries of earlier sessions before those of this one.
  void put_before(std::vector<std::string> older);
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

  // Steps with Up and Down. `typed`: the present input, which Down restores at the end. nullopt: there are no more.
  std::optional<std::string> older(const std::string& typed);
  std::optional<std::string> newer();
  void stop_walking() { at_.reset(); }
  [[nodiscard]] bool walking() const { return at_.has_value(); }
  // The newest entry before number `before` (entries().size(): any) that contains `words`.
  [[nodiscard]] std::optional<std::size_t> search(std::string_view words, std::size_t before) const;

 private:
  std::vector<std::string> entries_;
  std::optional<std::size_t> at_;
  std::string typed_;
};

// The file has one entry per line; line feeds within an entry are escaped.
[[nodiscard]] std::string history_line(std::string_view entry);
[[nodiscard]] std::vector<std::string> history_entries(std::string_view file);

// thread: a worker. The file has mode 0600, in a folder with 0700; entries that other windows appended are kept.
[[nodiscard]] std::vector<std::string> load_history(const std::string& folder);
[[nodiscard]] core::Result<void> append_history(const std::string& folder, const std::string& entry);

}  // namespace dlscope::app
