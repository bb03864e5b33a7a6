// The looks that are kept, what is different between two of them, and since when something is as it is.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "core/wire/snapshot_codec.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;

constexpr core::Address kBase = 0x558120001000;

SampleTensor tensor(std::string name, core::Address offset = 0, std::vector<std::int64_t> shape = {4},
                    std::vector<std::int64_t> strides = {}) {
  return {.name = std::move(name), .address = kBase + offset, .shape = std::move(shape), .strides = std::move(strides)};
}

struct Moments {
  MomentHistory history;
  std::uint64_t process = 1, run = 0;
  std::uint64_t look(const std::vector<SampleTensor>& tensors, const core::SharingLimits& limits = {}) {
    return history.keep(tests::snapshot_of(tensors, ++run, limits), process, "14:05:09");
  }
  DifferencesPtr between(std::uint64_t before, std::uint64_t now) {
    return find_differences(history.find(before), history.find(now));
  }
  TensorHistoryPtr since(std::uint64_t at, const std::string& name, const std::string& other = {}) {
    const core::Snapshot& snapshot = *history.find(at)->snapshot();
    const auto id = [&](const std::string& n) {
      const auto* found = n.empty() ? nullptr : snapshot.find(n);
      return found == nullptr ? core::kNone32 : static_cast<std::uint32_t>(found - snapshot.tensors.data());
    };
    return find_since_when(history.moments(), {at, id(name), id(other), {}, history.given_up() > 0});
  }
};

std::set<std::string> changes_of(const DifferencesPtr& all, const std::string& name) {
  std::set<std::string> out;
  for (const TensorDifference& one : all->tensors) {
    if (name_of(*all, one) != name) continue;
    for (std::size_t i = 0; i < kChanges; ++i) {
      if (one.changes[i]) out.insert(change_word(static_cast<Change>(i)));
    }
  }
  return out;
}

const SinceWhen& fact(const TensorHistoryPtr& history, TensorFact which) {
  const auto found = std::ranges::find(history->facts, which, &SinceWhen::fact);
  REQUIRE(found != history->facts.end());
  return *found;
}
bool has_fact(const TensorHistoryPtr& history, TensorFact which) {
  return std::ranges::find(history->facts, which, &SinceWhen::fact) != history->facts.end();
}

using Words = std::set<std::string>;

}  // namespace

TEST_CASE("a kept moment is the snapshot itself, and the oldest give way to the bound", "[app][models][history]") {
  const core::SnapshotPtr snapshot = tests::many_snapshot(100);
  const std::size_t each = core::wire::encoded_size(*snapshot) + sizeof(KeptMoment);
  REQUIRE(each < KeptMoment::kPackedFrom);
  MomentHistory history(each * 3 + 10);
  CHECK(history.newest() == nullptr);
  CHECK(history.keep(snapshot, 1, "a") == 1);
  CHECK(history.newest()->snapshot() == snapshot);  // shared
  CHECK(history.bytes() == each);
  for (int i = 0; i < 4; ++i) history.keep(tests::many_snapshot(100), 1, "b");
  CHECK(history.moments().size() == 3);
  CHECK(history.given_up() == 2);
  CHECK(history.bytes() <= history.most_bytes());
  CHECK(history.find(2) == nullptr);
  CHECK(history.find(3)->number == 3);
  CHECK(history.before(4)->number == 3);
  CHECK(history.before(3) == nullptr);
  CHECK(history.after(3)->number == 4);
  CHECK(history.after(1)->number == 3);  // of one that was given up
  CHECK(history.after(5) == nullptr);
}

TEST_CASE("the newest moment is kept however large it is; their number is bounded too", "[app][models][history]") {
  MomentHistory small(1);
  small.keep(tests::many_snapshot(10), 1, "a");
  small.keep(tests::many_snapshot(10), 1, "b");
  CHECK(small.moments().size() == 1);
  CHECK(small.newest()->number == 2);
  MomentHistory few(std::size_t{1} << 30, 3);
  for (int i = 0; i < 10; ++i) few.keep(tests::scalar_snapshot(), 1, "a");
  CHECK(few.moments().size() == 3);
  CHECK(few.given_up() == 7);
}

