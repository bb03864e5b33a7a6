// The rows of a hex view over a sparse mapping of 100 GiB, scrolled and thrown to places all over it, against one read of as many
// bytes in the same round. Nothing is timed whose last row, and a row in the middle, are not first those that were written there.
// Best and median of the rounds.
//   hex_bench [ROUNDS=9]
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "app/models/hex/hex_bytes.h"
#include "core/memory/prompt_reader.h"
#include "tests/bench/timing.h"

namespace {

using namespace dlscope;
using app::HexBytes;
using app::HexRows;
using bench::at_part;
using bench::seconds;

constexpr std::size_t kSize = std::size_t{100} << 30;
constexpr std::uint64_t kOnScreen = 60;  // rows
constexpr int kFrames = 2000;            // of a round

void leave(const char* why) {
  fmt::print("{}\n", why);
  std::exit(1);
}

struct Scroll {
  const char* name;
  std::uint64_t (*next)(std::uint64_t row, std::uint64_t last, std::mt19937_64& chance);
};

constexpr Scroll kScrolls[] = {
    {"row by row", [](std::uint64_t row, std::uint64_t last, std::mt19937_64&) { return row < last ? row + 1 : 0; }},
    {"page by page",
     [](std::uint64_t row, std::uint64_t last, std::mt19937_64&) { return row + kOnScreen < last ? row + kOnScreen : 0; }},
    {"anywhere", [](std::uint64_t, std::uint64_t last, std::mt19937_64& chance) { return chance() % last; }},
};

void check(const core::MemoryReader& reader, const HexRows& all, char* data) {
  const auto planted = [&](std::uint64_t row, std::string_view text) {
    std::memcpy(data + (all.begin_of(row) - all.first), text.data(), all.width);
    HexBytes bytes;
    bytes.read(reader, all, row, kOnScreen);
    if (bytes.rows.front() != app::RowState::readable || std::memcmp(bytes.row(0).data(), text.data(), all.width) != 0)
      leave("a row is not what was written there");
    return bytes.rows.size();
  };
  if (planted(all.rows() - 1, "the very last ro") != 1) leave("there are rows behind the last one");
  planted(all.rows() / 2 + 12'345, "one in the middl");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 9;
  void* const data = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) leave("no sparse mapping");
  const auto begin = reinterpret_cast<core::Address>(data);
  const std::shared_ptr<const core::MemoryReader> direct = core::process_reader(0).value();
  const core::PromptReader reader(direct, core::DeadlineReader(direct));
  const HexRows all = app::rows_of({begin, begin + kSize}, 16);
  check(reader, all, static_cast<char*>(data));
  std::vector<std::byte> plain(kOnScreen * all.width);
  for (const Scroll& scroll : kScrolls) {
    std::vector<double> frames, ratios, rates;
    std::mt19937_64 chance(7);
    HexBytes bytes;
    std::uint64_t row = all.rows() - 30'000;  // the last rows are on the way
    for (int round = 0; round < rounds; ++round) {
      double ours = 0, once = 0;
      for (int i = 0; i < kFrames; ++i) {
        row = scroll.next(row, all.rows() - kOnScreen, chance);
        const double one = seconds([&] { bytes.read(reader, all, row, kOnScreen); });
        if (bytes.rows.size() != kOnScreen || bytes.rows.front() != app::RowState::readable) leave("a row was not read");
        once += seconds([&] { static_cast<void>(reader.read(all.begin_of(row), plain)); });
        frames.push_back(one);
        ours += one;
      }
      rates.push_back(kFrames * kOnScreen / ours);
      ratios.push_back(ours / once);
    }
    fmt::print(
        "{:12} {:5.1f} million rows a second (median {:5.1f}); {} rows p50 {:5.1f} us, p99 {:5.1f} us; times one read: "
        "best {:.1f}, median {:.1f}\n",
        scroll.name, at_part(rates, 1) * 1e-6, at_part(rates, 0.5) * 1e-6, kOnScreen, at_part(frames, 0.5) * 1e6,
        at_part(frames, 0.99) * 1e6, at_part(ratios, 0), at_part(ratios, 0.5));
  }
  return 0;
}
