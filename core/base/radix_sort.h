// LSD radix sort by an unsigned key: stable, and for 1e5 keys several times as fast as a comparison sort.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlscope::core {

// Sorts by key_of(record), a std::uint64_t. Digits that are the same
// in all keys, such as the high ones of addresses, cost no pass.
template <class Record, class Key>
void sort_by_key(std::vector<Record>& records, Key key_of) {
  constexpr unsigned kDigitBits = 11, kDigits = 6;
  constexpr std::size_t kValues = std::size_t{1} << kDigitBits, kFew = 512;
  if (std::ranges::is_sorted(records, {}, key_of)) return;
  if (records.size() < kFew) {
    std::ranges::stable_sort(records, {}, key_of);
    return;
  }
  const auto digit = [](std::uint64_t key, unsigned d) {
    return static_cast<std::size_t>(key >> (d * kDigitBits)) & (kValues - 1);
  };
  std::vector<std::array<std::size_t, kValues>> start(kDigits);  // by digit value: first counts, then where the next record goes
  for (const Record& record : records) {
    const std::uint64_t key = key_of(record);
    for (unsigned d = 0; d < kDigits; ++d) ++start[d][digit(key, d)];
  }
  std::vector<Record> other(records.size());
  for (unsigned d = 0; d < kDigits; ++d) {
    if (start[d][digit(key_of(records.front()), d)] == records.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& s : start[d]) {
      const std::size_t count = s;
      s = sum;
      sum += count;
    }
    for (const Record& record : records) other[start[d][digit(key_of(record), d)]++] = record;
    records.swap(other);
  }
}

}  // namespace dlscope::core
