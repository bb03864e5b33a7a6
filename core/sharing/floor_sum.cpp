#include "core/sharing/floor_sum.h"

#include <utility>

namespace dlscope::core {
namespace {

__extension__ using Wide = unsigned __int128;

// n (n - 1) / 2 modulo 2^64. Halves the even factor before multiplying, because a product that has wrapped cannot be halved.
std::uint64_t pairs_below(std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2); }

// The lowest k >= 0 with low <= a k mod m <= high; needs 0 < low <= high < m and a < m. If no multiple of a lies in [low, high],
// one must lie in [low + m y, high + m y] for some y, which is the same question modulo a. By symmetry a can be made at most m /
// 2, so each step at least halves the modulus.
std::optional<std::uint64_t> first_between(std::uint64_t m, std::uint64_t a, std::uint64_t low, std::uint64_t high) {
  if (a == 0) return std::nullopt;
  if (a > m - a) return first_between(m, m - a, m - high, m - low);
  const std::uint64_t steps = low / a + (low % a != 0 ? 1 : 0);
  if (steps * a <= high) return steps;
  const auto y = first_between(a, (a - m % a) % a, low % a, high % a);
  if (!y) return std::nullopt;
  const Wide reached = Wide{m} * *y + low + (a - 1);
  if (reached >> 64 == 0) return static_cast<std::uint64_t>(reached) / a;  // the usual case, as in floor_sum()
  return static_cast<std::uint64_t>(reached / a);
}

}  // namespace

std::uint64_t floor_sum(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (;;) {
    if (a >= m) {
      sum += pairs_below(n) * (a / m);
      a %= m;
    }
    if (b >= m) {
      sum += n * (b / m);
      b %= m;
    }
    const Wide most = Wide{a} * n + b;
    if (most < m) return sum;
    if (most >> 64 == 0) {  // the usual case, kept to 64 bits because a 128-bit division costs several times as much
      const auto small = static_cast<std::uint64_t>(most);
      n = small / m;
      b = small % m;
    } else {
      n = static_cast<std::uint64_t>(most / m);
      b = static_cast<std::uint64_t>(most % m);
    }
    std::swap(m, a);
  }
}

std::optional<std::uint64_t> first_residue_below(std::uint64_t m, std::uint64_t a, std::uint64_t c, std::uint64_t width) {
  if (c < width) return 0;
  return first_between(m, a, m - c, m - c + (width - 1));
}

}  // namespace dlscope::core
