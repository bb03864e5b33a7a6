#include "core/search/first_matches.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>

namespace dlscope::core {
namespace {

// Elements that differ only on axes of stride 0 are one place; `lowest` is the one with index 0 on all of these axes. Returns the
// lowest C-order index >= `from` among them. The indices are treated as digits: those of stride-0 axes are free and copied from
// `from`; if a fixed digit is then smaller than that of `from`, the last free digit before it is increased.
std::optional<std::uint64_t> first_not_below(LayoutView layout, std::uint64_t lowest, std::uint64_t from) {
  if (lowest >= from) return lowest;
  const auto rank = static_cast<std::size_t>(layout.rank());
  std::array<std::int64_t, kMaxRank> digits{}, wanted{};
  unravel(layout, lowest, std::span(digits).first(rank));
  unravel(layout, from, std::span(wanted).first(rank));
  const auto number = [&](std::size_t equal, bool grow) {
    std::uint64_t value = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool is_free = layout.stride_bits[d] == 0;
      std::int64_t digit = digits[d];
      if (is_free && d < equal) digit = wanted[d];
      if (is_free && d == equal && grow) digit = wanted[d] + 1;
      value = value * static_cast<std::uint64_t>(layout.shape[d]) + static_cast<std::uint64_t>(digit);
    }
    return value;
  };
  std::optional<std::size_t> last_growing;
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.stride_bits[d] == 0) {
      if (wanted[d] + 1 < layout.shape[d]) last_growing = d;
    } else if (digits[d] > wanted[d]) {
      return number(d, false);
    } else if (digits[d] < wanted[d]) {
      return last_growing ? std::optional(number(*last_growing, true)) : std::nullopt;
    }
  }
  return number(rank, false);
}

}  // namespace

// Values in the order of their indices: the value `lowest` has the lowest one, every next one lies `bytes` further, and has an index that
// is `step` more.
struct FirstMatches::Run {
  const std::byte* lowest = nullptr;
  std::ptrdiff_t bytes = 0;
  std::size_t each = 0;
  std::uint64_t index = 0, step = 1, count = 0;

  // How many of them have an index below `limit`.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) const {
    return limit <= index ? 0 : std::min(count, (limit - index - 1) / step + 1);
  }
  [[nodiscard]] const std::byte* at(std::uint64_t number) const { return lowest + static_cast<std::ptrdiff_t>(number) * bytes; }
};

FirstMatches::FirstMatches(LayoutView layout, const MemoryOrder& order, unsigned lanes, unsigned unit, std::uint64_t from)
    : layout_(layout),
      order_(order),
      elements_(order.values() / std::max(1U, lanes)),
      lanes_(std::max(1U, lanes)),
      unit_(unit),
      from_(from),
      has_next_(from < elements_) {}

// The index that begins this element; beyond all of them if there is none.
std::uint64_t FirstMatches::limit(const std::optional<std::uint64_t>& element) const {
  return element ? *element * lanes_ : std::numeric_limits<std::uint64_t>::max();
}

bool FirstMatches::can_change(const ValueMatches& found) const {
  return found.first != 0 || (has_next_ && found.next != from_);
}

std::uint64_t FirstMatches::look(const ValueTest& test, const std::byte* values, std::size_t each, std::uint64_t count,
                                 std::uint64_t place, ValueMatches& found) const {
  std::uint64_t tested = 0;
  AffineCursor cursor(order_.indices(), place, place + count * unit_);
  for (AffineRun part; can_change(found) && cursor.next(part);) {
    Run run{.each = each, .count = part.count / unit_};
    const std::int64_t step = part.step * static_cast<std::int64_t>(unit_);
    const bool falls = step < 0;
    const std::uint64_t last = run.count - 1;
    run.lowest = values + (part.place - place) / unit_ * each + (falls ? last * each : 0);
    run.bytes = falls ? -static_cast<std::ptrdiff_t>(each) : static_cast<std::ptrdiff_t>(each);
    run.index = static_cast<std::uint64_t>(part.first + (falls ? step * static_cast<std::int64_t>(last) : 0));
    run.step = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::abs(step)));
    tested += order_.repeats() == 1 ? look_at(test, run, found) : look_at_repeated(test, run, found);
  }
  return tested;
}

// In front of the first match, and from from_ on in front of the next one: up to one that matches, which is it.
std::uint64_t FirstMatches::look_at(const ValueTest& test, const Run& run, ValueMatches& found) const {
  std::uint64_t tested = 0;
  const auto look = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      ++tested;
      if (!test.is_match(run.at(i), run.each)) continue;
      note(run.index + i * run.step, found);
      return i + 1;
    }
    return std::max(begin, end);
  };
  const std::uint64_t behind = look(0, run.below(limit(found.first)));
  if (has_next_) look(std::max(behind, run.below(from_ * lanes_)), run.below(limit(found.next)));
  return tested;
}

// Values that stand for several elements each: a lower one can have a higher next element.
std::uint64_t FirstMatches::look_at_repeated(const ValueTest& test, const Run& run, ValueMatches& found) const {
  const std::uint64_t end = run.below(has_next_ ? std::max(limit(found.first), limit(found.next)) : limit(found.first));
  for (std::uint64_t i = 0; i < end; ++i) {
    if (test.is_match(run.at(i), run.each)) note(run.index + i * run.step, found);
  }
  return end;
}

void FirstMatches::note(std::uint64_t index, ValueMatches& found) const {
  const std::uint64_t element = index / lanes_;
  found.first = std::min(found.first.value_or(element), element);
  if (!has_next_ || (order_.repeats() == 1 && element < from_)) return;
  if (const auto next = first_not_below(layout_, element, from_)) found.next = std::min(found.next.value_or(*next), *next);
}

}  // namespace dlscope::core
