// Watches: expressions that Python evaluates at a stop, in the chosen frame. Builds the question and reads the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

// The values at a stop, and those in the same function of the same thread at an earlier stop: `i` of another function is another
// variable, and its value no change.
class WatchedStops {
 public:
  // The chosen frame of a stop.
  struct Place {
    std::uint64_t run = 0, stop = 0;  // numbers
    std::string thread, path, function;
    [[nodiscard]] bool is_of_same_code(const Place& other) const {
      return run == other.run && thread == other.thread && path == other.path && function == other.function;
    }
  };
  // Call with every answer: at one stop the frame may change, and the console may change a value.
  void note(Place place, std::vector<std::string> expressions, std::vector<WatchValue> values);
  // "Changed since it was last evaluated in step(). It was: 36". "" where it has not changed, or was not evaluated there before.
  [[nodiscard]] std::string change(const std::string& expression, const WatchValue& now) const;
  // What it was there: "36". "" where change() is.
  [[nodiscard]] std::string was(const std::string& expression, const WatchValue& now) const;

 private:
  static constexpr std::size_t kMaxPlaces = 64;  // the one looked at longest ago is forgotten first
  struct Answers {
    std::vector<std::string> expressions;
    std::vector<WatchValue> values;
  };
  struct Visited {
    Place place;  // its last stop
    Answers now, before;
  };
  std::vector<Visited> places_;  // the present one is the last
};

// In which scripts each watch has had a value. The list stays when another script is run: a name that is missing where that one
// stands, and was there at none of its stops so far, is likely the former one's. It may also not be assigned yet, or be another
// frame's.
class WatchHomes {
 public:
  // script: the path of the one that ran, "" for text without a file.
  void note(const std::string& script, const std::vector<std::string>& expressions, const std::vector<WatchValue>& values);
  // "of a.py": the other script that the expression last had a value in. "": there is none, this script had it, too, or `now` is
  // no missing name.
  [[nodiscard]] std::string elsewhere(const std::string& script, const std::string& expression, const WatchValue& now) const;

 private:
  void note(const std::string& script, const std::string& expression);
  std::map<std::string, std::vector<std::string>, std::less<>> scripts_;  // by expression; where it last had a value at the end
};

// The text of an Ask of kind "evaluate" (core/wire).
[[nodiscard]] std::string evaluate_question(const std::vector<std::string>& expressions, std::uint32_t frame);
// Reads Python's answer: one value for each expression; a missing one gets an error.
[[nodiscard]] std::vector<WatchValue> values_from_json(std::string_view json, std::size_t expressions);

}  // namespace dlscope::app
