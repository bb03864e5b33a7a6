#include "app/models/layout/storage_tape.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "tests/support/layout_samples.h"
#include "tests/support/one_tensor.h"

namespace dlscope::app {
namespace {

StorageTape tape_of(const core::Layout& layout) { return {tests::OneTensor(layout).snapshot, 0}; }

std::vector<TapePiece> all_pieces(const StorageTape& tape, std::int64_t step = 1) {
  std::vector<TapePiece> out;
  tape.read(0, step, 1000, out);
  return out;
}

}  // namespace

TEST_CASE("Every second element leaves holes on the tape", "[app][models][tape]") {
  const StorageTape tape = tape_of(core::Layout::from_element_strides({3}, {2}, 32));
  CHECK(tape.cell_bits() == 32);
  CHECK(tape.cells() == 5);
  const auto pieces = all_pieces(tape);
  REQUIRE(pieces.size() == 5);
  CHECK(pieces[0].element == 0);
  CHECK_FALSE(pieces[1].element.has_value());
  CHECK(pieces[1].elements == 0);
  CHECK(pieces[4].element == 2);
  CHECK(tape.cell_of(9 * 8) == 2);
}

TEST_CASE("A hole of several cells is one piece", "[app][models][tape]") {
  const auto pieces = all_pieces(tape_of(core::Layout::from_element_strides({2, 2}, {6, 1}, 32)));
  REQUIRE(pieces.size() == 5);
  CHECK(pieces[2].elements == 0);
  CHECK(pieces[2].begin == 64);
  CHECK(pieces[2].end == 6 * 32);
}

TEST_CASE("A reversed view starts with its last element", "[app][models][tape]") {
  const StorageTape tape = tape_of(core::Layout::from_element_strides({4}, {-1}, 32));
  const auto pieces = all_pieces(tape);
  REQUIRE(pieces.size() == 4);
  CHECK(tape.begin() == -96);
  CHECK(pieces[0].element == 3);
  CHECK(pieces[3].element == 0);
  CHECK(pieces[3].begin == 0);
}

TEST_CASE("A sliding window tells how many elements share a cell", "[app][models][tape]") {
  const auto pieces = all_pieces(tape_of(core::Layout::from_element_strides({3, 2}, {1, 1}, 32)));
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0].elements == 1);
  CHECK(pieces[1].elements == 2);
  CHECK(pieces[1].element == 1);  // [0,1] before [1,0]
  CHECK(pieces[3].elements == 1);
}

TEST_CASE("A broadcast has one cell for all its copies", "[app][models][tape]") {
  const auto pieces = all_pieces(tape_of(core::Layout::from_element_strides({4, 3}, {0, 1}, 32)));
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[2].elements == 4);
  CHECK(pieces[2].element == 2);
}

TEST_CASE("A stride that cuts elements makes smaller cells, and packed types cells of bits", "[app][models][tape]") {
  const StorageTape cut = tape_of(core::Layout::from_byte_strides({3}, {12}, 64));
  CHECK(cut.cell_bits() == 32);
  const auto pieces = all_pieces(cut);
  REQUIRE(pieces.size() == 5);  // element, hole, element, hole, element
  CHECK(pieces[0].end == 64);
  CHECK(pieces[1].elements == 0);
  const StorageTape packed = tape_of(core::Layout::c_order({6}, 4));
  CHECK(packed.cell_bits() == 4);
  const auto nibbles = all_pieces(packed);
  REQUIRE(nibbles.size() == 6);
  CHECK(nibbles[3].element == 3);
  CHECK(nibbles[3].begin == 12);
}

TEST_CASE("Near or from afar, the tape says what looking at every element says", "[app][models][tape]") {
  std::mt19937 chance(7);
  for (int round = 0; round < 600; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    const StorageTape tape = tape_of(layout);
    const auto starts = tests::starts_of(layout);
    for (const std::int64_t step : {1, 3}) {
      std::int64_t at = tape.begin();
      INFO(core::describe(layout) << " step " << step);
      for (const TapePiece& piece : all_pieces(tape, step)) {
        REQUIRE(piece.begin == at);
        at = piece.end;
        std::uint64_t count = 0, lowest = 0;
        for (std::size_t i = starts.size(); i-- > 0;) {
          if (starts[i] >= piece.end || starts[i] + layout.item_bits <= piece.begin) continue;
          ++count;
          lowest = i;
        }
        REQUIRE(piece.elements == count);
        if (count > 0) REQUIRE(piece.element == lowest);
        if (count == 0) REQUIRE(piece.filled == 0);
        if (count > 0 && piece.filled) REQUIRE(*piece.filled > 0);
      }
      REQUIRE(at == tape.end());
    }
  }
}

TEST_CASE("From afar a tape of 1e12 elements is read in its middle", "[app][models][tape]") {
  const StorageTape tape = tape_of(core::Layout::from_element_strides({1'000'000, 1'000'000}, {2'000'000, 1}, 16));
  std::vector<TapePiece> out;
  tape.read(1'000'000'000'000, 4'000'000, 10, out);
  REQUIRE(out.size() == 10);
  CHECK(out[0].elements == 2'000'000);
  REQUIRE(out[0].filled.has_value());
  CHECK(*out[0].filled == 0.5);
  CHECK(tape.element_at(0, 1) == 0);
}

}  // namespace dlscope::app
