// scrambled(): SplitMix64: a number that looks like chance and depends on its argument only. Pure function; thread: any.
#pragma once

#include <cstdint>

namespace dlscope::core {

[[nodiscard]] constexpr std::uint64_t scrambled(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
  i = (i ^ i >> 27) * 0x94d049bb133111eb;
  return i ^ i >> 31;
}

}  // namespace dlscope::core
