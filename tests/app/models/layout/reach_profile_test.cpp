#include "app/models/layout/reach_profile.h"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <random>
#include <vector>

#include "tests/support/layout_samples.h"
#include "tests/support/one_tensor.h"

namespace dlscope::app {
namespace {

struct Seen {
  tests::OneTensor of;
  StorageTape tape;
  ReachProfile profile;

  explicit Seen(const core::Layout& layout) : of(layout), tape(of.snapshot, 0), profile(of.snapshot, 0, tape) {}

  std::vector<ReachPiece> read(std::int64_t least_bits = 0) { return read(tape.begin(), tape.end(), least_bits); }
  std::vector<ReachPiece> read(std::int64_t begin, std::int64_t end, std::int64_t least_bits) {
    std::vector<ReachPiece> out;
    profile.read(begin, end, least_bits, {}, out);
    return out;
  }
  [[nodiscard]] bool may_reach_again() const { return app::may_reach_again(of.snapshot->tensors[0], tape); }
};

// All windows of `width` over `length` float32.
core::Layout windows(std::int64_t length, std::int64_t width) {
  return core::Layout::from_element_strides({length - width + 1, width}, {1, 1}, 32);
}

}  // namespace

TEST_CASE("A sliding window reaches the middle more often than the ends", "[app][models][reach]") {
  Seen seen(windows(6, 3));
  CHECK(seen.may_reach_again());
  CHECK(seen.read() ==
        std::vector<ReachPiece>{{0, 32, 1, 1}, {32, 64, 2, 2}, {64, 128, 3, 3}, {128, 160, 2, 2}, {160, 192, 1, 1}});
  CHECK(seen.read(40, 100, 0) == std::vector<ReachPiece>{{40, 64, 2, 2}, {64, 100, 3, 3}});
  CHECK(seen.profile.counts().size() == 3);
}

TEST_CASE("Runs too narrow to be seen are combined, with the fewest and the most times", "[app][models][reach]") {
  Seen seen(windows(100, 3));
  const auto pieces = seen.read(100);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0] == ReachPiece{0, 64, 1, 2});
  CHECK(pieces[1] == ReachPiece{64, 98 * 32, 3, 3});
  CHECK(pieces[2] == ReachPiece{98 * 32, 100 * 32, 1, 2});
}

TEST_CASE("Holes are reached by none, and a broadcast column by all its copies", "[app][models][reach]") {
  Seen seen(core::Layout::from_element_strides({2, 5}, {3, 0}, 16));
  CHECK(seen.read() == std::vector<ReachPiece>{{0, 16, 5, 5}, {16, 48, 0, 0}, {48, 64, 5, 5}});
}

TEST_CASE("What usual tensors reach is not worth a picture", "[app][models][reach]") {
  CHECK_FALSE(Seen(core::Layout::c_order({3, 4}, 32)).may_reach_again());
  CHECK_FALSE(Seen(core::Layout::from_element_strides({3, 4}, {-8, 2}, 32)).may_reach_again());
}

TEST_CASE("Runs equal listing every element, in any part and combined", "[app][models][reach]") {
  std::mt19937 chance(5);
  for (int round = 0; round < 400; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    Seen seen(layout);
    if (seen.profile.counts().empty()) continue;  // not in whole bytes
    std::map<std::int64_t, std::uint64_t> times;  // by byte
    for (const std::int64_t start : tests::starts_of(layout)) {
      for (std::int64_t bit = start; bit < start + layout.item_bits; bit += 8) ++times[bit];
    }
    const std::int64_t bytes = (seen.tape.end() - seen.tape.begin()) / 8;
    const std::int64_t from = seen.tape.begin() + static_cast<std::int64_t>(chance() % static_cast<unsigned>(bytes)) * 8;
    const std::int64_t least_bits = round % 2 == 0 ? 0 : 64;
    std::int64_t next = from;
    for (const ReachPiece& piece : seen.read(from, seen.tape.end(), least_bits)) {
      REQUIRE(piece.begin == next);
      REQUIRE(piece.counted);
      next = piece.end;
      std::uint64_t least = ~std::uint64_t{0}, most = 0;
      for (std::int64_t bit = piece.begin; bit < piece.end; bit += 8) {
        least = std::min(least, times[bit]);
        most = std::max(most, times[bit]);
      }
      REQUIRE(piece.least == least);
      REQUIRE(piece.most == most);
    }
    REQUIRE(next == seen.tape.end());
  }
}

TEST_CASE("Too many runs are counted where they are seen, and said to be of one kind elsewhere", "[app][models][reach]") {
  Seen seen(core::Layout::from_element_strides({10'000'000, 4}, {2, 0}, 32));  // a broadcast column with holes
  REQUIRE(seen.profile.counts().size() == 1);
  const auto all = seen.read(1 << 20);
  REQUIRE(all.size() == 1);
  CHECK(all[0].counted);
  CHECK(all[0].least == 0);
  CHECK(all[0].most == 4);
  const std::int64_t at = std::int64_t{5'000'000} * 64;
  CHECK(seen.read(at, at + 96, 0) ==
        std::vector<ReachPiece>{{at, at + 32, 4, 4}, {at + 32, at + 64, 0, 0}, {at + 64, at + 96, 4, 4}});
}

TEST_CASE("What is too much work is not counted, and cells of the tape show it from near", "[app][models][reach]") {
  Seen seen(windows(1'000'000'000, 3));
  REQUIRE(seen.profile.counts().empty());
  const auto far = seen.read(0, 64'000, 320);
  REQUIRE(far.size() == 1);
  CHECK_FALSE(far[0].counted);
  std::vector<TapePiece> cells;
  seen.tape.read(0, 1, 5, cells);
  std::vector<ReachPiece> near;
  seen.profile.read(0, 160, 0, cells, near);
  CHECK(near == std::vector<ReachPiece>{{0, 32, 1, 1}, {32, 64, 2, 2}, {64, 160, 3, 3}});
}

TEST_CASE("Packed elements are counted in cells smaller than bytes", "[app][models][reach]") {
  Seen seen(core::Layout::from_element_strides({2, 3}, {0, 1}, 4));
  CHECK(seen.may_reach_again());
  CHECK(seen.profile.counts().empty());
  std::vector<TapePiece> cells;
  seen.tape.read(0, 1, 5, cells);
  std::vector<ReachPiece> near;
  seen.profile.read(0, 12, 0, cells, near);
  CHECK(near == std::vector<ReachPiece>{{0, 12, 2, 2}});
}

TEST_CASE("How often bytes are reached reads as a sentence", "[app][models][reach]") {
  CHECK(reach_sentence({0, 96, 3, 3}, "windows") == "12 B, each reached by 3 elements of windows.");
  CHECK(reach_sentence({0, 32, 1, 1}, "windows") == "4 B, each reached by 1 element of windows.");
  CHECK(reach_sentence({0, 64, 0, 0}, "column") == "8 B that no element of column reaches.");
  CHECK(reach_sentence({0, 8192, 1, 3}, "w") == "1.0 KiB seen together, each reached by 1 to 3 elements of w.");
  CHECK(reach_sentence({0, 4, 2, 2}, "packed") == "4 bits, each reached by 2 elements of packed.");
  CHECK(reach_sentence({0, 32, 0, 0, false}, "w").starts_with("4 B: how often they are reached was not counted"));
}

}  // namespace dlscope::app
