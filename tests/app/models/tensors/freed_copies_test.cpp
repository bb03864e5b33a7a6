// Tensors that hand over a copy of their bytes each time they are asked. The described copy is freed by the time it is shown, so
// its address is no place: the next copy, or anything else, may be there.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "app/models/actions/palette_model.h"
#include "app/models/focus/focus_text.h"
#include "app/models/focus/go_to.h"
#include "app/models/hex/byte_owners.h"
#include "app/models/hex/hex_destination.h"
#include "app/models/history/moment_history.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/layout/tape_range.h"
#include "app/models/table/table_filter.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;

constexpr core::Address kPlace = 0x558120001000;

SampleTensor lazy(std::string name, core::Address address = kPlace) {
  return {.name = std::move(name), .address = address, .shape = {6}, .is_copied = core::Tri::yes};
}

// Two copies that malloc gave the same block, one after the other.
IndexPtr two_at_one_address(std::vector<SampleTensor> more = {}) {
  std::vector<SampleTensor> tensors{lazy("lazy"), lazy("lazy3")};
  tensors.insert(tensors.end(), more.begin(), more.end());
  GroupColours colours;
  return build_index(tests::snapshot_of(tensors), colours);
}

}  // namespace

TEST_CASE("freed copies are in no lane of the map, with the reason, also beside a tensor at their address", "[app][models]") {
  const IndexPtr alone = two_at_one_address();
  CHECK(alone->map.lanes.empty());
  CHECK(alone->map.without_memory.size() == 2);
  const IndexPtr index = two_at_one_address({{.name = "x", .address = kPlace, .shape = {4}}});
  REQUIRE(index->map.lanes.size() == 1);
  REQUIRE(index->map.lanes[0].blocks.size() == 1);
  CHECK(index->map.lanes[0].blocks[0].tensors.count == 1);
  CHECK(std::string(why_without_memory(index->tensor(0))) == "a copy, freed since");
  CHECK(std::string(why_without_memory(index->tensor(2))).empty());
}

TEST_CASE("an address is never found in a freed copy", "[app][models]") {
  const IndexPtr index = two_at_one_address();
  CHECK(go_to(*index, 0, "0x558120001004").problem == "No listed tensor holds 0x5581 2000 1004.");
  CHECK(find_places(index, "0x558120001004", 0)->places.empty());
  RowFilter filter(*index, "at:0x558120001004");
  CHECK_FALSE(filter.keeps(0));
  ByteOwners owners;
  owners.find(index.get(), 1, core::kHostSpace, kPlace, 4, 0);
  for (const ByteOwner& owner : owners.owners()) CHECK(owner.kind == ByteOwner::Kind::nobody);
}

TEST_CASE("an element of a freed copy has an index but no address, and lights no other tensor's bytes", "[app][models]") {
  const IndexPtr index = two_at_one_address({{.name = "x", .address = kPlace, .shape = {4}}});
  const Focus focus = focus_on(*index, 0, 1);
  CHECK(focus.element == 1);
  CHECK(focus_mark(focus, {}, index->tensor(2).space, focus_on(*index, 2, 1).bytes) == FocusMark::none);
  CHECK(focus_sentence(*index, focus) == "lazy[1]");
  CHECK(focus_sentence(*index, {.tensor = 0, .element = {}, .space = {}, .bytes = {}}).find("0x") == std::string::npos);
  CHECK(hex_destination(index.get(), 0, "lazy[1]").problem ==
        "lazy hands over a copy of its bytes, freed by now: where its own are is not known.");
  CHECK(hex_destination(index.get(), 0, "lazy").problem == hex_destination(index.get(), 0, "lazy[1]").problem);
  CHECK(hex_destination(index.get(), 0, "x[1]").address == kPlace + 4);
  CHECK_FALSE(tape_range(*index->snapshot, index->tensor(0), TapeScope::group).addressed);
  CHECK(tape_range(*index->snapshot, index->tensor(0), TapeScope::group).own_end == 6 * 32);
}

TEST_CASE("the address of a copy says nothing from one moment to the next", "[app][models][history]") {
  MomentHistory history;
  const auto first = history.keep(tests::snapshot_of({lazy("lazy"), lazy("old", kPlace + 64)}, 1), 1, "14:05:09");
  const auto second = history.keep(tests::snapshot_of({lazy("lazy", kPlace + 4096), lazy("new", kPlace + 64)}, 2), 1, "14:05:10");
  const DifferencesPtr all = find_differences(history.find(first), history.find(second));
  for (const TensorDifference& one : all->tensors) {
    CHECK_FALSE(one.changes[static_cast<std::size_t>(Change::moved)]);
    CHECK_FALSE(one.changes[static_cast<std::size_t>(Change::renamed)]);
  }
  CHECK(all->counts[static_cast<std::size_t>(Change::gone)] == 1);
  CHECK(all->counts[static_cast<std::size_t>(Change::fresh)] == 1);
  const TensorHistoryPtr since = find_since_when(history.moments(), {second, 0, core::kNone32, {}, false});
  for (const SinceWhen& fact : since->facts) CHECK(fact.fact != TensorFact::place);
}

TEST_CASE("the inspector gives no place for a freed copy", "[app][models]") {
  const IndexPtr index = two_at_one_address({{.name = "x", .address = kPlace, .shape = {4}}});
  const auto labels = [&](std::uint32_t id) {
    std::string out;
    for (const Section& section : inspect(*index, id).sections) {
      for (const Field& field : section.fields) out += section.title == "Memory" ? field.label + ";" : std::string();
    }
    return out;
  };
  for (const Section& section : inspect(*index, 0).sections) {
    for (const Field& field : section.fields)
      CHECK((field.label != "data" || field.meaning == "Of the copy that was described, which is freed by now."));
  }
  CHECK(labels(2).find("extent;") != std::string::npos);
  CHECK(labels(2).find("aligned to;") != std::string::npos);
  for (const char* const label : {"extent;", "aligned to;", "address space;"}) CHECK(labels(0).find(label) == std::string::npos);
}

}  // namespace dlscope::app
