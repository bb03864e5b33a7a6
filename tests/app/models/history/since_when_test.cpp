// Since when something is as it is, over packed moments: the same answers as going back over whole snapshots with a table of all
// names, whatever an earlier search left behind.
#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_changes.h"
#include "app/models/history/since_when.h"
#include "app/models/history/tensor_excerpt.h"
#include "app/models/history/tensor_trail.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/same_tensor.h"
#include "app/models/text/format.h"
#include "core/inventory/relation.h"
#include "tests/app/models/history/changing_program.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using core::kNone32;
using core::Snapshot;
using tests::ChangingProgram;
using tests::pack_all;

std::vector<std::string> text_of(const TensorHistoryPtr& history) {
  std::vector<std::string> out;
  for (const SinceWhen& since : history->facts)
    out.push_back(fmt::format("{} {} {} {} {}", static_cast<int>(since.fact), since.first, since.before,
                              since.element ? grouped(*since.element) : "-", since_text(*history, since)));
  return out;
}

// --- the plain way ----------------------------------------------------------------------------------------------------------

// A moment as it was kept, before anything was packed.
struct Look {
  std::uint64_t number = 0, process = 0;
  core::SnapshotPtr snapshot;
};

std::uint32_t plain_before(const Look& before, const Look& now, std::uint32_t id) {
  const NameIndex then = names_of(*before.snapshot), names = names_of(*now.snapshot);
  const core::TensorRecord& tensor = now.snapshot->tensors[id];
  const std::uint32_t by_name = same_name(*now.snapshot, tensor, then);
  if (by_name != kNone32 || before.process != now.process) return by_name;
  for (std::uint32_t old = 0; old < before.snapshot->tensors.size(); ++old) {
    const core::TensorRecord& candidate = before.snapshot->tensors[old];
    if (same_place(*before.snapshot, candidate, *now.snapshot, tensor) &&
        same_name(*before.snapshot, candidate, names) == kNone32)
      return old;
  }
  return kNone32;
}

// What is the same as long as the answer is the same.
std::map<TensorFact, std::string> plain_facts(const Look& look, std::uint32_t id, std::uint32_t other) {
  const Snapshot& snapshot = *look.snapshot;
  const core::TensorRecord& tensor = snapshot.tensors[id];
  std::map<TensorFact, std::string> out{{TensorFact::listed, "listed"},
                                        {TensorFact::dtype, snapshot.dtype_name(tensor)},
                                        {TensorFact::contiguity, contiguity_text(tensor.contiguity)},
                                        {TensorFact::place, fmt::format("{} of {}", tensor.address, look.process)}};
  std::string& shape = out[TensorFact::shape];
  for (const std::int64_t size : snapshot.shape(tensor)) shape += fmt::format("{} ", size);
  for (const std::int64_t stride : snapshot.stride_bits(tensor)) shape += fmt::format("by {} ", stride / tensor.item_bits);
  if (other != kNone32)
    out[TensorFact::shares] = id == other                                                     ? "same"
                              : core::relation_between(snapshot, id, other).shared_bytes == 0 ? "nothing"
                                                                                              : "bytes";
  return out;
}

// The oldest moment of an unbroken stretch, of each fact.
std::map<TensorFact, std::uint64_t> plain_first(const std::vector<Look>& looks, std::size_t at, std::uint32_t id,
                                                std::uint32_t other) {
  std::map<TensorFact, std::string> open = plain_facts(looks[at], id, other);
  std::map<TensorFact, std::uint64_t> out;
  for (const auto& [fact, text] : open) out[fact] = looks[at].number;
  while (at > 0) {
    const std::uint32_t was = plain_before(looks[at - 1], looks[at], id);
    const std::uint32_t other_was = other == kNone32 || was == kNone32 ? kNone32 : plain_before(looks[at - 1], looks[at], other);
    if (was == kNone32) break;
    id = was;
    other = other_was;
    const auto then = plain_facts(looks[--at], id, other);
    std::erase_if(open, [&](const auto& one) {
      const auto found = then.find(one.first);
      return found == then.end() || found->second != one.second;
    });
    for (const auto& [fact, text] : open) out[fact] = looks[at].number;
  }
  return out;
}

struct Histories {
  MomentHistory packed, whole;
  std::vector<Look> looks;  // those that are kept

  Histories(std::size_t most_moments)
      : packed(MomentHistory::kMaxBytes, most_moments), whole(std::size_t{1} << 40, most_moments) {}

