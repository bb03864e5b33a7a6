#include "app/cli/expectation.h"

#include <catch2/catch_test_macros.hpp>

#include "core/inventory/snapshot_builder.h"
#include "tests/support/sample_snapshot.h"

using namespace dlscope;
using namespace dlscope::app;
using Kind = Expectation::Kind;

namespace {

// x: 12 floats; t: the same bytes transposed; part: two of them; far: elsewhere; odd/even: interleaved; none: empty.
core::SnapshotPtr sample() {
  using dlscope::tests::SampleTensor;
  const core::Address base = 0x558120010000;  // inside the samples' readable heap
  std::vector<SampleTensor> tensors(7);
  tensors[0] = {.name = "x", .address = base, .shape = {3, 4}, .more_names = {"alias"}};
  tensors[1] = {.name = "t", .address = base, .shape = {4, 3}, .strides = {1, 4}};
  tensors[2] = {.name = "d['a b']", .address = base + 8, .shape = {2}};
  tensors[3] = {.name = "far", .address = base + 4096, .shape = {2}};
  tensors[4] = {.name = "odd", .address = base + 8192, .shape = {4}, .strides = {2}};
  tensors[5] = {.name = "even", .address = base + 8196, .shape = {4}, .strides = {2}};
  tensors[6] = {.name = "none", .address = base, .shape = {0}};
  return dlscope::tests::snapshot_of(tensors);
}

// Says what was found when a check around it fails.
bool holds(const char* text, const core::SnapshotPtr& snapshot = sample()) {
  const auto expectation = parse_expectation(text);
  REQUIRE(expectation);
  const Verdict verdict = judge(*expectation, snapshot.get());
  REQUIRE_FALSE(verdict.evidence.empty());
  REQUIRE(verdict.evidence.find('\n') == std::string::npos);
  UNSCOPED_INFO(verdict.evidence);
  return verdict.holds;
}

std::string evidence(const char* text, const core::SnapshotPtr& snapshot = sample()) {
  return judge(parse_expectation(text).value(), snapshot.get()).evidence;
}

}  // namespace

TEST_CASE("The four sentences are understood", "[app][cli]") {
  const auto shares = parse_expectation("x shares model.layer.weight");
  REQUIRE(shares);
  CHECK(shares->kind == Kind::shares);
  CHECK(shares->a == "x");
  CHECK(shares->b == "model.layer.weight");
  CHECK(parse_expectation("x identical y")->kind == Kind::identical);
  CHECK(parse_expectation("  x   disjoint  y ")->kind == Kind::disjoint);
  CHECK(parse_expectation("dlscope copies nothing")->kind == Kind::copies_nothing);
}

TEST_CASE("Names may hold blanks and relation words inside brackets", "[app][cli]") {
  const auto spaced = parse_expectation("d['x shares y'] shares d[(1, 2)]");
  REQUIRE(spaced);
  CHECK(spaced->a == "d['x shares y']");
  CHECK(spaced->b == "d[(1, 2)]");
  const auto quoted = parse_expectation(R"(d['it\'s ]here'] disjoint s<0>)");
  REQUIRE(quoted);
  CHECK(quoted->a == R"(d['it\'s ]here'])");
}

