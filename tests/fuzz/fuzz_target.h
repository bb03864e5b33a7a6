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
  // False: refused as malformed. Chains of changes go on from what was understood.
  bool (*run)(std::span<const std::byte> input);
  // Inserted whole by mutation: words of the format.
  std::vector<std::string_view> tokens = {};
  bool numbers = false;  // a format of numbers, whose size says what is in it: most changes are made in place
};

[[nodiscard]] const std::vector<Target>& targets();
// Of them: what stands in texts, in the host's answers, on the wire, in its ring, in files of tensors, in names and layouts.
[[nodiscard]] std::vector<Target> text_targets();
[[nodiscard]] std::vector<Target> answer_targets();
[[nodiscard]] std::vector<Target> wire_targets();
[[nodiscard]] std::vector<Target> ring_targets();
[[nodiscard]] std::vector<Target> file_targets();
[[nodiscard]] std::vector<Target> window_targets();

// Ends the process with these words when the property does not hold.
void hold(bool property, const char* message);

[[nodiscard]] Bytes bytes_of(std::string_view text);
[[nodiscard]] std::string_view text_of(std::span<const std::byte> input);

// One to a few changes: bits, bytes, whole little-endian numbers on their alignment, stretches moved, repeated or cut, words of
// the target, a piece of another input.
[[nodiscard]] Bytes mutated(Bytes input, const Bytes& other, const Target& target, Random& random);

}  // namespace dlscope::fuzz
