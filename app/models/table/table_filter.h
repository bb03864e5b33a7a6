// The filter of the tensor table: words, all of which must match: `torch float32`, `lib:torch`, `shares:x`, `"two words"`,
// `-numpy`. Inside quotes, \" is a quote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/tensors/badges.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct FilterTerm {
  enum class Place : std::uint8_t { anywhere, name, library, dtype, device, badge, shape, shares, at };
  Place place = Place::anywhere;
  std::string text;  // in lower case, except for names in `shares`
  core::Address address = 0;  // of `at`
  bool negated = false;
};

struct TableFilter {
  std::vector<FilterTerm> terms;
  std::string complaint;  // what is wrong with it, and how it was read; "": nothing is wrong
};

[[nodiscard]] TableFilter parse_filter(std::string_view text);
// In quotes, so that parse_filter() reads the text back whatever is in it.
[[nodiscard]] std::string quoted(std::string_view text);

// Decides which tensors a filter keeps. Made once per query, by a worker.
class RowFilter {
 public:
  RowFilter(const SnapshotIndex& index, std::string_view text);
  [[nodiscard]] bool keeps(std::uint32_t tensor);
  // For the tensor last kept: the number of the name that a word matched when its first name did not; nullopt: none.
  [[nodiscard]] std::optional<std::uint32_t> matched_name() const { return matched_name_; }
  [[nodiscard]] bool keeps_gone(const GoneTensor& gone);
  [[nodiscard]] const std::string& complaint() const { return filter_.complaint; }

 private:
  struct Row {
    const core::Snapshot& snapshot;
    const core::TensorRecord& tensor;
    std::uint32_t id = core::kNone32;  // kNone32: gone
  };
  void find_partners(const FilterTerm& term);
  [[nodiscard]] bool matches(const Row& row, std::size_t term);
  [[nodiscard]] bool badge_matches(const Row& row, std::string_view text) const;
  void fill_badges(const Row& row, const GoneTensor* gone);
  [[nodiscard]] bool keeps(const Row& row, const GoneTensor* gone);

  const SnapshotIndex& index_;
  TableFilter filter_;
  bool needs_badges_ = false;
  std::vector<std::vector<bool>> partners_;  // for each `shares` term, by tensor
  std::optional<std::uint32_t> matched_name_;
  std::vector<Badge> badges_;                // of the present row
};

}  // namespace dlscope::app
