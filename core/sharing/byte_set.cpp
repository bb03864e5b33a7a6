#include "core/sharing/byte_set.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

#include "core/sharing/bit_kernels.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWordBits = 64;
// Words processed between two checks of the stop token: far below a millisecond.
constexpr std::size_t kWordsPerLook = std::size_t{1} << 17;

std::uint64_t words_for(std::uint64_t bits) { return (bits + kWordBits - 1) / kWordBits; }

// {0, 1, ..., n-1} is the sum of the sets {0, t} for these t (powers of two and a remainder); here times the stride.
template <class Visit>
void for_each_shift(const Axis& axis, Visit visit) {
  for (std::uint64_t covered = 1; covered < axis.count;) {
    const std::uint64_t step = std::min(covered, axis.count - covered);
    visit(step * axis.stride);
    covered += step;
  }
}

// The shifts of all axes but the first, ascending. Any order gives the same sum; with the small shifts first, most passes run
// over a set that is still short.
std::vector<std::uint64_t> shifts_of(std::span<const Axis> axes) {
  std::vector<std::uint64_t> shifts;
  for (const Axis& axis : axes.subspan(1)) {
    for_each_shift(axis, [&](std::uint64_t shift) { shifts.push_back(shift); });
  }
  std::ranges::sort(shifts);
  return shifts;
}

// Calls visit(shift, low, high) for every pass; the offsets [low, high) must be correct after it. No bit below `low` can be
// shifted into the window by later passes; at and above `high` the set is still empty, or the window has ended.
template <class Visit>
bool for_each_pass(const SumWindow& window, Visit visit) {
  const std::vector<std::uint64_t> shifts = shifts_of(window.axes);
  std::uint64_t to_come = 0;
  for (const std::uint64_t shift : shifts) to_come += shift;
  std::uint64_t length = window.axes.front().count;
  for (const std::uint64_t shift : shifts) {
    length += shift;
    to_come -= shift;
    const std::uint64_t low = std::max(shift, window.begin > to_come ? window.begin - to_come : 0);
    const std::uint64_t high = std::min(window.end, length);
    if (low < high && !visit(shift, low, high)) return false;
  }
  return true;
}

// words[i] |= (words << shift)[i] for i in [low, high), from the highest down, so that only words of the old set are read.
bool add_shifted(std::uint64_t* words, std::size_t low, std::size_t high, std::uint64_t shift, const std::stop_token& stop) {
  const auto whole = static_cast<std::size_t>(shift / kWordBits);
  const auto rest = static_cast<unsigned>(shift % kWordBits);
  low = std::max(low, whole);
  if (whole < 16) {
    for (std::size_t i = high; i-- > low;) {
      const std::uint64_t carried = rest == 0 ? 0 : words[static_cast<std::ptrdiff_t>(i - whole) - 1] >> (kWordBits - rest);
      words[i] |= (words[i - whole] << rest) | carried;
    }
    return !stop.stop_requested();
  }
  const std::size_t chunk = std::min(whole, kWordsPerLook);
  while (high > low) {
    const std::size_t from = high - low > chunk ? high - chunk : low;
    or_shifted(words + from, words + (from - whole), high - from, rest);
    high = from;
    if (stop.stop_requested()) return false;
  }
  return true;
}

void set_bits(std::uint64_t* words, std::uint64_t begin, std::uint64_t end) {
  const std::size_t first = begin / kWordBits;
  const std::size_t last = (end - 1) / kWordBits;
  const std::uint64_t from = ~std::uint64_t{0} << (begin % kWordBits);
  const std::uint64_t to = ~std::uint64_t{0} >> (kWordBits - 1 - (end - 1) % kWordBits);
  if (first == last) {
    words[first] |= from & to;
    return;
  }
  words[first] |= from;
  std::fill(words + first + 1, words + last, ~std::uint64_t{0});
  words[last] |= to;
}

// As set_bits(), for a run that may be long. False: stopped.
bool set_run(std::uint64_t* words, std::uint64_t begin, std::uint64_t end, const std::stop_token& stop) {
  while (begin < end) {
    if (stop.stop_requested()) return false;
    const std::uint64_t next = std::min(end, (begin / kWordBits + kWordsPerLook) * kWordBits);
    set_bits(words, begin, next);
    begin = next;
  }
  return true;
}

// Bits 0, group, 2*group, ... of x, packed together.
std::uint64_t gather(std::uint64_t x, unsigned group) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i * group < kWordBits; ++i) out |= ((x >> (i * group)) & 1) << i;
  return out;
}

}  // namespace

