#include "app/models/focus/partners.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

std::string compared(const IndexPtr& index, const char* a, const char* b) {
  return compare_tensors(*index, index->find(a).value(), index->find(b).value()).sentence;
}

}  // namespace

TEST_CASE("a tensor's partners come strongest first, with the evidence and how it was found", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Partners x = partners_of_tensor(*index, *index->find("y"), 50);
  REQUIRE(x.list.size() == 3);
  CHECK(x.not_listed == 0);
  CHECK_FALSE(x.cut_short);
  const Partner& first = x.list.front();
  CHECK(first.name == "x");
  CHECK(first.sentence == "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped.");
  CHECK(first.consequence == "Writing to one changes the other.");
  CHECK(first.bytes == "48 B");
  CHECK(first.evidence == "Lowest common byte 0x5581 2e40 4a80: y[0, 0] and x[0, 0].");
  CHECK(first.method.starts_with("Exact"));
  CHECK(first.witness.tensor == *index->find("y"));
  CHECK(first.witness.element == 0U);
  CHECK(first.witness.bytes.contains(0x55812e404a80));
  const Partners two = partners_of_tensor(*index, *index->find("y"), 2);
  CHECK(two.list.size() == 2);
  CHECK(two.not_listed == 1);
  const Partners columns = partners_of_tensor(*index, *index->find("table[:, 0::2]"), 50);
  REQUIRE(columns.list.size() == 1);
  CHECK(columns.list[0].evidence.empty());
  CHECK(columns.list[0].bytes.empty());
  CHECK_FALSE(columns.list[0].witness.on_tensor());
  CHECK(partners_of_tensor(*index, *index->find("weights"), 50).list.empty());
}

TEST_CASE("two tensors are compared whatever they are", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(compared(index, "y", "x") == "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped.");
  CHECK(compared(index, "w", "mask") == "“w” and “mask” share nothing: 108 B lie between them.");
  CHECK(compared(index, "mask", "w") == "“mask” and “w” share nothing: 108 B lie between them.");
  CHECK(compared(index, "x", "grad") == "Whether “x” and “grad” share bytes is unknown: “grad” was not described.");
  const IndexPtr broken = index_of(tests::broken_snapshot());
  CHECK(compared(broken, "rank6", "nothing") == "“rank6” and “nothing” share nothing: “nothing” has no elements.");
  CHECK(compared(broken, "rank6", "null").starts_with("Whether"));
  const IndexPtr next = index_of(tests::snapshot_of({{.name = "a", .address = 0x558120001000, .shape = {4}},
                                                     {.name = "b", .address = 0x558120001010, .shape = {4}},
                                                     {.name = "c", .address = 0x558120001000, .shape = {4}, .device = {2, 0}}}));
  CHECK(compared(next, "b", "a") == "“b” and “a” share nothing: one begins where the other ends.");
  CHECK(compared(next, "a", "c").find("the other on cuda") != std::string::npos);
  for (std::uint32_t a = 0; a < broken->size(); ++a) {
    for (std::uint32_t b = 0; b < broken->size(); ++b) {
      if (a != b) CHECK_FALSE(compare_tensors(*broken, a, b).sentence.empty());
    }
  }
}

}  // namespace dlscope::app
