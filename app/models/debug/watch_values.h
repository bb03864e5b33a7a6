// Watches: expressions that Python evaluates at a stop, in the chosen frame. The question and its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscope::app {

inline constexpr std::size_t kMostWatches = 100;

struct WatchValue {
  std::string text;   // a short repr
  std::string error;  // "NameError: ..."; then there is no text
  friend bool operator==(const WatchValue&, const WatchValue&) = default;
};

// core/wire: Ask of the kind "evaluate".
[[nodiscard]] std::string evaluate_question(const std::vector<std::string>& expressions, std::uint32_t frame);
// Python's answer; one value for each expression, those that are missing with an error.
[[nodiscard]] std::vector<WatchValue> values_from_json(std::string_view json, std::size_t expressions);

}  // namespace dlscope::app
