#include "core/wire/snapshot_codec.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <random>

#include "core/report/report.h"
#include "core/wire/snapshot_check.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core::wire {
namespace {

std::vector<std::byte> encoded(const Snapshot& snapshot) {
  std::vector<std::byte> bytes(encoded_size(snapshot));
  REQUIRE(encode_snapshot(snapshot, bytes) == bytes.size());
  return bytes;
}

// The report reads every record and follows every reference: a good way to touch all of a snapshot.
std::string report_of(const Snapshot& snapshot) {
  std::string text;
  CHECK(write_report({.snapshot = &snapshot, .run = {}, .scanned = Scanned::end, .python = std::nullopt},
                     [&](std::string_view piece) {
                       text += piece;
                       return true;
                     }));
  return text;
}

TEST_CASE("a snapshot comes back with the same report", "[core][wire]") {
  const auto original = testing::full_snapshot();
  const auto decoded = decode_snapshot(encoded(*original));
  REQUIRE(decoded);
  CHECK((*decoded)->info.revision == 3);
  CHECK((*decoded)->info.taken_ns == 12345);
  CHECK(report_of(**decoded) == report_of(*original));
}

TEST_CASE("an empty snapshot comes back", "[core][wire]") {
  SnapshotBuilder builder;
  const auto decoded = decode_snapshot(encoded(*builder.finish()));
  REQUIRE(decoded);
  CHECK((*decoded)->tensors.empty());
  CHECK((*decoded)->str((*decoded)->spaces[kHostSpace].name) == "host");
}

TEST_CASE("a snapshot may lie at any address", "[core][wire]") {
  const std::vector<std::byte> bytes = encoded(*testing::full_snapshot());
  std::vector<std::byte> shifted(bytes.size() + 1);
  std::memcpy(shifted.data() + 1, bytes.data(), bytes.size());
  CHECK(decode_snapshot(std::span(shifted).subspan(1)));
}

TEST_CASE("a snapshot with more pairs than fit is sent with fewer, and says so", "[core][wire]") {
  auto snapshot = testing::large_snapshot(100, 1000);
  snapshot->limits.push_back({5000, snapshot->spaces[kHostSpace].name, false});
  snapshot->limits.push_back({5000, {static_cast<std::uint32_t>(snapshot->text.size()), 5}, false});
  for (const char c : {'p', 'a', 'i', 'r', 's'}) snapshot->text.push_back(c);
  const std::size_t all = encoded_size(*snapshot);

  const auto whole = cut_to_fit(*snapshot, all);
  CHECK(whole->pairs.size() == 1000);
  CHECK(whole->info.missing_pairs == UnknownWhy::none);
  const auto cut = cut_to_fit(*snapshot, all - 1);
  REQUIRE(cut);
  CHECK(cut->pairs.size() == 999);
  CHECK(cut->info.missing_pairs == UnknownWhy::pair_bound);
  CHECK_FALSE(cut->limits[0].reached);
  CHECK(cut->limits[1].reached);
  CHECK(cut->limits[1].limit == 999);
  std::vector<std::byte> room(all - 1);
  CHECK(encode_snapshot(*cut, room) != 0);
  const auto none = cut_to_fit(*snapshot, all - 1000 * sizeof(PairRecord));
  REQUIRE(none);
  CHECK(none->pairs.empty());
  CHECK(none->tensors.size() == 100);
  CHECK(cut_to_fit(*snapshot, all - 1000 * sizeof(PairRecord) - 1) == nullptr);
}

TEST_CASE("a snapshot that does not fit is not written", "[core][wire]") {
  const auto snapshot = testing::full_snapshot();
  std::vector<std::byte> small(encoded_size(*snapshot) - 1);
  CHECK(encode_snapshot(*snapshot, small) == 0);
  CHECK(encode_snapshot(*snapshot, {}) == 0);
}

TEST_CASE("every kind of broken reference is refused", "[core][wire]") {
  using Break = std::function<void(Snapshot&)>;
  const std::vector<std::pair<const char*, Break>> cases = {
      {"names", [](Snapshot& s) { s.tensors[0].names.count = 100; }},
      {"names wrap", [](Snapshot& s) { s.tensors[0].names = {0xffffffff, 2}; }},
      {"refusals", [](Snapshot& s) { s.tensors[2].refusals.first = 9; }},
      {"remarks", [](Snapshot& s) { s.tensors[1].remarks.first = 2; }},
      {"library", [](Snapshot& s) { s.tensors[0].library.length = 1 << 30; }},
      {"type", [](Snapshot& s) { s.tensors[0].type.offset = 1 << 30; }},
      {"dims", [](Snapshot& s) { s.tensors[0].dims = static_cast<std::uint32_t>(s.dims.size()) - 1; }},
      {"rank", [](Snapshot& s) { s.tensors[0].rank = 65; }},
      {"deleter", [](Snapshot& s) { s.tensors[0].deleter = 1; }},
      {"group of a tensor", [](Snapshot& s) { s.tensors[0].group = 1; }},
      {"space", [](Snapshot& s) { s.tensors[0].space = 3; }},
      {"alignment", [](Snapshot& s) { s.tensors[0].alignment = 3; }},
      {"elements", [](Snapshot& s) { s.tensors[0].elements += 1; }},
      {"nbytes", [](Snapshot& s) { s.tensors[0].nbytes += 1; }},
      {"extent", [](Snapshot& s) { s.tensors[0].extent.end += 1; }},
      {"extent of another address", [](Snapshot& s) { s.tensors[0].address += 4; }},
      {"distinct bytes", [](Snapshot& s) { s.tensors[0].distinct_bytes = 1 << 20; }},
      {"item size", [](Snapshot& s) { s.tensors[0].item_bits = 0; }},
      {"negative dimension", [](Snapshot& s) { s.dims[s.tensors[0].dims] = -1; }},
      {"overflowing dimension", [](Snapshot& s) { s.dims[s.tensors[0].dims] = std::int64_t{1} << 62; }},
      {"overflowing stride", [](Snapshot& s) { s.dims[s.tensors[0].dims + 2] = std::int64_t{1} << 62; }},
      {"layout without metadata", [](Snapshot& s) { s.tensors[0].has_metadata = false; }},
      {"an extent without a layout", [](Snapshot& s) { s.tensors[2].extent = {1, 5}; }},
      {"group member", [](Snapshot& s) { s.group_members[0] = 4; }},
      {"group members", [](Snapshot& s) { s.groups[0].members.count = 3; }},
      {"group libraries", [](Snapshot& s) { s.groups[0].libraries.first = 1; }},
      {"group of nobody", [](Snapshot& s) { s.groups[0].members.count = 0; }},
      {"group range", [](Snapshot& s) { s.groups[0].range.end = 0; }},
      {"group space", [](Snapshot& s) { s.groups[0].space = 9; }},
      {"pair of one", [](Snapshot& s) { s.pairs[0].b = 0; }},
      {"pair with nobody", [](Snapshot& s) { s.pairs[0].b = 4; }},
      {"pair with a refused tensor", [](Snapshot& s) { s.pairs[0].b = 2; }},
      {"pair unknown without a reason",
       [](Snapshot& s) {
         s.pairs[0].relation = Relation::unknown;
         s.pairs[0].shared_bytes = kUnknown64;
       }},
      {"pair known with a reason", [](Snapshot& s) { s.pairs[0].why = UnknownWhy::stopped; }},
      {"pair known without its bytes", [](Snapshot& s) { s.pairs[0].shared_bytes = kUnknown64; }},
      {"allocation without bytes", [](Snapshot& s) { s.allocations = {{.range = {5, 5}}}; }},
      {"allocation from back to front", [](Snapshot& s) { s.allocations = {{.range = {5, 1}}}; }},
      {"more of an allocation in use than there is", [](Snapshot& s) { s.allocations = {{.range = {1, 5}, .used_bytes = 5}}; }},
      {"an unknown source of an allocation",
       [](Snapshot& s) { s.allocations = {{.range = {1, 5}, .source = static_cast<AllocationSource>(9)}}; }},
      {"a tensor of no allocation", [](Snapshot& s) { s.tensors[0].allocation = static_cast<std::uint32_t>(s.allocations.size()); }},
      {"a tensor outside its allocation",
       [](Snapshot& s) {
         s.tensors[0].allocation = 0;
         s.allocations = {{.range = {s.tensors[0].extent.begin + 1, s.tensors[0].extent.end}}};
       }},
      {"its own allocation without bytes", [](Snapshot& s) { s.tensors[2].allocation = kOwnAllocation; }},
      {"the driver's device of nobody", [](Snapshot& s) { s.driver_devices = {{{2, 0}, 4}}; }},
      {"the driver's devices out of order", [](Snapshot& s) { s.driver_devices = {{{2, 0}, 1}, {{2, 0}, 1}}; }},
      {"event", [](Snapshot& s) { s.events[0].tensor = 4; }},
      {"event text", [](Snapshot& s) { s.events[0].text.length = 1 << 20; }},
      {"copy", [](Snapshot& s) { s.copies[0].why.offset = 1 << 20; }},
      {"copy", [](Snapshot& s) { s.copies[0].path = s.copies[0].why, s.copies[0].path.offset = 1 << 20; }},
      {"limit", [](Snapshot& s) { s.limits[0].what.offset = 1 << 20; }},
      {"library record", [](Snapshot& s) { s.libraries[0].version.offset = 1 << 20; }},
      {"device", [](Snapshot& s) { s.devices[0].name.offset = 1 << 20; }},
      {"deleter text", [](Snapshot& s) { s.deleters[0].symbol.length = 1 << 20; }},
      {"space name", [](Snapshot& s) { s.spaces[1].name.length = 1 << 20; }},
      {"no host space", [](Snapshot& s) { s.spaces.resize(1); }},
      {"name text", [](Snapshot& s) { s.names[0].offset = 1 << 20; }},
      {"refusal text", [](Snapshot& s) { s.refusals[0].message.offset = 1 << 20; }},
      {"remark text", [](Snapshot& s) { s.remarks[0].message.offset = 1 << 20; }},
      {"python", [](Snapshot& s) { s.info.python_prefix.offset = 1 << 20; }},
      {"control characters", [](Snapshot& s) { s.text[0] = '\x1b'; }},
      {"bytes that are no UTF-8", [](Snapshot& s) { s.text[0] = '\xff'; }},
      {"text that turns the writing direction", [](Snapshot& s) { std::memcpy(s.text.data(), "\u202e", 3); }},
      {"a name that cuts a character in two",
       [](Snapshot& s) {
         std::memcpy(s.text.data(), "\u6f22", 3);
         s.names[0] = {.offset = 1, .length = 4};
       }},
  };
  for (const auto& [what, break_it] : cases) {
    const auto snapshot = testing::full_snapshot();
    REQUIRE(check_snapshot(*snapshot));
    break_it(*snapshot);
    INFO(what);
    CHECK_FALSE(decode_snapshot(encoded(*snapshot)));
  }
}

TEST_CASE("enums and truth values out of range are refused before they are read", "[core][wire]") {
  const auto snapshot = testing::full_snapshot();
  const std::vector<std::byte> good = encoded(*snapshot);
  // Finds the record by its bytes and overwrites one of them.
  const auto refused = [&](const auto& record, std::size_t offset, int value) {
    std::vector<std::byte> bytes = good;
    const auto pattern = std::as_bytes(std::span(&record, 1));
    const auto at = std::search(bytes.begin(), bytes.end(), pattern.begin(), pattern.end());
    REQUIRE(at != bytes.end());
    *(at + static_cast<std::ptrdiff_t>(offset)) = static_cast<std::byte>(value);
    return !decode_snapshot(bytes);
  };
  const auto one_past = [](auto last) { return static_cast<int>(last) + 1; };
  using T = TensorRecord;
  for (const std::size_t offset :
       {offsetof(T, protocol), offsetof(T, capsule), offsetof(T, read_by), offsetof(T, given_by), offsetof(T, contiguity),
        offsetof(T, read_only), offsetof(T, is_copied), offsetof(T, subbyte_padded), offsetof(T, strides_implied),
        offsetof(T, has_claimed_device), offsetof(T, has_metadata), offsetof(T, has_layout), offsetof(T, readable)}) {
    CHECK(refused(snapshot->tensors[0], offset, 0xee));
  }
  CHECK(refused(snapshot->pairs[0], offsetof(PairRecord, relation), 7));
  CHECK(refused(snapshot->pairs[0], offsetof(PairRecord, method), 6));
  CHECK(refused(snapshot->pairs[0], offsetof(PairRecord, why), one_past(UnknownWhy::stopped)));
  CHECK(refused(snapshot->events[0], offsetof(EventRecord, kind), 11));
  CHECK(refused(snapshot->limits[0], offsetof(LimitRecord, reached), 2));
  CHECK(refused(snapshot->refusals[0], offsetof(RefusalRecord, protocol), one_past(Protocol::attributes)));
  CHECK(refused(snapshot->remarks[0], offsetof(RemarkRecord, code), 200));
  CHECK(refused(snapshot->info, offsetof(SnapshotInfo, scanned), 7));
  CHECK(refused(snapshot->info, offsetof(SnapshotInfo, missing_pairs), one_past(UnknownWhy::not_yet)));
  CHECK(refused(snapshot->info, offsetof(SnapshotInfo, open_groups), one_past(UnknownWhy::not_yet)));
}

TEST_CASE("a sub-array whose axes do not make its count is refused", "[core][wire]") {
  const auto with = [](std::uint8_t axes, std::uint16_t first, std::uint16_t second, std::uint32_t count) {
    Snapshot snapshot = *testing::full_snapshot();
    ItemFieldRecord field;
    field.layout = {.bytes = 1, .count = count, .axes = axes};
    field.layout.shape = {first, second};
    snapshot.item_types.push_back({{}, {static_cast<std::uint32_t>(snapshot.item_fields.size()), 1}, 12});
    snapshot.item_fields.push_back(field);
    return check_snapshot(snapshot).has_value();
  };
  CHECK(with(0, 0, 0, 1));
  CHECK(with(2, 3, 4, 12));
  CHECK_FALSE(with(2, 3, 4, 11));
  CHECK_FALSE(with(2, 65535, 65535, 1));
  CHECK_FALSE(with(5, 1, 1, 1));
}

TEST_CASE("a snapshot cut off anywhere is refused", "[core][wire]") {
  const std::vector<std::byte> good = encoded(*testing::full_snapshot());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_FALSE(decode_snapshot(cut));
  }
}

