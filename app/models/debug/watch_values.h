// Watches: expressions that Python evaluates at a stop, in the chosen frame. Builds the question and reads the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

inline constexpr std::size_t kMaxWatches = 100;

struct WatchValue {
  std::string text;   // a short repr
  std::string error;  // "NameError: ..."; text is "" then
  friend bool operator==(const WatchValue&, const WatchValue&) = default;
};

// The text of an Ask of kind "evaluate" (core/wire).
[[nodiscard]] std::string evaluate_question(const std::vector<std::string>& expressions, std::uint32_t frame);
// Reads Python's answer: one value for each expression; a missing one gets an error.
[[nodiscard]] std::vector<WatchValue> values_from_json(std::string_view json, std::size_t expressions);

}  // namespace dlscope::app
