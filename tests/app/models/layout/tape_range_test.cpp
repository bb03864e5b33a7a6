#include "app/models/layout/tape_range.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

constexpr core::Address kAt = 0x558120001000;

TapeRange range_of(const core::SnapshotPtr& snapshot, TapeScope scope = TapeScope::tensor, std::size_t tensor = 0) {
  return tape_range(*snapshot, snapshot->tensors[tensor], scope);
}

}  // namespace

TEST_CASE("A dense tensor's tape is its bytes", "[app][models][tape]") {
  const TapeRange range = range_of(tests::snapshot_of({{.name = "x", .address = kAt, .shape = {3, 4}}}));
  CHECK(range.addressed);
  CHECK(range.begin == kAt);
  CHECK(range.bits == 48 * 8);
  CHECK(range.origin == 0);
  CHECK(range.data == 0);
  CHECK(range.bit_of(kAt + 2) == 16);
  CHECK(range.bit_of(kAt - 2) == -16);
  CHECK_FALSE(range.bit_of(kAt + (std::uint64_t{1} << 62)).has_value());
}

TEST_CASE("Element 0 of a reversed view lies at the end of its tape", "[app][models][tape]") {
  const TapeRange range = range_of(tests::snapshot_of({{.name = "r", .address = kAt, .shape = {4}, .strides = {-1}}}));
  CHECK(range.begin == kAt - 12);
  CHECK(range.origin == 12 * 8);
  CHECK(range.bits == 16 * 8);
  CHECK(range.data == 12 * 8);
}

TEST_CASE("A group's tape spans everything in it", "[app][models][tape]") {
  const core::SnapshotPtr snapshot =
      tests::snapshot_of({{.name = "x", .address = kAt, .shape = {100}}, {.name = "v", .address = kAt + 40, .shape = {5}}});
  CHECK(range_of(snapshot, TapeScope::tensor, 1).bits == 5 * 32);
  const TapeRange whole = range_of(snapshot, TapeScope::group, 1);
  CHECK(whole.begin == kAt);
  CHECK(whole.bits == 3200);
  CHECK(whole.origin == 320);
  CHECK(whole.own_begin == 320);
  CHECK(whole.own_end == 480);
}

TEST_CASE("A near data pointer is on the tape, a far one is not", "[app][models][tape]") {
  for (const std::uint64_t offset : {std::uint64_t{32}, std::uint64_t{1} << 40}) {
    auto snapshot = std::make_shared<core::Snapshot>(*tests::snapshot_of({{.name = "x", .address = kAt, .shape = {4}}}));
    snapshot->tensors[0].byte_offset = offset;
    snapshot->tensors[0].data = kAt - offset;
    const TapeRange range = range_of(snapshot);
    if (offset == 32) {
      CHECK(range.begin == kAt - 32);
      CHECK(range.origin == 256);
      CHECK(range.data == 0);
    } else {
      CHECK(range.begin == kAt);
      CHECK_FALSE(range.data.has_value());
    }
  }
}

TEST_CASE("Without an address positions are relative", "[app][models][tape]") {
  const TapeRange range = range_of(tests::snapshot_of({{.name = "null", .address = 0, .shape = {4}, .strides = {-2}}}));
  CHECK_FALSE(range.addressed);
  CHECK(range.bits == 7 * 32);
  CHECK(range.origin == 6 * 32);
  CHECK_FALSE(range.bit_of(0).has_value());
}

}  // namespace dlscope::app