BitWindow::BitWindow(std::uint64_t bits, std::uint64_t lead_bits)
    : lead_words_(words_for(lead_bits)), words_(words_for(bits)), bits_(bits) {
  // calloc() returns untouched zero pages, so a sparse set costs only the pages that it writes.
  memory_.reset(static_cast<std::uint64_t*>(std::calloc(1 + lead_words_ + words_, sizeof(std::uint64_t))));
  if (memory_ != nullptr) window_ = memory_.get() + 1 + lead_words_;
}

void BitWindow::set_range(std::uint64_t begin, std::uint64_t end) {
  if (begin < end) set_bits(window_, begin, end);
}

void BitWindow::clear_tail() {
  if (bits_ % kWordBits != 0) window_[words_ - 1] &= ~std::uint64_t{0} >> (kWordBits - bits_ % kWordBits);
}

SumSetCost sum_set_cost(const SumWindow& window) {
  const std::uint64_t bits = window.hole + window.end;
  SumSetCost cost{bits, words_for(std::min(window.axes.front().count, window.end)) + words_for(bits - window.begin)};
  for_each_pass(window, [&](std::uint64_t, std::uint64_t low, std::uint64_t high) {
    cost.words += words_for(high - low) + 1;
    return true;
  });
  return cost;
}

std::optional<BitWindow> build_sum_set(const SumWindow& window, const std::stop_token& stop) {
  assert(window.axes.front().stride == 1 && window.begin < window.end);
  BitWindow set(window.hole + window.end - window.begin, window.begin);
  if (!set.valid()) return std::nullopt;
  // Offset x is bit x + pad of the words from lead() on, so that the window starts at a word boundary.
  const std::uint64_t pad = set.lead_words() * kWordBits - window.begin + window.hole;
  std::uint64_t* words = set.lead();
  if (!set_run(words, pad, pad + std::min(window.axes.front().count, window.end), stop)) return std::nullopt;
  const bool done = for_each_pass(window, [&](std::uint64_t shift, std::uint64_t low, std::uint64_t high) {
    return add_shifted(words, (low + pad) / kWordBits, words_for(high + pad), shift, stop);
  });
  if (!done) return std::nullopt;
  set.clear_tail();
  return set;
}

std::optional<BitWindow> fold(const BitWindow& set, unsigned group, const std::stop_token& stop) {
  constexpr std::size_t kFoldedPerLook = kWordsPerLook / 8;  // a word takes longer than in the other loops
  BitWindow out(set.bits() / group, 0);
  if (!out.valid()) return std::nullopt;
  const unsigned per_word = static_cast<unsigned>(kWordBits) / group;
  for (std::size_t i = 0; i < set.words().size(); ++i) {
    if (i % kFoldedPerLook == 0 && stop.stop_requested()) return std::nullopt;
    std::uint64_t word = set.words()[i];
    for (unsigned shift = group / 2; shift > 0; shift /= 2) word |= word >> shift;
    // Bits shifted in from the next group are not at the first position of a group, so gather ignores them.
    const std::size_t to = i * per_word / kWordBits;
    if (to < out.words().size()) out.words()[to] |= gather(word, group) << (i * per_word % kWordBits);
  }
  return out;
}

std::optional<std::uint64_t> count_bits(const BitWindow& set, const std::stop_token& stop) {
  const std::span<const std::uint64_t> words = set.words();
  std::uint64_t count = 0;
  for (std::size_t first = 0; first < words.size(); first += kWordsPerLook) {
    if (stop.stop_requested()) return std::nullopt;
    count += count_bits(words.subspan(first, std::min(kWordsPerLook, words.size() - first)));
  }
  return count;
}

std::optional<CommonBits> common_bits(const BitWindow& a, const BitWindow& b, const std::stop_token& stop) {
  const std::span<const std::uint64_t> words_a = a.words(), words_b = b.words();
  CommonBits common;
  for (std::size_t first = 0; first < words_a.size(); first += kWordsPerLook) {
    if (stop.stop_requested()) return std::nullopt;
    const std::size_t length = std::min(kWordsPerLook, words_a.size() - first);
    const auto part_a = words_a.subspan(first, length), part_b = words_b.subspan(first, length);
    const std::uint64_t found = count_common_bits(part_a, part_b);
    if (common.count == 0 && found > 0) {
      std::size_t i = 0;
      while ((part_a[i] & part_b[i]) == 0) ++i;
      common.lowest = (first + i) * kWordBits + static_cast<std::uint64_t>(std::countr_zero(part_a[i] & part_b[i]));
    }
    common.count += found;
  }
  return common;
}

}  // namespace dlscope::core
