// Packed moments: what comes out is what went in, what does not change is kept once, and every question has the same answer as before.
#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "app/models/tensors/same_tensor.h"
#include "core/wire/snapshot_codec.h"
#include "tests/app/models/history/changing_program.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::ChangingProgram;
using tests::pack_all;

std::vector<std::byte> bytes_of(const core::Snapshot& snapshot) {
  std::vector<std::byte> out(core::wire::encoded_size(snapshot));
  REQUIRE(core::wire::encode_snapshot(snapshot, out) == out.size());
  return out;
}

// As match_tensors was once written: a table of all names of both.
TensorMatches plain_matches(const core::Snapshot& before, const core::Snapshot& now) {
  TensorMatches out;
  const NameIndex then = names_of(before), names = names_of(now);
  for (const core::TensorRecord& tensor : now.tensors) out.was.push_back(same_name(now, tensor, then));
  for (const core::TensorRecord& tensor : before.tensors) out.became.push_back(same_name(before, tensor, names));
  return out;
}

std::vector<std::string> words_of(const DifferencesPtr& all) {
  std::vector<std::string> out{differences_sentence(*all)};
  for (const TensorDifference& one : all->tensors)
    out.push_back(fmt::format("{} {} {}", name_of(*all, one), one.changes.to_string(), difference_text(*all, one)));
  return out;
}

std::vector<std::string> words_of(const TensorHistoryPtr& history) {
  std::vector<std::string> out;
  for (const SinceWhen& since : history->facts)
    out.push_back(fmt::format("{} {} {}", since.first, since.before, since_text(*history, since)));
  return out;
}

}  // namespace

TEST_CASE("a packed snapshot comes out bit by bit as it went in", "[app][models][history]") {
  const auto store = std::make_shared<ChunkStore>();
  {
    std::vector<core::SnapshotPtr> snapshots{tests::empty_snapshot(), tests::scalar_snapshot(), tests::tour_snapshot(),
                                             tests::broken_snapshot(), tests::many_snapshot(3000)};
    for (const unsigned seed : {1U, 2U, 3U}) {
      ChangingProgram program(seed, 400);
      for (int look = 0; look < 6; ++look) {
        snapshots.push_back(program.look());
        program.change(look * look);
      }
    }
    std::vector<std::shared_ptr<const PackedSnapshot>> packed;
    for (std::uint32_t i = 0; i < snapshots.size(); ++i) {
      const std::vector<std::uint32_t> numbers(i, i * 0x10000001U);
      packed.push_back(std::make_shared<const PackedSnapshot>(*snapshots[i], numbers, store));
      CHECK(packed.back()->numbers() == numbers);
    }
    std::mt19937 random(5);
    core::Snapshot reused;
    for (int round = 0; round < 200; ++round) {
      const std::size_t at = random() % packed.size();
      core::Snapshot fresh;
      if (round % 4 == 0) {
        packed[at]->unpack_into(fresh);
        CHECK(bytes_of(fresh) == bytes_of(*snapshots[at]));
      }
      packed[at]->unpack_into(reused);
      CHECK(bytes_of(reused) == bytes_of(*snapshots[at]));
    }
    CHECK(store->bytes() > 0);
  }
  CHECK(store->bytes() == 0);
}

TEST_CASE("records that contradict each other are kept as they are", "[app][models][history]") {
  auto snapshot = std::make_shared<core::Snapshot>(*tests::many_snapshot(500));
  for (std::size_t i = 0; i < snapshot->tensors.size(); i += 7) snapshot->tensors[i].group = static_cast<std::uint32_t>(i * 31);
  for (std::size_t i = 0; i < snapshot->group_members.size(); i += 5) snapshot->group_members[i] = 0;
  const auto store = std::make_shared<ChunkStore>();
  const PackedSnapshot packed(*snapshot, {}, store);
  core::Snapshot out;
  packed.unpack_into(out);
  CHECK(bytes_of(out) == bytes_of(*snapshot));
}

TEST_CASE("what did not change between two looks is kept once", "[app][models][history]") {
  const auto store = std::make_shared<ChunkStore>();
  ChangingProgram program(3, 4000, 10'000'000);
  const core::SnapshotPtr first = program.look();
  const std::size_t whole = core::wire::encoded_size(*first);
  const PackedSnapshot one(*first, {}, store);
  const std::size_t one_look = store->bytes();
  CHECK(one_look < whole);
  const PackedSnapshot again(*program.look(), {}, store);  // another revision of the same
  CHECK(store->bytes() == one_look);
  CHECK(again.bytes() < whole / 40);
  program.change(4);
  const PackedSnapshot changed(*program.look(), {}, store);
  CHECK(store->bytes() - one_look < whole / 10);
  CHECK(store->bytes() > one_look);
}

