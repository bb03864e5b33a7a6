// The evidence of a proof's step in words, who refers to a tensor's owner, and how many capsules are alive.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "app/models/exchange/capsule_life.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/referrers.h"

using namespace dlscope;
using core::ProofSide;
using core::ProofStep;

namespace {

ProofSide numpy_side() {
  return {.library = "numpy",
          .version = "2.4.6",
          .dtype = "float32",
          .protocol = core::Protocol::dlpack,
          .capsule = core::CapsuleKind::dltensor_versioned,
          .given_by = core::GivenBy::dlpack_method,
          .version_major = 1,
          .version_minor = 1,
          .extent = core::ByteRange{0x1000, 0x1030},
          .read_only = core::Tri::no,
          .is_copied = core::Tri::no,
          .subbyte_padded = core::Tri::no};
}

ProofSide of_library(const char* library) {
  ProofSide side;
  side.library = library;
  return side;
}

std::string line(const ProofStep& step, std::string_view label) {
  const auto lines = app::evidence_of(step);
  const auto found = std::ranges::find(lines, label, &app::EvidenceLine::first);
  return found == lines.end() ? "no such line" : found->second;
}

ProofStep step_of(ProofSide from, ProofSide to) {
  ProofStep step;
  step.from_side = std::move(from);
  step.to_side = std::move(to);
  return step;
}

}  // namespace

TEST_CASE("the evidence names byte ranges, libraries, how each was described, and flags", "[app][exchange]") {
  ProofSide torch = numpy_side();
  torch.library = "torch";
  torch.version = "2.13.0";
  torch.given_by = core::GivenBy::exchange_table;
  torch.version_minor = 2;
  torch.extent = core::ByteRange{0x1010, 0x1030};
  const ProofStep step = step_of(numpy_side(), torch);
  CHECK(line(step, "byte ranges") == "0x1000 to 0x1030 (48 B) → 0x1010 to 0x1030 (32 B)");
  CHECK(line(step, "libraries") == "numpy 2.4.6 → torch 2.13.0");
  CHECK(line(step, "described by") == "versioned capsule (DLPack 1.1) → exchange table (DLPack 1.2)");
  CHECK(line(step, "flags") == "none set, both");
  CHECK(line(step, "dtypes") == "no such line");
  CHECK(line(step, "hash") == "no such line");
}

TEST_CASE("what a side does not say is not said for it", "[app][exchange]") {
  ProofSide legacy = of_library("mine");
  legacy.protocol = core::Protocol::dlpack;
  legacy.capsule = core::CapsuleKind::dltensor;
  ProofSide odd = numpy_side();
  odd.unknown_flags = 0x100;
  odd.read_only = core::Tri::yes;
  odd.is_copied = core::Tri::yes;
  odd.dtype = "int32";
  ProofStep step = step_of(legacy, odd);
  CHECK(line(step, "libraries") == "mine, which gives no version → numpy 2.4.6");
  CHECK(line(step, "described by") == "legacy capsule → versioned capsule (DLPack 1.1)");
  CHECK(line(step, "flags") == "cannot be told → read-only, copied, unknown bits 0x100");
  CHECK(line(step, "byte ranges") == "not known → 0x1000 to 0x1030 (48 B)");
  step.from_side.dtype = "float32";
  CHECK(line(step, "dtypes") == "float32 → int32");
  ProofSide built_in = of_library("builtins");
  built_in.version = "3.11.7";
  built_in.protocol = core::Protocol::buffer;
  built_in.read_only = core::Tri::no;
  step = step_of(built_in, of_library("x"));
  CHECK(line(step, "libraries") == "builtins of Python 3.11.7 → x, which gives no version");
  CHECK(line(step, "described by") == "buffer protocol → not described");
  CHECK(app::evidence_of(ProofStep{}).size() == 1);  // the write probe was not armed
}

TEST_CASE("addresses are in groups to be read, and whole to be copied", "[app][exchange]") {
  ProofStep step;
  step.from = "a";
  step.to = "b";
  step.from_address = step.to_address = 0x55ce70000000;
  CHECK(line(step, "first element").starts_with(app::grouped_address(0x55ce70000000)));
  core::Proof proof;
  proof.steps = {step};
  CHECK(app::proof_text(proof).find("0x55ce70000000 and 0x55ce70000000, the same address") != std::string::npos);
}