  void look(const core::SnapshotPtr& snapshot, std::uint64_t process) {
    looks.push_back({packed.keep(snapshot, process, "14:05:09"), process, snapshot});
    whole.keep(snapshot, process, "14:05:09");
    pack_all(packed);
    std::erase_if(looks, [&](const Look& look) { return packed.find(look.number) == nullptr; });
  }
};

}  // namespace

TEST_CASE("since when is what going back over whole snapshots says, with and without what earlier searches found",
          "[app][models][history]") {
  for (const unsigned seed : {11U, 12U, 13U}) {
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
    ChangingProgram program(seed, 450, seed == 12 ? 60 : 4000);  // many at one address, too
    Histories histories(14);
    TensorTrail trail, stopped_trail;
    std::uint64_t process = 1;
    std::uint32_t followed = 200, other = 10;
    for (int look = 0; look < 40; ++look) {
      histories.look(program.look(), process);
      const std::size_t newest = histories.looks.size() - 1;
      const std::size_t count = histories.looks[newest].snapshot->tensors.size();
      for (int question = 0; question < 6; ++question) {
        const bool same = question < 2;  // as the window asks at each look; and of another tensor, or from an earlier moment
        const std::size_t at = question == 4 ? pick(newest + 1) : newest;
        const std::size_t tensors = histories.looks[at].snapshot->tensors.size();
        const std::uint32_t id = same ? std::min<std::uint32_t>(followed, static_cast<std::uint32_t>(count) - 1) : pick(tensors);
        const std::uint32_t with = same ? other : question == 3 ? kNone32 : question == 5 ? id : pick(tensors);
        const SinceWhenRequest asked{histories.looks[at].number, id, with, {}, histories.packed.given_up() > 0};
        const TensorHistoryPtr found = find_since_when(histories.packed.moments(), asked, {}, {}, &trail);
        CHECK(text_of(found) == text_of(find_since_when(histories.packed.moments(), asked)));
        CHECK(text_of(found) == text_of(find_since_when(histories.whole.moments(), asked)));
        auto plain = plain_first(histories.looks, at, id, with == id ? kNone32 : with);
        for (const SinceWhen& since : found->facts) {
          if (!plain.contains(since.fact)) continue;
          INFO(fmt::format("{} of {} from {}", since_text(*found, since), id, asked.at));
          CHECK(since.first == plain[since.fact]);
        }
      }
      CHECK(trail.size() <= histories.packed.moments().size());
      program.change(look == 20 ? 200 : 1 + look % 5);
      if (look % 7 == 3) std::swap(program.tensors()[0], program.tensors()[pick(program.tensors().size())]);
      if (look == 30) ++process;
    }
    CHECK(histories.packed.given_up() > 0);
    CHECK_FALSE(histories.packed.moments().front()->is_whole());
  }
}

TEST_CASE("a search that was stopped leaves what it found, and nothing that is wrong", "[app][models][history]") {
  ChangingProgram program(21, 450);
  Histories histories(100);
  TensorTrail trail;
  for (int look = 0; look < 20; ++look) {
    histories.look(program.look(), 1);
    program.change(2);
  }
  const SinceWhenRequest asked{20, 100, 30, {}, false};
  std::stop_source stop;
  stop.request_stop();
  CHECK(find_since_when(histories.packed.moments(), asked, {}, stop.get_token(), &trail) == nullptr);
  const TensorHistoryPtr found = find_since_when(histories.packed.moments(), asked, {}, {}, &trail);
  CHECK(text_of(found) == text_of(find_since_when(histories.whole.moments(), asked)));
  CHECK(trail.size() > 1);
}

