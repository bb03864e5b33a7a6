#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "tests/fuzz/fuzz_target.h"

namespace dlscope::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 1u << 16;
constexpr std::array<std::uint64_t, 18> kNumbers{0,          1,          2,          7,          8,         63,
                                                 64,         255,        256,        0x7fff,     0xffff,    0x7fffffff,
                                                 0x80000000, 0xfffffffe, 0xffffffff, ~0ULL >> 1, ~0ULL - 1, ~0ULL};

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random() % end); }

// A number where numbers lie: one that matters, one that is near what stands there, or another one of the input.
void change_number(Bytes& input, Random& random) {
  const std::size_t size = std::size_t{1} << below(random, 4);
  if (input.size() < size) return;
  const std::size_t at = below(random, (input.size() - size) / size + 1) * size;
  std::uint64_t value = 0;
  switch (below(random, 3)) {
    case 0:
      value = kNumbers[below(random, kNumbers.size())];
      break;
    case 1:
      std::memcpy(&value, &input[at], size);
      value += random() % 9 - 4;
      break;
    default:
      std::memcpy(&value, &input[below(random, (input.size() - size) / size + 1) * size], size);
      break;
  }
  std::memcpy(&input[at], &value, size);
}

void change_in_place(Bytes& input, const Bytes& other, std::size_t at, std::size_t length, Random& random) {
  switch (below(random, 4)) {
    case 0:
      if (at < input.size()) input[at] ^= static_cast<std::byte>(1u << below(random, 8));
      break;
    case 1: {
      const std::size_t most = std::min({length, input.size() - at, other.size() - std::min(at, other.size())});
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(std::min(at, other.size())), most,
                  input.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    }
    default:
      change_number(input, random);
      break;
  }
}

void change_once(Bytes& input, const Bytes& other, const Target& target, Random& random) {
  const std::size_t at = below(random, input.size() + 1), length = 1 + below(random, 32);
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = input.begin() + static_cast<std::ptrdiff_t>(std::min(input.size(), at + length));
  if (target.numbers && below(random, 16) != 0) return change_in_place(input, other, at, length, random);
  switch (below(random, 8)) {
    case 0:
      if (at < input.size()) input[at] ^= static_cast<std::byte>(1u << below(random, 8));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<std::byte>(random());
      break;
    case 2:
      input.erase(place, end);
      break;
    case 3: {
      const Bytes repeated(place, end);
      input.insert(place, repeated.begin(), repeated.end());
      break;
    }
    case 4:
      if (!target.tokens.empty()) {
        const Bytes word = bytes_of(target.tokens[below(random, target.tokens.size())]);
        input.insert(place, word.begin(), word.end());
        break;
      }
      [[fallthrough]];
    case 5: {
      const std::size_t from = below(random, other.size() + 1);
      const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
      const auto last = other.begin() + static_cast<std::ptrdiff_t>(std::min(other.size(), from + length));
      input.insert(place, first, last);
      break;
    }
    case 6:
      if (below(random, 16) == 0) input.resize(at);
      break;
    default:
      change_number(input, random);
      break;
  }
}

}  // namespace

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::string_view text_of(std::span<const std::byte> input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

Bytes mutated(Bytes input, const Bytes& other, const Target& target, Random& random) {
  for (std::size_t changes = 1 + below(random, target.numbers ? 3 : 6); changes > 0; --changes)
    change_once(input, other, target, random);
  if (input.size() > kMaxBytes) input.resize(kMaxBytes);
  return input;
}

}  // namespace dlscope::fuzz