TEST_CASE("how a moment was shown is remembered with it and leaves with it", "[app][models][history]") {
  MomentHistory history(std::size_t{1} << 30, 2);
  const core::SnapshotPtr first = tests::tour_snapshot();
  history.keep(first, 1, "a");
  CHECK_FALSE(history.find(1)->look().shown);
  history.note_look(first, {4, 2}, nullptr);
  CHECK(history.find(1)->look().shown);
  CHECK(history.find(1)->look().colours == std::vector<std::uint32_t>{4, 2});
  CHECK(history.find(1)->look().marked_against == 0);
  history.note_look(tests::scalar_snapshot(), {1}, nullptr);  // of none that is kept
  const core::SnapshotPtr second = tests::scalar_snapshot();
  history.keep(second, 1, "b");
  history.note_look(second, {7}, first);
  CHECK(history.find(2)->look().marked_against == 1);
  history.keep(tests::scalar_snapshot(), 1, "c");
  CHECK(history.find(1) == nullptr);
  CHECK(history.find(history.find(2)->look().marked_against) == nullptr);
}

TEST_CASE("moments are called by what was looked at", "[app][models][history]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::tour_snapshot());
  CHECK(moment_title(*snapshot) == "run 1");
  snapshot->info.scanned = core::Scanned::request;
  CHECK(moment_title(*snapshot) == "run 1, scanned again");
  const auto text = [&](const std::string& message) {
    const auto offset = static_cast<std::uint32_t>(snapshot->text.size());
    snapshot->text.insert(snapshot->text.end(), message.begin(), message.end());
    return core::TextRef{offset, static_cast<std::uint32_t>(message.size())};
  };
  snapshot->info.scanned = core::Scanned::stop;
  CHECK(moment_title(*snapshot) == "run 1, at a stop");
  snapshot->info.stop = {.file = text("/home/user/train.py"), .function = text("step"), .thread = {}, .line = 12, .hit = 1};
  CHECK(moment_title(*snapshot) == "run 1, stop at train.py:12 in step");
  CHECK(moment_label(*snapshot) == "1 · line 12");
  snapshot->info.stop.function = text("<module>");
  CHECK(moment_title(*snapshot) == "run 1, stop at train.py:12");
  snapshot->info.run = 0;
  snapshot->info.scanned = core::Scanned::none;
  CHECK(moment_title(*snapshot) == "before the first run");
}

TEST_CASE("each kind of difference is told apart", "[app][models][history]") {
  Moments moments;
  SampleTensor device = tensor("device", 0x900), dtype = tensor("dtype", 0xa00), locked = tensor("locked", 0xb00);
  const auto before = moments.look({tensor("same"), tensor("goes", 0x100), tensor("moves", 0x200), tensor("grows", 0x300),
                                    tensor("shrinks", 0x400), tensor("turns", 0x500, {3, 4}), tensor("folds", 0x600, {3, 4}),
                                    device, dtype, locked, tensor("old name", 0xc00, {7})});
  device.device = {2, 0};
  dtype.dtype = "int32";
  locked.read_only = core::Tri::yes;
  const auto now = moments.look({tensor("same"), tensor("comes", 0x180), tensor("moves", 0x280), tensor("grows", 0x300, {8}),
                                 tensor("shrinks", 0x400, {2}), tensor("turns", 0x500, {3, 4}, {1, 3}),
                                 tensor("folds", 0x600, {12}), device, dtype, locked, tensor("new name", 0xc00, {7})});
  const DifferencesPtr all = moments.between(before, now);
  REQUIRE(all != nullptr);
  CHECK(changes_of(all, "same").empty());
  CHECK(changes_of(all, "goes") == Words{"gone"});
  CHECK(changes_of(all, "comes") == Words{"new"});
  CHECK(changes_of(all, "moves") == Words{"moved"});
  CHECK(changes_of(all, "grows") == Words{"grown"});
  CHECK(changes_of(all, "shrinks") == Words{"shrunk"});
  CHECK(changes_of(all, "turns") == Words{"layout"});
  CHECK(changes_of(all, "folds") == Words{"layout"});
  CHECK(changes_of(all, "dtype") == Words{"dtype"});
  CHECK(changes_of(all, "device") == Words{"device", "access"});  // from here its memory cannot be read
  CHECK(changes_of(all, "locked") == Words{"access"});
  CHECK(changes_of(all, "new name") == Words{"renamed"});
  CHECK(changes_of(all, "old name").empty());  // it is not gone: something with its layout lies there
  CHECK(all->count(Change::moved) == 1);
  CHECK(differences_sentence(*all) ==
        "1 new, 1 gone, 1 renamed, 1 moved, 1 grown, 1 shrunk, 2 layout, 1 dtype, 1 device, 2 access.");
  CHECK(differences_sentence(*moments.between(before, before)) == "Nothing that was compared is different.");
  CHECK(compared_sentence(*all).find("not compared: the values of 10 tensors, which may have changed in place") !=
        std::string::npos);
}

