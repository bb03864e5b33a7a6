// Splits name paths, as a scan writes them, into segments: `net.layers[0].weight` is `net`, `.layers`, `[0]`, `.weight`. Anything
// in brackets is one segment: `d['a.b'][(1, 2)]`.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/models/text/characters.h"
#include "app/models/text/fitted_text.h"

namespace dlscope::app {

// Further segments belong to the last one.
inline constexpr std::size_t kMaxSegments = 32;

// The start of each segment; the first is 0. Empty for an empty name. Does not allocate, because frames use it.
class SegmentStarts {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const { return at_[i]; }
  [[nodiscard]] std::size_t back() const { return at_[size_ - 1]; }
  void push_back(std::size_t start) { at_[size_++] = start; }  // at most kMaxSegments

 private:
  std::array<std::size_t, kMaxSegments> at_{};
  std::size_t size_ = 0;
};
[[nodiscard]] SegmentStarts segment_starts(std::string_view name);
// ".weight" -> "weight"; "." alone, before an attribute whose name is empty, is unchanged.
[[nodiscard]] std::string_view without_dot(std::string_view segment);
// "['exp_avg']" -> "exp_avg"; anything but a quoted key is unchanged.
[[nodiscard]] std::string_view without_quotes(std::string_view segment);

// The last index by a number ("[2]") that is not beside the last segment; "": there is none.
[[nodiscard]] std::string_view number_before(std::string_view name, const SegmentStarts& starts);

// The name when it fits into `room`; else whole segments: the last ones, because names differ at their ends, after the first one
// where both fit; an index (the 2 of `net.layers[2].weight`) is not left out to make room for the first one, because it tells
// layers apart, and stays before the last segment alone (`[2]…weight`). A last segment too long is cut in the middle; one
// that fits only without the ellipsis loses its beginning, because nothing else would say that it is not the whole name.
template <class Measure>
[[nodiscard]] CutText fit_path(std::string_view name, float room, Measure&& measure) {
  constexpr std::size_t kMinBehindFirst = 2;  // segments: "net…weight" would say too little
  if (name.size() <= 512 && measure(name) <= room) return {name, {}, false};
  const SegmentStarts starts = segment_starts(name);
  const float dots = measure(std::string_view("…"));
  for (std::size_t from = 1; from < starts.size(); ++from) {
    const std::string_view back = without_dot(name.substr(starts[from]));
    const float width = dots + measure(back);
    if (width > room) continue;
    const std::string_view front = name.substr(0, starts[1]);
    if (from + 1 == starts.size()) {
      const std::string_view index = number_before(name, starts);
      if (!index.empty() && width + measure(index) <= room) return {index, back, true};
    }
    const bool with_front = from > 1 && starts.size() - from >= kMinBehindFirst && width + measure(front) <= room;
    if (with_front || starts.size() - from < kMinBehindFirst + 1 || from + 1 == starts.size())
      return {with_front ? front : std::string_view(), back, true};
    if (name[starts[from]] == '[') return {{}, back, true};
    // Leaving out one more segment may make room for the first one.
    const std::string_view shorter = without_dot(name.substr(starts[from + 1]));
    if (dots + measure(shorter) + measure(front) <= room) return {front, shorter, true};
    return {{}, back, true};
  }
  const CutText last = fit_text(starts.empty() ? name : without_dot(name.substr(starts.back())), room, measure);
  if (starts.size() < 2 || last.cut || last.front.empty()) return last;
  if (dots > room) return {};
  std::string_view end = last.front;
  while (!end.empty() && dots + measure(end) > room) {
    do end.remove_prefix(1);
    while (!end.empty() && !starts_character(end.front()));
  }
  return {{}, end, true};
}

// At most `most` code points of a tensor's name, shortened in this way.
[[nodiscard]] std::string shortened_name(std::string_view name, std::size_t most);

// For a small label: like fit_path(), but a segment is cut only if enough of it remains to be recognised, and first loses
// brackets and quotes (`['exp_avg']` becomes `exp_avg`). Empty when there is no room for that: "w…t" tells nothing. An index
// stands alone only behind an ellipsis: beside `rows[0, 1]`, a mere `[0, 2]` would look like a name of another kind.
template <class Measure>
[[nodiscard]] CutText fit_short_path(std::string_view name, float room, Measure&& measure) {
  constexpr std::size_t kMinLeft = 6;  // letters of a cut segment
  const SegmentStarts starts = segment_starts(name);
  const std::string_view last = starts.empty() ? name : without_dot(name.substr(starts.back()));
  const bool whole = name.size() <= 512 && measure(name) <= room;
  if (whole || (starts.size() > 1 && measure(std::string_view("…")) + measure(last) <= room))
    return fit_path(name, room, measure);
  const std::string_view key = without_quotes(last);
  if (starts.size() > 1 && key.starts_with('[')) return {};
  const CutText cut = fit_text(key, room, measure);
  return !cut.cut || cut.front.size() + cut.back.size() >= kMinLeft ? cut : CutText{};
}

// As many of the entries ("3 × 4 × 5", "20, 5, 1") as fit, from the first on, then an ellipsis; numbers are never cut.
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