TEST_CASE("Any other name with a blank is put into quotes", "[app][cli]") {
  const auto quoted = parse_expectation(R"('my name' shares "it's \"x\"")");
  REQUIRE(quoted);
  CHECK(quoted->a == "my name");
  CHECK(quoted->b == R"(it's "x")");
  const auto not_quotes = parse_expectation("'x shares y");  // names that begin with a quote are names
  REQUIRE(not_quotes);
  CHECK(not_quotes->a == "'x");
  CHECK(parse_expectation("'a'b shares y")->a == "'a'b");
  CHECK_FALSE(parse_expectation("'a b shares y"));
  const auto snapshot = dlscope::tests::snapshot_of({{.name = "my name", .address = 0x558120010000, .shape = {4}},
                                                     {.name = "y", .address = 0x558120010000, .shape = {2}}});
  CHECK(holds("'my name' shares y", snapshot));
}

TEST_CASE("Anything else is refused with the forms that are known", "[app][cli]") {
  for (const char* text : {"", " ", "x", "x shares", "shares y", "x equals y", "x shares y z", "no copy", "no copies",
                           "dlscope copies something", "d['a shares b"}) {
    CAPTURE(text);
    const auto expectation = parse_expectation(text);
    REQUIRE_FALSE(expectation);
    CHECK(expectation.error().message.find("shares y") != std::string::npos);
  }
}

TEST_CASE("Sentences are judged by bytes", "[app][cli]") {
  CHECK(holds("x shares t"));
  CHECK(holds("t shares x"));
  CHECK(holds("x identical t"));
  CHECK(holds("x shares d['a b']"));
  CHECK_FALSE(holds("x identical d['a b']"));
  CHECK_FALSE(holds("x disjoint d['a b']"));
  CHECK(holds("x disjoint far"));
  CHECK_FALSE(holds("x shares far"));
  CHECK(holds("odd disjoint even"));
  CHECK_FALSE(holds("odd shares even"));
}

TEST_CASE("One tensor by two names shares with itself", "[app][cli]") {
  CHECK(holds("x shares alias"));
  CHECK(holds("x identical alias"));
  CHECK_FALSE(holds("x disjoint alias"));
  CHECK(evidence("x shares alias").ends_with("one object under two names, identical, 48 shared bytes"));
}

TEST_CASE("One tensor by two names is one object though nobody could count its bytes", "[app][cli]") {
  const auto snapshot = dlscope::tests::snapshot_of({{.name = "x", .address = 0x1000, .shape = {4}, .more_names = {"alias"}},
                                                     {.name = "null", .address = 0, .shape = {4}, .more_names = {"nil"}}});
  CHECK(holds("x shares alias", snapshot));
  CHECK(holds("x identical alias", snapshot));
  CHECK_FALSE(holds("x disjoint alias", snapshot));
  CHECK(evidence("x shares alias", snapshot).find("how many bytes that are was not counted") != std::string::npos);
  CHECK(evidence("x shares alias", snapshot).find("18446744073709551615") == std::string::npos);
  for (const char* text : {"null shares nil", "null identical nil", "null disjoint nil"}) CHECK_FALSE(holds(text, snapshot));
}

TEST_CASE("The relation reads in the order that was asked for", "[app][cli]") {
  CHECK(evidence("x shares d['a b']").find(": contains, 8 shared bytes") != std::string::npos);
  CHECK(evidence("d['a b'] shares x").find(": contained, 8 shared bytes") != std::string::npos);
}

TEST_CASE("What the list of pairs has no room for is worked out", "[app][cli]") {
  core::SharingLimits limits;
  limits.max_pairs = 0;
  const auto snapshot = dlscope::tests::snapshot_of({{.name = "x", .address = 0x558120010000, .shape = {4}},
                                                     {.name = "y", .address = 0x558120010000, .shape = {4}},
                                                     {.name = "c", .address = 0x1000, .shape = {4}, .device = {2, 0}},
                                                     {.name = "d", .address = 0x1000, .shape = {4}, .device = {2, 0}}},
                                                    1, limits);
  REQUIRE(snapshot->pairs.empty());
  CHECK(holds("x identical y", snapshot));
  CHECK(holds("c identical d", snapshot));
  CHECK(holds("x disjoint c", snapshot));
}

TEST_CASE("An empty tensor has no bytes to share", "[app][cli]") {
  CHECK(holds("x disjoint none"));
  CHECK_FALSE(holds("x shares none"));
  CHECK_FALSE(holds("none identical none"));
}

TEST_CASE("An unknown name never holds", "[app][cli]") {
  CHECK_FALSE(holds("x shares nowhere"));
  CHECK_FALSE(holds("nowhere disjoint x"));
}

TEST_CASE("A key may be written with either quote", "[app][cli]") {
  CHECK(holds("d['a b'] shares x"));
  CHECK(holds("d[\"a b\"] shares x"));
  CHECK(with_pythons_quotes("d[\"a\"][0][\"b c\"]") == "d['a'][0]['b c']");
  for (const char* text : {"d['a\"]", "d[\"it's\"]", "d[\"a\\\"b\"]", "d[\"", "d[\"a", "x", ""}) {
    CAPTURE(text);
    CHECK(with_pythons_quotes(text) == text);
  }
}

TEST_CASE("Nothing holds when nothing was scanned", "[app][cli]") {
  for (const char* text : {"x shares y", "x disjoint y", "dlscope copies nothing"}) {
    const Verdict verdict = judge(*parse_expectation(text), nullptr);
    CHECK_FALSE(verdict.holds);
    CHECK(verdict.evidence == "nothing was scanned");
  }
}

TEST_CASE("Memory whose place is unknown proves nothing", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const auto snapshot =
      dlscope::tests::snapshot_of({SampleTensor{.name = "x", .address = 0x1000, .shape = {4}},
                                   SampleTensor{.name = "handle", .address = 0x1000, .shape = {4}, .device = {8, 0}}});
  CHECK_FALSE(holds("x disjoint handle", snapshot));
  CHECK_FALSE(holds("x shares handle", snapshot));
  CHECK(evidence("x shares handle", snapshot).ends_with("unknown because handle has no address that could be compared"));
}

TEST_CASE("Memory that cannot be read proves nothing", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const auto snapshot = dlscope::tests::snapshot_of(
      {SampleTensor{.name = "x", .address = 0x1000, .shape = {4}}, SampleTensor{.name = "y", .address = 0x1000, .shape = {4}}});
  CHECK_FALSE(holds("x shares y", snapshot));
  CHECK_FALSE(holds("x disjoint y", snapshot));
  CHECK(evidence("x shares y", snapshot).ends_with("unknown because x claims bytes that cannot be read"));
}

TEST_CASE("A copy that was made for the export proves nothing about the tensor", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const auto snapshot = dlscope::tests::snapshot_of({SampleTensor{.name = "x", .shape = {4}, .is_copied = core::Tri::yes},
                                                     SampleTensor{.name = "y", .shape = {4}, .is_copied = core::Tri::yes},
                                                     SampleTensor{.name = "z", .shape = {4}}});
  for (const char* text : {"x shares y", "x identical y", "x disjoint y", "x shares z", "z disjoint x"})
    CHECK_FALSE(holds(text, snapshot));
  CHECK(evidence("z shares x", snapshot).ends_with("unknown because x hands over a copy of its bytes, made each time it is asked"));
}

TEST_CASE("Memory that is not where its producer says proves nothing", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  const auto snapshot = dlscope::tests::snapshot_of(
      {SampleTensor{.name = "x", .shape = {4}},
       SampleTensor{.name = "y",
                    .shape = {4},
                    .device = {2, 0},
                    .remarks = {{core::RemarkCode::device_mismatch, "described as cuda:0, but __dlpack_device__ says cpu"}}}});
  CHECK_FALSE(holds("x disjoint y", snapshot));
  CHECK_FALSE(holds("x shares y", snapshot));
  CHECK(evidence("x disjoint y", snapshot).ends_with("unknown because y is not where its producer says"));
}

TEST_CASE("A copy in the ledger breaks the promise that dlscope copies nothing", "[app][cli]") {
  using dlscope::tests::SampleTensor;
  CHECK(holds("dlscope copies nothing"));
  CHECK(holds("dlscope copies nothing",
              dlscope::tests::snapshot_of({SampleTensor{.name = "x", .shape = {4}, .is_copied = core::Tri::yes}})));
  core::SnapshotBuilder builder;
  builder.add_copy({.bytes = 96,
                    .ns = 1,
                    .from = builder.intern("numpy.ndarray on cpu"),
                    .to = builder.intern("dlscope.Tensor on cpu"),
                    .why = builder.intern("dlscope.copy()")});
  const auto snapshot = builder.finish();
  CHECK_FALSE(holds("dlscope copies nothing", snapshot));
  CHECK(evidence("dlscope copies nothing", snapshot) ==
        "dlscope made 1 copy, the first of 96 bytes from numpy.ndarray on cpu to dlscope.Tensor on cpu: dlscope.copy()");
}