TEST_CASE("of two processes addresses are not compared, names and layouts are", "[app][models][history]") {
  Moments moments;
  const auto before = moments.look({tensor("x"), tensor("y", 0x100), tensor("z", 0x200)});
  moments.process = 2;
  const auto now = moments.look({tensor("x", 0x800), tensor("y", 0x100, {8}), tensor("w", 0x200)});
  const DifferencesPtr all = moments.between(before, now);
  CHECK(changes_of(all, "x").empty());
  CHECK(changes_of(all, "y") == Words{"grown"});
  CHECK(changes_of(all, "z") == Words{"gone"});
  CHECK(changes_of(all, "w") == Words{"new"});  // what lay there in another process says nothing
  CHECK(differences_sentence(*all).find("different Python processes") != std::string::npos);
  CHECK(compared_sentence(*all).starts_with("Compared: names, layouts and sharing"));
}

TEST_CASE("sharing begins and ends between tensors that are there in both moments", "[app][models][history]") {
  Moments moments;
  const auto apart = moments.look({tensor("a"), tensor("b", 0x100), tensor("c", 0x200)});
  const auto together = moments.look({tensor("a"), tensor("b", 0x8), tensor("c", 0x200), tensor("d", 0x200)});
  const DifferencesPtr begun = moments.between(apart, together);
  CHECK(changes_of(begun, "a") == Words{"sharing begun"});
  CHECK(changes_of(begun, "b") == Words{"moved", "sharing begun"});
  CHECK(changes_of(begun, "c").empty());  // d is new: that it shares c says nothing of the time before
  CHECK(changes_of(begun, "d") == Words{"new"});
  const DifferencesPtr ended = moments.between(together, apart);
  CHECK(changes_of(ended, "a") == Words{"sharing ended"});
  CHECK(difference_text(*begun, begun->tensors[0]) == "shares bytes with b");
  CHECK(difference_text(*ended, ended->tensors[0]) == "no longer shares bytes with b");
}

TEST_CASE("one object under two names that became two tensors no longer shares", "[app][models][history]") {
  Moments moments;
  SampleTensor both = tensor("x");
  both.more_names = {"y"};
  const auto before = moments.look({both});
  const auto now = moments.look({tensor("x"), tensor("y", 0x100)});
  const DifferencesPtr all = moments.between(before, now);
  CHECK(changes_of(all, "x") == Words{"sharing ended"});
  CHECK(changes_of(all, "y") == Words{"moved", "sharing ended"});
}

TEST_CASE("what is not known to share is neither begun nor ended", "[app][models][history]") {
  Moments moments;
  const auto unknown = moments.look({tensor("a"), tensor("b", 0x8)}, tests::stopped_limits());
  const auto known = moments.look({tensor("a"), tensor("b", 0x8)});
  const auto apart = moments.look({tensor("a"), tensor("b", 0x100)});
  CHECK(moments.between(unknown, known)->sharing.empty());
  CHECK(moments.between(unknown, known)->sharing_unknown == 1);
  CHECK(changes_of(moments.between(unknown, apart), "a").empty());
  CHECK(changes_of(moments.between(known, apart), "a") == Words{"sharing ended"});
}

TEST_CASE("a tensor without a description changes access only, and the filter finds rows by kind and text",
          "[app][models][history]") {
  Moments moments;
  const auto before = moments.look({tensor("Weights"), tensor("bias", 0x100), tensor("w2", 0x200)});
  const auto now = moments.look({tensor("Weights", 0x300), tensor("bias", 0x400), tensor("n", 0x500, {9})});
  const DifferencesPtr all = moments.between(before, now);
  CHECK(filter_differences(*all, {}, "")->size() == 4);
  CHECK(filter_differences(*all, {}, "wei")->size() == 1);
  ChangeSet moved;
  moved.set(static_cast<std::size_t>(Change::moved));
  CHECK(filter_differences(*all, moved, "")->size() == 2);
  CHECK(filter_differences(*all, moved, "w2")->empty());
  std::stop_source stop;
  stop.request_stop();
  CHECK(filter_differences(*all, {}, "", stop.get_token()) == nullptr);
}