TEST_CASE("mutated snapshots are refused or can be read whole", "[core][wire][fuzz]") {
  const std::vector<std::byte> good = encoded(*testing::full_snapshot());
  std::mt19937_64 random(12);
  std::size_t accepted = 0, refused = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % bytes.size();
      const std::uint64_t kind = random() % 4;
      if (kind == 0) bytes[at] = static_cast<std::byte>(random());
      if (kind == 1) bytes[at] = std::byte{0xff};
      if (kind == 2) bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
      if (kind == 3) bytes[at] = bytes[random() % bytes.size()];
    }
    const auto decoded = decode_snapshot(bytes);
    accepted += decoded.has_value();
    refused += !decoded.has_value();
    if (decoded) (void)report_of(**decoded);
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}

TEST_CASE("random bytes are refused without asking for memory", "[core][wire][fuzz]") {
  std::mt19937_64 random(34);
  const std::vector<std::byte> good = encoded(*testing::full_snapshot());
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes = good;
    // The mark stays, the section table and all behind it is noise.
    for (std::size_t at = 16; at < bytes.size(); ++at) bytes[at] = static_cast<std::byte>(random());
    CHECK_FALSE(decode_snapshot(bytes));
  }
}

TEST_CASE("a large snapshot comes back", "[core][wire]") {
  const auto original = testing::large_snapshot(100'000, 200'000);
  const auto decoded = decode_snapshot(encoded(*original));
  REQUIRE(decoded);
  CHECK((*decoded)->tensors.size() == 100'000);
  CHECK((*decoded)->pairs.size() == 200'000);
  CHECK((*decoded)->name((*decoded)->tensors[99'999]) == "arrays[99999]");
}

}  // namespace
}  // namespace dlscope::core::wire
