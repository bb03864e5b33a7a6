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

// The values of one stop, and those of the stop before it.
class WatchedStops {
 public:
  struct Place {
    std::uint64_t run = 0, stop = 0;  // numbers
    std::string function;             // of the chosen frame
  };
  // Call with every answer: at one stop the frame may change, and the console may change a value.
  void note(Place place, std::vector<std::string> expressions, std::vector<WatchValue> values);
  // "Changed since the last stop. In step() it was: 36". "" where it has not changed, or no value is known from the stop before.
  [[nodiscard]] std::string change(const std::string& expression, const WatchValue& now) const;
  // What it was there: "36". "" where change() is.
  [[nodiscard]] std::string was(const std::string& expression, const WatchValue& now) const;

 private:
  struct Answered {
    Place place;
    std::vector<std::string> expressions;
    std::vector<WatchValue> values;
  };
  Answered now_, before_;
};

// The text of an Ask of kind "evaluate" (core/wire).
[[nodiscard]] std::string evaluate_question(const std::vector<std::string>& expressions, std::uint32_t frame);
// Reads Python's answer: one value for each expression; a missing one gets an error.
[[nodiscard]] std::vector<WatchValue> values_from_json(std::string_view json, std::size_t expressions);

}  // namespace dlscope::app