// Names, places and layouts at random; judged by comparing every name with every other.
TEST_CASE("differences agree with a comparison of every name", "[app][models][history]") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  for (int round = 0; round < 60; ++round) {
    Moments moments;
    const auto make = [&] {
      std::vector<SampleTensor> out;
      for (int i = 0; i < 12; ++i) {
        if (pick(4) == 0) continue;
        out.push_back(tensor("t" + std::to_string(i), static_cast<core::Address>(pick(6)) * 8, {pick(3) + 1, pick(3) + 1}));
      }
      return out;
    };
    const auto first = make(), second = make();
    const DifferencesPtr all = moments.between(moments.look(first), moments.look(second));
    std::map<std::string, const SampleTensor*> then, now;
    for (const auto& t : first) then[t.name] = &t;
    for (const auto& t : second) now[t.name] = &t;
    const auto meet = [](const SampleTensor& a, const SampleTensor& b) {  // all are in C order
      const auto end = [](const SampleTensor& t) { return t.address + static_cast<core::Address>(t.shape[0] * t.shape[1] * 4); };
      return a.address < end(b) && b.address < end(a);
    };
    for (const auto& [name, is] : now) {
      const Words found = changes_of(all, name);
      const auto was = then.find(name);
      if (was == then.end()) {
        CHECK((found.contains("new") != found.contains("renamed")));
        continue;
      }
      const auto count = [](const SampleTensor& t) { return t.shape[0] * t.shape[1]; };
      CHECK(found.contains("moved") == (was->second->address != is->address));
      CHECK(found.contains("grown") == (count(*was->second) < count(*is)));
      CHECK(found.contains("shrunk") == (count(*was->second) > count(*is)));
      bool begun = false, ended = false;
      for (const auto& [other, other_is] : now) {
        const auto other_was = then.find(other);
        if (other == name || other_was == then.end()) continue;
        const bool met = meet(*was->second, *other_was->second), meets = meet(*is, *other_is);
        begun = begun || (meets && !met);
        ended = ended || (met && !meets);
      }
      // Tensors that were only found by their memory count for sharing as well.
      if (all->count(Change::renamed) > 0) continue;
      CHECK(found.contains("sharing begun") == begun);
      CHECK(found.contains("sharing ended") == ended);
    }
    for (const auto& [name, was] : then) {
      if (!now.contains(name) && all->count(Change::renamed) == 0) CHECK(changes_of(all, name) == Words{"gone"});
    }
  }
}

TEST_CASE("since when a tensor is as it is", "[app][models][history]") {
  Moments moments;
  moments.look({tensor("x", 0, {3, 4}), tensor("y", 0x100)});
  moments.look({tensor("x", 0, {3, 4}), tensor("y", 0x8)});
  moments.look({tensor("x", 0, {3, 4}, {1, 3}), tensor("y", 0x8)});
  const auto last = moments.look({tensor("x", 0, {3, 4}, {1, 3}), tensor("y", 0x8), tensor("z", 0x200)});
  const TensorHistoryPtr x = moments.since(last, "x", "y");
  REQUIRE(x != nullptr);
  CHECK(x->moments == 4);
  CHECK(fact(x, TensorFact::shares).first == 2);
  CHECK(fact(x, TensorFact::shares).end == SinceWhen::End::different);
  CHECK(since_text(*x, fact(x, TensorFact::shares)) == "shares bytes since run 2 (14:05:09); shares nothing in run 1 (14:05:09)");
  CHECK(fact(x, TensorFact::contiguity).first == 3);
  CHECK(fact(x, TensorFact::shape).first == 3);
  CHECK(fact(x, TensorFact::place).end == SinceWhen::End::first_kept);
  CHECK(since_text(*x, fact(x, TensorFact::dtype)) == "float32 since run 1 (14:05:09), the first snapshot taken");
  const TensorHistoryPtr z = moments.since(last, "z");
  CHECK(fact(z, TensorFact::listed).end == SinceWhen::End::not_listed);
  CHECK(fact(z, TensorFact::listed).first == 4);
  CHECK(fact(z, TensorFact::listed).before == 3);
  CHECK_FALSE(has_fact(z, TensorFact::shares));
  CHECK(moments.since(2, "x")->moments == 2);  // looked at from an earlier moment, what came later does not count
}

