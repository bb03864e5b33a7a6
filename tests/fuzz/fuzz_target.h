// A fuzz target: something of ours that reads what others wrote. It is run on seeds and on what mutation makes of them; it must
// not crash, not hang, and keep the properties it states itself (hold()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace dlscope::fuzz {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

struct Target {
  const char* name;
  std::vector<Bytes> (*seeds)();
  void (*run)(std::span<const std::byte> input);
  // Inserted whole by mutation: words of the format.
  std::vector<std::string_view> words = {};
};

[[nodiscard]] const std::vector<Target>& targets();

// Ends the process with these words when the property does not hold.
void hold(bool property, const char* words);

[[nodiscard]] Bytes bytes_of(std::string_view text);
[[nodiscard]] std::string_view text_of(std::span<const std::byte> input);

// One to a few changes: bits, bytes, whole little-endian numbers on their alignment, stretches moved, repeated or cut, words of
// the target, a piece of another input.
[[nodiscard]] Bytes mutated(Bytes input, const Bytes& other, const Target& target, Random& random);

}  // namespace dlscope::fuzz
