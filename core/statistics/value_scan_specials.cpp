// Where the first and the last NaN or infinity lies, by index.
#include <algorithm>
#include <bit>
#include <optional>

#include "core/statistics/outermost_special.h"
#include "core/statistics/value_scan.h"

namespace dlscope::core {
namespace {

struct SpecialCodes {
  const CodeCounts& codes;
  const std::byte* values;
  std::size_t value_bytes;

  [[nodiscard]] bool operator()(std::uint64_t i) const { return codes.is_special(values + i * value_bytes); }
  [[nodiscard]] std::uint64_t first(std::uint64_t begin, std::uint64_t end, std::uint64_t step) const {
    return first_special(begin, end, step, *this);
  }
  [[nodiscard]] std::uint64_t last(std::uint64_t begin, std::uint64_t end, std::uint64_t step) const {
    return last_special(begin, end, step, *this);
  }
};

// One bit for each value; neighbours are looked at 64 at a time.
struct SpecialBits {
  const std::vector<std::uint64_t>& bits;

  [[nodiscard]] bool operator()(std::uint64_t i) const { return (bits[i / 64] >> i % 64 & 1) != 0; }
  [[nodiscard]] std::uint64_t first(std::uint64_t begin, std::uint64_t end, std::uint64_t step) const {
    if (step != 1) return first_special(begin, end, step, *this);
    while (begin < end) {
      const std::uint64_t word = bits[begin / 64] >> begin % 64;
      if (word != 0) return begin + static_cast<std::uint64_t>(std::countr_zero(word));
      begin = (begin / 64 + 1) * 64;
    }
    return begin;
  }
  [[nodiscard]] std::uint64_t last(std::uint64_t begin, std::uint64_t end, std::uint64_t step) const {
    if (step != 1) return last_special(begin, end, step, *this);
    for (;;) {
      const std::uint64_t word = bits[(end - 1) / 64] << (63 - (end - 1) % 64);
      if (word != 0) return end - 1 - static_cast<std::uint64_t>(std::countl_zero(word));
      end = (end - 1) / 64 * 64;
    }
  }
};

}  // namespace

void ValueScan::note_specials(const std::byte* values, std::uint32_t count, std::uint64_t place) {
  note_outermost(values, count, place, SpecialBits{special_bits_});
}

void ValueScan::note_special_codes(const std::byte* values, std::uint32_t count, std::uint64_t place) {
  note_outermost(values, count, place, SpecialCodes{*codes_, values, value_bytes_});
}

template <class Specials>
void ValueScan::note_outermost(const std::byte* values, std::uint32_t count, std::uint64_t place, const Specials& specials) {
  // Places of the block, decoded when all of it has been looked at: each line may hold one that lies further out.
  std::optional<std::uint64_t> new_first, new_last;
  const auto note = [&](std::uint64_t at, std::int64_t line_index) {
    const auto index = static_cast<std::uint64_t>(line_index);
    if (first_special_ == kNoIndex || index + order_.last_repeat() > last_special_) {
      last_special_ = index + order_.last_repeat();
      new_last = at;
    }
    if (index < first_special_) {
      first_special_ = index;
      new_first = at;
    }
  };
  lines_.walk(place, place + count, [&](const IndexLine& line) {
    const auto ends = std::minmax({line.index, line.index_of(line.count - 1)});
    const std::uint64_t highest = static_cast<std::uint64_t>(ends.second) + order_.last_repeat();
    const bool inside = static_cast<std::uint64_t>(ends.first) >= first_special_ && highest <= last_special_;
    if (first_special_ != kNoIndex && inside) return;
    const std::uint64_t begin = line.first - place, end = begin + (line.count - 1) * line.step + 1;
    const std::uint64_t first = specials.first(begin, end, line.step);
    if (first >= end) return;
    for (const std::uint64_t at : {first, specials.last(first, end, line.step)})
      note(at, line.index_of((at - begin) / line.step));
  });
  const auto kind = [&](std::uint64_t at) {
    return with_sign_bits(dtype_, decode_element(dtype_, {values + at * value_bytes_, value_bytes_}, 0), signs_).value_class;
  };
  if (new_first) first_kind_ = kind(*new_first);
  if (new_last) last_kind_ = kind(*new_last);
}

}  // namespace dlscope::core