TEST_CASE("hashes that differ are shown as different", "[app][exchange]") {
  ProofStep step = step_of(numpy_side(), numpy_side());
  for (ProofSide* const side : {&step.from_side, &step.to_side}) side->hash_before = side->hash_after = 0xab;
  CHECK(line(step, "hash") == "00000000000000ab before and after, both");
  step.to_side.hash_after = 0xcd;
  CHECK(line(step, "hash") == "00000000000000ab before and after → 00000000000000ab before, 00000000000000cd after");
}

TEST_CASE("who refers to a tensor's owner is read from the answer, whatever it is", "[app][exchange]") {
  const auto found = app::read_referrers(R"({"found": true, "owner": "numpy.ndarray", "complete": true, "more": 0,
      "referrers": [{"what": "attribute cache of Job", "count": 1}, {"what": "a list of 2", "count": 1200}]})");
  REQUIRE(found);
  CHECK(found->what == std::vector<std::string>{"attribute cache of Job", app::grouped(1200) + " times: a list of 2"});
  CHECK(app::referrers_remark(*found).starts_with("What C code holds by itself"));
  CHECK(app::view_referrers_text(*found, "x").empty());  // it owns its memory
  CHECK(app::owner_referrers_text(*found) == "The numpy.ndarray is referred to by:");
  const auto view = app::read_referrers(R"({"found": true, "owner": "torch.Tensor", "complete": true, "more": 0, "referrers": [],
      "view": "torch.Tensor", "of_view": [{"what": "a list of 12", "count": 1}], "more_of_view": 2})");
  REQUIRE(view);
  CHECK(app::view_referrers_text(*view, "samples[0]") == "samples[0] itself (torch.Tensor) is referred to by:");
  CHECK(view->of_view == std::vector<std::string>{"a list of 12"});
  CHECK(app::owner_referrers_text(*view) ==
        "No object that Python's garbage collector knows refers to the owner of its memory (torch.Tensor).");
  CHECK(app::referrers_remark(*view).starts_with("2 of other kinds are not listed. What C code holds"));
  const auto cut = app::read_referrers(R"({"found": true, "complete": false, "more": 7, "referrers": []})");
  REQUIRE(cut);
  CHECK(app::referrers_remark(*cut).find("7 of other kinds are not listed. There are too many objects") != std::string::npos);
  CHECK(app::referrers_remark(*app::read_referrers(R"({"found": false})")) == "It no longer exists.");
  for (const char* const text : {"", "[]", "null", "{"}) CHECK_FALSE(app::read_referrers(text));
  CHECK(app::referrers_question("d['w']") == R"({"name":"d['w']"})");
}

TEST_CASE("the capsules that are alive are counted by Python", "[app][exchange]") {
  const auto alive = app::read_capsules_alive(R"({"capsules": [], "alive": 3, "waiting": 1, "alive_bytes": 8388608})");
  CHECK(app::capsules_alive_text(alive) == "1 waiting capsule and 2 consumers of capsules keep 8.0 MiB alive");
  CHECK(app::capsules_alive_text({.waiting = 1, .bytes = 24}) == "1 waiting capsule keeps 24 B alive");
  CHECK(app::capsules_alive_text({.consumed = 2, .bytes = 24, .at_most = true}) ==
        "2 consumers of capsules keep at most 24 B alive");
  const std::string none = app::capsules_alive_text(app::read_capsules_alive("["));
  CHECK(none == "No watched capsule keeps memory: all have given theirs back.");
}

TEST_CASE("a confirmed probe says whether the other side showed the change", "[app][exchange]") {
  ProofStep step = step_of(numpy_side(), numpy_side());
  step.probe = core::Probe::confirmed;
  step.verdict = core::HandOver::shared;
  CHECK(line(step, "write probe") == "confirmed: a byte was changed through the first, seen in the second, and put back");
  step.verdict = core::HandOver::copied;
  CHECK(line(step, "write probe") ==
        "confirmed: a byte was changed through the first, did not change in the second, and was put back");
  step.probe = core::Probe::contradicted;
  CHECK(line(step, "write probe").find("also changed in the second") != std::string::npos);
}

TEST_CASE("what has no DLPack flags is not said to have none set", "[app][exchange]") {
  ProofSide view = of_library("builtins");
  view.protocol = core::Protocol::buffer;
  view.read_only = view.is_copied = view.subbyte_padded = core::Tri::no;
  CHECK(line(step_of(numpy_side(), view), "flags") == "none set → has no flags");
  view.read_only = core::Tri::yes;
  CHECK(line(step_of(numpy_side(), view), "flags") == "none set → read-only");
}
