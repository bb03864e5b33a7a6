#include "core/sharing/pair_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace dlscope::core {
namespace {

constexpr std::size_t kPairsPerLook = 4096;  // whether to stop, while room is made for them
constexpr std::size_t kFew = 64;             // up to so many keys a comparison sort is faster

// By the high half, of which only the lowest `bits` differ: radix sort with as few digits as possible, because there may be
// many short lists to sort, and a digit of 11 bits has 2048 counters to clear. `other` is scratch memory.
void sort_by_high_half(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other, unsigned bits) {
  constexpr unsigned kMostBits = 11;
  const unsigned digits = (bits + kMostBits - 1) / kMostBits;
  const unsigned digit_bits = (bits + digits - 1) / digits;
  std::array<std::uint32_t, std::size_t{1} << kMostBits> next;
  const auto counters = std::span(next).first(std::size_t{1} << digit_bits);
  other.resize(keys.size());
  for (unsigned digit = 0; digit < digits; ++digit) {
    const auto value = [shift = 32 + digit * digit_bits, mask = counters.size() - 1](std::uint64_t key) {
      return static_cast<std::size_t>(key >> shift) & mask;
    };
    std::ranges::fill(counters, 0);
    for (const std::uint64_t key : keys) ++counters[value(key)];
    std::uint32_t sum = 0;
    for (std::uint32_t& counter : counters) sum += std::exchange(counter, sum);
    for (const std::uint64_t key : keys) other[counters[value(key)]++] = key;
    keys.swap(other);
  }
}

}  // namespace

bool PairList::make_room(const std::stop_token& stop) {
  std::uint32_t pairs = 0;
  for (std::uint32_t& count : of_rank_) pairs += std::exchange(count, pairs);
  pairs_.reserve(pairs);
  while (pairs_.size() < pairs) {
    if (stop.stop_requested()) {
      pairs_.clear();
      return false;
    }
    pairs_.resize(std::min<std::size_t>(pairs, pairs_.size() + kPairsPerLook));
  }
  return true;
}

void PairList::sort_by_b(std::uint32_t rank, std::uint32_t written) {
  const std::span<SharingPair> pairs = std::span(pairs_).subspan(of_rank_[rank], written);
  if (std::ranges::is_sorted(pairs, {}, &SharingPair::b)) return;
  const auto [lowest, highest] = std::ranges::minmax(pairs, {}, &SharingPair::b);
  keys_.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) keys_[i] = std::uint64_t{pairs[i].b - lowest.b} << 32 | i;
  if (keys_.size() <= kFew)
    std::ranges::sort(keys_);
  else
    sort_by_high_half(keys_, other_keys_, static_cast<unsigned>(std::bit_width(highest.b - lowest.b)));
  unsorted_.assign(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = unsorted_[static_cast<std::uint32_t>(keys_[i])];
}

void PairList::compact() {
  std::erase_if(pairs_, [](const SharingPair& pair) { return pair.a == pair.b; });
}

}  // namespace dlscope::core
