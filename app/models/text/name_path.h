// Name paths as a scan writes them, in segments: `net.layers[0].weight` is `net`, `.layers`, `[0]`, `.weight`. What stands in
// brackets is one segment, whatever it holds: `d['a.b'][(1, 2)]`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "app/models/text/fitted_text.h"

namespace dlscope::app {

// More segments than this are one, the last.
inline constexpr std::size_t kMostSegments = 32;

// Where each segment begins; the first is 0. Empty for an empty name. Without the heap: frames ask for it.
class SegmentStarts {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const { return at_[i]; }
  [[nodiscard]] std::size_t back() const { return at_[size_ - 1]; }
  void push_back(std::size_t start) { at_[size_++] = start; }  // at most kMostSegments

 private:
  std::array<std::size_t, kMostSegments> at_{};
  std::size_t size_ = 0;
};
[[nodiscard]] SegmentStarts segment_starts(std::string_view name);
// ".weight" -> "weight".
[[nodiscard]] std::string_view without_dot(std::string_view segment);
// "['exp_avg']" -> "exp_avg"; what is no key in quotes stays.
[[nodiscard]] std::string_view without_quotes(std::string_view segment);

// The name when it fits `room`; else whole segments of it: the last ones, since names differ at their ends, behind the first
// where both have room. A last segment that is too long even alone is cut in the middle.
template <class Measure>
[[nodiscard]] CutText fit_path(std::string_view name, float room, Measure&& measure) {
  constexpr std::size_t kLeastBehindFirst = 2;  // segments: "net…weight" would say too little
  if (name.size() <= 512 && measure(name) <= room) return {name, {}, false};
  const SegmentStarts starts = segment_starts(name);
  const float dots = measure(std::string_view("…"));
  for (std::size_t from = 1; from < starts.size(); ++from) {
    const std::string_view back = without_dot(name.substr(starts[from]));
    const float width = dots + measure(back);
    if (width > room) continue;
    const std::string_view front = name.substr(0, starts[1]);
    const bool with_front = from > 1 && starts.size() - from >= kLeastBehindFirst && width + measure(front) <= room;
    if (with_front || starts.size() - from < kLeastBehindFirst + 1 || from + 1 == starts.size())
      return {with_front ? front : std::string_view(), back, true};
    // One segment less may leave room for the first one.
    const std::string_view shorter = without_dot(name.substr(starts[from + 1]));
    if (dots + measure(shorter) + measure(front) <= room) return {front, shorter, true};
    return {{}, back, true};
  }
  return fit_text(starts.empty() ? name : without_dot(name.substr(starts.back())), room, measure);
}

// For a small label: as fit_path(), but a segment is cut only where enough of it is left to know it again, and gives up its brackets
// and quotes before that (`['exp_avg']` becomes `exp_avg`). Empty where there is no such room: "w…t" names nothing.
template <class Measure>
[[nodiscard]] CutText fit_short_path(std::string_view name, float room, Measure&& measure) {
  constexpr std::size_t kLeastLeft = 6;  // letters of a segment that is cut
  const SegmentStarts starts = segment_starts(name);
  const std::string_view last = starts.empty() ? name : without_dot(name.substr(starts.back()));
  const bool whole = name.size() <= 512 && measure(name) <= room;
  if (whole || (starts.size() > 1 && measure(std::string_view("…")) + measure(last) <= room))
    return fit_path(name, room, measure);
  const CutText cut = fit_text(without_quotes(last), room, measure);
  return !cut.cut || cut.front.size() + cut.back.size() >= kLeastLeft ? cut : CutText{};
}

// As many of the entries ("3 × 4 × 5", "20, 5, 1") as fit, from the first on, then an ellipsis: never a part of a number.
template <class Measure>
[[nodiscard]] CutText fit_entries(std::string_view text, std::string_view separator, float room, Measure&& measure) {
  if (measure(text) <= room) return {text, {}, false};
  const float dots = measure(std::string_view("…"));
  for (std::size_t end = text.rfind(separator); end != std::string_view::npos && end > 0; end = text.rfind(separator, end - 1)) {
    const std::string_view front = text.substr(0, end + separator.size());
    if (measure(front) + dots <= room) return {front, {}, true};
  }
  return {{}, {}, true};
}

}  // namespace dlscope::app