TEST_CASE("an excerpt of a packed moment is that of the whole one", "[app][models][history]") {
  ChangingProgram program(31, 500, 40);
  Histories histories(100);
  const auto first = std::make_shared<core::Snapshot>(*program.look());
  for (std::size_t id = 0; id < first->tensors.size(); id += 2) {
    core::TensorRecord& t = first->tensors[id];
    if (t.extent.empty()) continue;
    t.allocation = id % 4 == 0 ? core::kOwnAllocation : static_cast<std::uint32_t>(first->allocations.size());
    if (id % 4 != 0) first->allocations.push_back({.range = {t.extent.begin - id, t.extent.end}});
  }
  histories.look(first, 1);
  program.change(50);
  histories.look(program.look(), 1);
  const MomentReader packed(*histories.packed.moments()[0]), whole(*histories.whole.moments()[0]);
  REQUIRE_FALSE(histories.packed.moments()[0]->is_whole());
  const Snapshot& snapshot = *histories.looks[0].snapshot;
  REQUIRE_FALSE(snapshot.pairs.empty());
  REQUIRE_FALSE(snapshot.allocations.empty());
  for (std::uint32_t id = 0; id < packed.tensors(); id += 3) {
    const std::uint32_t other = (id * 7 + 1) % packed.tensors();
    if (other == id) continue;
    for (const MomentReader* const reader : {&packed, &whole}) {
      const TensorExcerpt excerpt = excerpt_of(*reader, id, other);
      const Snapshot& part = *excerpt.snapshot;
      const core::TensorRecord &is = part.tensors[excerpt.tensor], &was = snapshot.tensors[id];
      CHECK(part.name(is) == snapshot.name(was));
      CHECK(same_layout(part, is, snapshot, was));
      CHECK(is.address == was.address);
      const auto allocation = part.allocation_of(is), allocation_then = snapshot.allocation_of(was);
      REQUIRE(allocation.has_value() == allocation_then.has_value());
      if (allocation) CHECK(allocation->range == allocation_then->range);
      const core::PairRecord pair = core::relation_between(part, excerpt.tensor, excerpt.other);
      const core::PairRecord wanted = core::relation_between(snapshot, id, other);
      CHECK(pair.relation == wanted.relation);
      CHECK(pair.shared_bytes == wanted.shared_bytes);
      CHECK(reader->tensors_at(was.address) == whole.tensors_at(was.address));
    }
  }
  for (const core::PairRecord& pair : snapshot.pairs) {
    const auto found = packed.listed_pair(pair.a, pair.b);
    REQUIRE(found);
    CHECK(found->shared_bytes == pair.shared_bytes);
    CHECK(found->witness == pair.witness);
    CHECK_FALSE(packed.listed_pair(pair.a, pair.a));
  }
}

TEST_CASE("an excerpt says of two tensors what the whole moment says, also where that is unknown", "[app][models][history]") {
  const core::Remark lie{core::RemarkCode::device_mismatch, "described as another device"};
  const std::vector<tests::SampleTensor> tensors{
      {.name = "host", .address = 0x558120001000, .shape = {64}},
      {.name = "liar", .address = 0x558120001000, .shape = {64}, .device = {2, 0}, .remarks = {lie}},
      {.name = "far", .address = 0x558120009000, .shape = {64}},
      {.name = "pinned", .address = 0x55812000a000, .shape = {64}, .device = {3, 0}, .remarks = {lie}},
      {.name = "view", .address = 0x558120001010, .shape = {4}},
      {.name = "copied", .address = 0x558120001000, .shape = {4}, .is_copied = core::Tri::yes}};
  const auto told = std::make_shared<Snapshot>(*tests::snapshot_of(tensors));
  told->driver_devices = {{{3, 0}, 3}};  // a kind of the host's memory: no contradiction
  core::SharingLimits few;
  few.max_pairs = 0;
  const core::SnapshotPtr moments[] = {told, tests::snapshot_of(tensors), tests::snapshot_of(tensors, 1, tests::stopped_limits()),
                                       tests::snapshot_of(tensors, 1, few), tests::tour_snapshot(), tests::broken_snapshot()};
  std::size_t unknown = 0;
  for (const core::SnapshotPtr& small : moments) {
    const auto moment = std::make_shared<Snapshot>(*small);
    moment->text.resize(moment->text.size() + KeptMoment::kPackedFrom);  // large enough to be packed
    Histories histories(100);
    histories.look(moment, 1);
    histories.look(tests::empty_snapshot(), 1);
    const MomentReader packed(*histories.packed.moments()[0]), whole(*histories.whole.moments()[0]);
    REQUIRE_FALSE(histories.packed.moments()[0]->is_whole());
    const auto count = static_cast<std::uint32_t>(moment->tensors.size());
    for (std::uint32_t a = 0; a < count; ++a) {
      for (std::uint32_t b = 0; b < count; ++b) {
        if (a == b) continue;
        const core::PairRecord wanted = core::relation_between(*moment, a, b);
        unknown += wanted.relation == core::Relation::unknown ? 1 : 0;
        for (const MomentReader* const reader : {&packed, &whole}) {
          const TensorExcerpt excerpt = excerpt_of(*reader, a, b);
          const core::PairRecord pair = core::relation_between(*excerpt.snapshot, excerpt.tensor, excerpt.other);
          INFO(moment->name(moment->tensors[a]) << " and " << moment->name(moment->tensors[b]));
          CHECK(pair.relation == wanted.relation);
          CHECK(pair.why == wanted.why);
          CHECK(pair.shared_bytes == wanted.shared_bytes);
        }
      }
    }
  }
  CHECK(unknown > 20);
}

}  // namespace dlscope::app
