// The values of a tensor in C order, one after another as bytes, are 32-bit words; a value of no power of two of bytes has words of its
// own, filled up with zeros. Each word is multiplied with a pseudo-random 32-bit factor that belongs to its number, and the 64-bit
// products are added up. That is linear, so that values which share a word can be added apart from one another.
#include "core/compare/content_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/compare/compare_kernels.h"

namespace dlscope::core {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

// For all values whose indices have the same high half.
std::uint32_t seed_of(std::uint64_t index, std::size_t word) {
  return static_cast<std::uint32_t>(mixed((index >> 32) + (std::uint64_t{word} << 40) + 1));
}

// Values from the front until the low half of the index wraps.
std::uint64_t values_before_wrap(std::uint64_t index, std::int64_t step) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  const std::uint64_t low = index % kHalf;
  if (step == 0) return ~std::uint64_t{0};
  const std::uint64_t room = step > 0 ? kHalf - 1 - low : low;
  return room / static_cast<std::uint64_t>(step > 0 ? step : -step) + 1;
}

// Values of 1 or 2 bytes whose indices share a high half.
std::uint64_t hash_narrow(const std::byte* values, std::size_t bytes, std::uint64_t count, std::uint64_t index,
                          std::int64_t step) {
  const std::uint64_t in_word = 4 / bytes;
  const std::uint32_t seed = seed_of(index, 0);
  std::uint64_t sum = 0, taken = 0, done = 0;
  const auto skip = [&](std::uint64_t by) {
    values += by * bytes;
    count -= by;
    index += by * static_cast<std::uint64_t>(step);
  };
  if (step == 1) {  // whole words in the middle
    done = std::min(count, (in_word - index % in_word) % in_word);
    sum += plain_hash_of_values(values, bytes, done, index, step);
    skip(done);
    const HashedWords words{
        values, count / in_word, static_cast<std::uint32_t>(index) / static_cast<std::uint32_t>(in_word), 1, {seed}};
    sum += compare_kernels().hash_words[0](words, taken);
    skip(taken * in_word);
  } else {
    sum += compare_kernels().hash_parts[bytes - 1](
        {values, count, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(step), seed}, taken);
    skip(taken);
  }
  return sum + plain_hash_of_values(values, bytes, count, index, step);
}

std::uint64_t hash_wide(const std::byte* values, std::size_t bytes, std::uint64_t count, std::uint64_t index, std::int64_t step) {
  HashedWords words{values, count, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(step), {}};
  for (std::size_t word = 0; word < bytes / 4; ++word) words.seeds[word] = seed_of(index, word);
  std::uint64_t taken = 0;
  const std::uint64_t sum = compare_kernels().hash_words[static_cast<std::size_t>(std::countr_zero(bytes / 4))](words, taken);
  return sum + plain_hash_of_values(values + taken * bytes, bytes, count - taken,
                                    index + taken * static_cast<std::uint64_t>(step), step);
}

}  // namespace

std::uint64_t plain_hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count, std::uint64_t index,
                                   std::int64_t step) {
  std::uint64_t sum = 0;
  const std::uint32_t in_word = value_bytes == 1 ? 4 : value_bytes == 2 ? 2 : 1;
  for (std::uint64_t i = 0; i < count; ++i, values += value_bytes, index += static_cast<std::uint64_t>(step)) {
    const auto low = static_cast<std::uint32_t>(index);
    for (std::size_t at = 0, number = 0; at < value_bytes; at += 4, ++number) {
      std::uint32_t word = 0;
      std::memcpy(&word, values + at, std::min<std::size_t>(4, value_bytes - at));
      word <<= low % in_word * 8 * value_bytes % 32;
      sum += std::uint64_t{word} * hash_factor(low / in_word, seed_of(index, number));
    }
  }
  return sum;
}

std::uint64_t hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count, std::uint64_t index,
                             std::int64_t step) {
  if (!std::has_single_bit(value_bytes) || value_bytes > 16) return plain_hash_of_values(values, value_bytes, count, index, step);
  std::uint64_t sum = 0;
  while (count > 0) {
    const std::uint64_t run = std::min(count, values_before_wrap(index, step));
    sum +=
        value_bytes < 4 ? hash_narrow(values, value_bytes, run, index, step) : hash_wide(values, value_bytes, run, index, step);
    values += run * value_bytes;
    index += run * static_cast<std::uint64_t>(step);
    count -= run;
  }
  return sum;
}

EqualWords hash_and_compare(const std::byte* a, const std::byte* b, std::size_t value_bytes, std::uint64_t count, std::uint64_t index,
                            std::int64_t step, const PatternRange* nan, std::size_t pattern_bytes) {
  EqualWords found{.b = b, .nan = nan != nullptr ? *nan : PatternRange{}};
  if (!std::has_single_bit(value_bytes) || value_bytes > 16 || values_before_wrap(index, step) < count) return found;
  const std::size_t in_word = value_bytes < 4 ? 4 / value_bytes : 1, words_each = std::max<std::size_t>(1, value_bytes / 4);
  if (in_word > 1 && (step != 1 || index % in_word != 0)) return found;
  const auto log = [](std::size_t size) { return static_cast<std::size_t>(std::countr_zero(size)); };
  const auto kernel = compare_kernels().equal_words[log(words_each)][nan != nullptr ? log(pattern_bytes) : 4];
  if (kernel == nullptr) return found;
  HashedWords words{a, count / in_word, static_cast<std::uint32_t>(index) / static_cast<std::uint32_t>(in_word),
                    static_cast<std::uint32_t>(step), {}};
  for (std::size_t word = 0; word < words_each; ++word) words.seeds[word] = seed_of(index, word);
  kernel(words, found);
  found.taken *= in_word;
  return found;
}

std::uint64_t content_hash(std::uint64_t sum, DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t hash = mixed(sum ^ (std::uint64_t{dtype.code} << 32 | std::uint64_t{dtype.bits} << 16 | dtype.lanes));
  for (const std::int64_t n : shape) hash = mixed(hash + static_cast<std::uint64_t>(n) + 0x9E3779B97F4A7C15);
  return mixed(hash + shape.size());
}

}  // namespace dlscope::core