TEST_CASE("a stretch that was broken counts from the break, not from the first time", "[app][models][history]") {
  Moments moments;
  moments.look({tensor("x"), tensor("y", 0x8)});
  moments.look({tensor("x"), tensor("y", 0x100)});
  moments.look({tensor("y", 0x8)});
  moments.look({tensor("x"), tensor("y", 0x8)});
  const TensorHistoryPtr found = moments.since(4, "x", "y");
  CHECK(fact(found, TensorFact::shares).first == 4);
  CHECK(fact(found, TensorFact::shares).end == SinceWhen::End::not_listed);
  CHECK(fact(found, TensorFact::listed).first == 4);
}

TEST_CASE("before the first kept moment nothing is claimed", "[app][models][history]") {
  Moments moments;
  moments.history = MomentHistory(std::size_t{1} << 30, 2);
  for (int i = 0; i < 4; ++i) moments.look({tensor("x")});
  const TensorHistoryPtr x = moments.since(4, "x");
  CHECK(since_text(*x, fact(x, TensorFact::dtype)) ==
        "float32 since before run 3 (14:05:09), the first moment that is still kept");
}

TEST_CASE("an address says nothing across processes, and a name that changed is said", "[app][models][history]") {
  Moments moments;
  moments.look({tensor("x")});
  moments.process = 2;
  moments.look({tensor("main().x")});
  moments.look({tensor("x")});
  const TensorHistoryPtr x = moments.since(3, "x");
  CHECK(fact(x, TensorFact::place).first == 2);
  CHECK(fact(x, TensorFact::place).end == SinceWhen::End::not_listed);  // of another process it is known by name only
  CHECK(fact(x, TensorFact::place).other_name == "main().x");
  CHECK(since_text(*x, fact(x, TensorFact::place)).find("listed as main().x then, at the same address") != std::string::npos);
  moments.process = 3;
  moments.look({tensor("x")});
  const TensorHistoryPtr again = moments.since(4, "x");
  CHECK(fact(again, TensorFact::place).end == SinceWhen::End::other_process);
  CHECK(fact(again, TensorFact::dtype).first == 2);  // of what is not an address, a name is enough
}

// Facts by going back with the names alone.
TEST_CASE("since when agrees with going through the moments by hand", "[app][models][history]") {
  std::mt19937 random(11);
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  for (int round = 0; round < 40; ++round) {
    Moments moments;
    std::vector<std::vector<SampleTensor>> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back({tensor("x", static_cast<core::Address>(pick(3)) * 8, {4, 2},
                            pick(2) == 0 ? std::vector<std::int64_t>{1, 4} : std::vector<std::int64_t>{}),
                     tensor("y", 0x20 + static_cast<core::Address>(pick(3)) * 8, {2})});
      moments.look(all.back());
    }
    const TensorHistoryPtr found = moments.since(8, "x", "y");
    const auto first_of = [&](const auto& same) {
      std::size_t first = 7;
      while (first > 0 && same(all[first - 1], all[7])) --first;
      return first + 1;
    };
    CHECK(fact(found, TensorFact::place).first ==
          first_of([](const auto& a, const auto& b) { return a[0].address == b[0].address; }));
    CHECK(fact(found, TensorFact::contiguity).first ==
          first_of([](const auto& a, const auto& b) { return a[0].strides == b[0].strides; }));
    CHECK(fact(found, TensorFact::shares).first == first_of([](const auto& a, const auto& b) {
            const auto meet = [](const auto& s) { return s[1].address < s[0].address + 32; };
            return meet(a) == meet(b);
          }));
    CHECK(fact(found, TensorFact::listed).first == 1);
  }
}

TEST_CASE("sharing that nobody can know of before has not begun", "[app][models][history]") {
  const core::Remark lie{core::RemarkCode::device_mismatch, "described as another device"};
  Moments moments;
  SampleTensor liar = tensor("liar");
  liar.device = {2, 0};
  liar.remarks = {lie};
  const auto before = moments.look({tensor("host"), liar});
  const auto now = moments.look({tensor("host"), tensor("liar")});
  const DifferencesPtr all = moments.between(before, now);
  CHECK_FALSE(changes_of(all, "host").contains("sharing begun"));
  CHECK(all->sharing_unknown == 1);
  CHECK_FALSE(changes_of(moments.between(now, before), "host").contains("sharing ended"));
  // Whose extents do not meet share nothing, whether or not every pair is listed.
  core::SharingLimits few;
  few.max_pairs = 0;
  const auto apart = moments.look({tensor("host"), tensor("liar", 0x1000)}, few);
  CHECK(changes_of(moments.between(apart, now), "host").contains("sharing begun"));
}

}  // namespace dlscope::app