TEST_CASE("the history keeps many more packed moments than whole ones, and still gives way to its bound",
          "[app][models][history]") {
  ChangingProgram program(8, 3000, 10'000'000);
  const std::size_t whole = core::wire::encoded_size(*program.look());
  REQUIRE(whole > KeptMoment::kPackedFrom);
  MomentHistory history(whole * 4);
  for (int look = 0; look < 40; ++look) {
    program.change(3);
    const core::SnapshotPtr snapshot = program.look();
    history.keep(snapshot, 1, "14:05:09");
    history.note_look(snapshot, std::vector<std::uint32_t>(snapshot->groups.size(), static_cast<std::uint32_t>(look)), nullptr);
    pack_all(history);
    CHECK(history.bytes() <= history.most_bytes());
  }
  CHECK(history.moments().size() > 20);
  CHECK(history.newest()->is_whole());
  CHECK_FALSE(history.moments().front()->is_whole());
  const auto third = history.moments()[2];
  CHECK(third->look().colours ==
        std::vector<std::uint32_t>(third->snapshot()->groups.size(), static_cast<std::uint32_t>(third->number - 1)));
  // Other tensors each time: nothing is shared, and the oldest leave.
  for (int look = 0; look < 10; ++look) {
    program.restart(2500);
    program.change(200);
    history.keep(program.look(), 1, "14:05:09");
    pack_all(history);
    CHECK(history.bytes() <= history.most_bytes());
  }
  CHECK(history.given_up() > 20);
  CHECK(history.moments().size() >= 2);
  CHECK(history.newest()->number == 50);
}

TEST_CASE("moments that a job still reads do not make all others leave", "[app][models][history]") {
  ChangingProgram program(9, 2000, 10'000'000);
  MomentHistory history(core::wire::encoded_size(*program.look()) * 4);
  for (int look = 0; look < 60 && history.given_up() == 0; ++look) {
    program.change(120);
    history.keep(program.look(), 1, "14:05:09");
    pack_all(history);
  }
  REQUIRE(history.given_up() > 0);
  const std::size_t kept = history.moments().size();
  const KeptMoments read = history.moments();
  program.change(120);
  history.keep(program.look(), 1, "14:05:09");
  pack_all(history);
  CHECK(history.moments().size() + 2 >= kept);
  CHECK(read.front()->snapshot()->tensors.size() == read.front()->tensors);
}

TEST_CASE("somebody who has an unpacked snapshot shares it with the next who asks", "[app][models][history]") {
  MomentHistory history;
  history.keep(tests::many_snapshot(3000), 1, "a");
  history.keep(tests::many_snapshot(3000), 1, "b");
  pack_all(history);
  const KeptMomentPtr first = history.find(1);
  REQUIRE_FALSE(first->is_whole());
  const core::SnapshotPtr one = first->snapshot();
  CHECK(first->snapshot() == one);
  CHECK(first->is_of(one));
  CHECK_FALSE(history.find(2)->is_of(one));
}

// Random edits: packed and whole moments, and the plain way to find tensors again, must say the same.
TEST_CASE("packed moments answer every question as whole ones do", "[app][models][history]") {
  for (const unsigned seed : {4U, 5U, 6U, 7U}) {
    ChangingProgram program(seed, 500);
    MomentHistory packed, whole;
    for (int look = 0; look < 10; ++look) {
      const core::SnapshotPtr snapshot = program.look();
      packed.keep(snapshot, look < 2 ? 1 : 2, "14:05:09");
      whole.keep(snapshot, look < 2 ? 1 : 2, "14:05:09");
      pack_all(packed);
      program.change(look == 4 ? 300 : look);
    }
    REQUIRE_FALSE(packed.find(9)->is_whole());
    for (std::uint64_t before = 1; before <= 10; before += 2) {
      for (std::uint64_t now = before; now <= 10; ++now) {
        CHECK(words_of(find_differences(packed.find(before), packed.find(now))) ==
              words_of(find_differences(whole.find(before), whole.find(now))));
        const core::SnapshotPtr a = whole.find(before)->snapshot(), b = whole.find(now)->snapshot();
        const TensorMatches fast = match_tensors(*a, *b, false), plain = plain_matches(*a, *b);
        CHECK(fast.was == plain.was);
        CHECK(fast.became == plain.became);
      }
    }
    for (std::uint32_t tensor = 0; tensor < 400; tensor += 13) {
      for (const std::uint64_t at : {9U, 10U}) {
        const SinceWhenRequest asked{at, tensor, tensor / 2, {}, false};
        CHECK(words_of(find_since_when(packed.moments(), asked)) == words_of(find_since_when(whole.moments(), asked)));
      }
    }
  }
}

}  // namespace dlscope::app
