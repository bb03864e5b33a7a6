// What remembered tensors held: kept, shared and dropped; read where it lay; compared between moments.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/models/history/remembered_changes.h"
#include "app/models/history/remembered_copies.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"
#include "core/inventory/kept_bytes.h"
#include "tests/support/sample_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;

constexpr core::Address kBase = 0x558120001000;

RememberedTensor tensor_of(const std::vector<float>& values, std::uint32_t id = 0, std::string name = "x",
                           core::Address at = kBase) {
  RememberedTensor out;
  out.tensor = id;
  out.name = std::move(name);
  out.extent = {at, at + values.size() * sizeof(float)};
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(float));
  std::memcpy(bytes->data(), values.data(), bytes->size());
  out.bytes = std::move(bytes);
  return out;
}

// x of 3 x 4 float32 at moments in which it held these values.
struct Looks {
  MomentHistory history;
  RememberedTensors remembered;
  std::uint64_t run = 0;
  std::uint64_t look(const std::vector<float>& values, core::Address at = kBase) {
    const std::uint64_t moment = history.keep(
        tests::snapshot_of({{.name = "x", .dtype = "float32", .address = at, .shape = {3, 4}}}, ++run), 1, "14:05:09");
    auto kept = std::make_shared<RememberedMoment>(RememberedMoment{moment, {tensor_of(values, 0, "x", at)}});
    kept->tensors[0].values = count_specials(history.newest()->snapshot(), kept, 0);
    remembered.keep(*kept);
    return moment;
  }
  [[nodiscard]] BytesCompared compare(std::uint64_t before, std::uint64_t now) const {
    return compare_bytes(history.find(before)->snapshot(), remembered.find(before), 0, history.find(now)->snapshot(),
                         remembered.find(now), 0);
  }
  [[nodiscard]] const SinceWhen since(TensorFact fact, std::optional<std::uint64_t> element = {}) const {
    const auto all = find_since_when(history.moments(), {history.newest()->number, 0, core::kNone32, element, false},
                                         remembered.moments());
    const auto found = std::ranges::find(all->facts, fact, &SinceWhen::fact);
    REQUIRE(found != all->facts.end());
    return *found;
  }
};

std::vector<float> filled(float value) { return std::vector<float>(12, value); }

}  // namespace

TEST_CASE("the reader of a moment has the bytes of its remembered tensors and none beside", "[history][remember]") {
  auto moment = std::make_shared<RememberedMoment>();
  moment->tensors = {tensor_of({1, 2, 3, 4}), tensor_of({4, 5}, 1, "y", kBase + 12)};  // they overlap in the 4
  const auto reader = remembered_reader(moment);
  std::vector<float> out(5);
  CHECK(reader->read(kBase, std::as_writable_bytes(std::span(out))) == 20);
  CHECK(out == std::vector<float>{1, 2, 3, 4, 5});
  CHECK(reader->read(kBase + 4, std::as_writable_bytes(std::span(out))) == 16);  // to the end of y
  CHECK(reader->read(kBase - 1, std::as_writable_bytes(std::span(out))) == 0);
  CHECK(reader->read(kBase + 20, std::as_writable_bytes(std::span(out))) == 0);
}

TEST_CASE("bytes that did not change are kept once, and the oldest give way", "[history][remember]") {
  RememberedTensors kept(100);
  const auto keep = [&](std::uint64_t number, const std::vector<float>& values) {
    RememberedMoment moment{number, {tensor_of(values)}};
    share_equal_bytes(moment, kept.moments());
    return kept.keep(std::move(moment)).size();
  };
  keep(1, filled(1));
  keep(2, filled(1));
  CHECK(kept.bytes() == 48);
  CHECK(kept.find(1)->tensors[0].bytes == kept.find(2)->tensors[0].bytes);
  keep(3, filled(2));
  CHECK(kept.bytes() == 96);
  CHECK(keep(4, filled(3)) == 2);  // 144: the bytes of 1 and 2 go, both
  CHECK(kept.dropped() == 2);
  CHECK(kept.find(1) == nullptr);
  CHECK(kept.find(2) == nullptr);
  CHECK(kept.bytes() == 96);
  keep(5, std::vector<float>(1000, 1));  // the newest stays, whatever its size
  CHECK(kept.find(5) != nullptr);
  CHECK(kept.moments().size() == 1);
  kept.forget_before(6);
  CHECK(kept.bytes() == 0);
}

TEST_CASE("of what the host announces only so much is fetched as was asked for", "[history][remember]") {
  const std::map<std::string, Remember> wanted{{"x", Remember::bytes}, {"y", Remember::bytes}};
  const auto copy = [](std::uint64_t id, std::uint64_t revision, std::string name, std::uint64_t size = 48) {
    core::wire::WaitingCopy out;
    out.id = id;
    out.revision = revision;
    out.name = std::move(name);
    out.size = size;
    return out;
  };
  const auto numbers = [](const CopiesToFetch& next) {
    std::vector<std::uint64_t> out;
    for (const core::wire::WaitingCopy& each : next.copies) out.push_back(each.id);
    return out;
  };
  SECTION("of each tensor and snapshot the last copy, in whatever order they come") {
    const auto next = copies_to_fetch({copy(4, 8, "x"), copy(1, 7, "x"), copy(2, 7, "y"), copy(3, 7, "x")}, wanted, 0);
    CHECK(numbers(next) == std::vector<std::uint64_t>{2, 3, 4});
    CHECK(next.through == 4);
  }
  SECTION("a hundred thousand of one tensor are one") {
    std::vector<core::wire::WaitingCopy> many;
    for (std::uint64_t i = 0; i < 100'000; ++i) many.push_back(copy(i / 2 + 1, 7, "x", core::kMaxKeptBytes));
    CHECK(numbers(copies_to_fetch(std::move(many), wanted, 0)) == std::vector<std::uint64_t>{50'000});
  }
  SECTION("what nobody wants, or has already, is not fetched, and may be freed") {
    const auto next = copies_to_fetch({copy(5, 7, "x"), copy(6, 7, "z"), copy(7, 7, "")}, wanted, 5);
    CHECK(next.copies.empty());
    CHECK(next.through == 7);
    CHECK(copies_to_fetch({}, wanted, 7).through == 7);
  }
  SECTION("the rest of more than can be held at once is for the next answer") {
    std::vector<core::wire::WaitingCopy> large;
    for (std::uint64_t i = 1; i <= 10; ++i) large.push_back(copy(i, i, "x", core::kMaxKeptBytes));
    auto next = copies_to_fetch(large, wanted, 0);
    CHECK(numbers(next) == std::vector<std::uint64_t>{1, 2, 3, 4});
    CHECK(next.through == 4);
    CHECK(numbers(copies_to_fetch(large, wanted, 4)) == std::vector<std::uint64_t>{5, 6, 7, 8});
    CHECK(numbers(copies_to_fetch(large, wanted, 8)) == std::vector<std::uint64_t>{9, 10});
    // A size that is no tensor's does not hold up the others.
    next = copies_to_fetch({copy(1, 1, "x", ~std::uint64_t{0}), copy(2, 1, "y")}, wanted, 0);
    CHECK(next.through == 1);
  }
}

TEST_CASE("a tensor is remembered by any of its names until it is not", "[history][remember]") {
  const auto snapshot = tests::snapshot_of({{.name = "x", .dtype = "float32", .address = kBase, .shape = {4}}});
  RememberedTensors kept;
  CHECK(kept.wanted(*snapshot, snapshot->tensors[0]) == Remember::no);
  CHECK(kept.want(*snapshot, snapshot->tensors[0], Remember::hashes));
  CHECK(kept.wanted(*snapshot, snapshot->tensors[0]) == Remember::hashes);
  CHECK(kept.want(*snapshot, snapshot->tensors[0], Remember::no));
  CHECK(kept.wanted().empty());
}

TEST_CASE("what changed between two moments is counted as an element by element comparison counts it", "[history][remember]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Looks looks;
    std::vector<float> before = filled(0), now;
    for (float& value : before) value = static_cast<float>(random() % 3);
    now = before;
    for (unsigned change = random() % 4; change > 0; --change)
      now[random() % 12] = random() % 4 == 0 ? std::nanf("") : static_cast<float>(random() % 3);
    const std::uint64_t first = looks.look(before);
    const std::uint64_t second = looks.look(now, kBase + 64);  // it moved, too
    std::size_t different = 0, lowest = 12;
    for (std::size_t i = 12; i-- > 0;) {
      if (std::memcmp(&before[i], &now[i], 4) == 0) continue;
      ++different;
      lowest = i;
    }
    const BytesCompared found = looks.compare(first, second);
    if (different == 0) {
      CHECK(found.result == BytesCompared::Result::same);
      continue;
    }
    CHECK(found.result == BytesCompared::Result::changed);
    CHECK(found.first == lowest);
    CHECK(found.message == "its bytes changed: " + std::to_string(different) + " of 12 elements, first at [" +
                               std::to_string(lowest / 4) + ", " + std::to_string(lowest % 4) + "]");
  }
}

TEST_CASE("the first moment with a NaN is named, with its first element", "[history][remember]") {
  Looks looks;
  looks.look(filled(1));
  std::vector<float> values = filled(2);
  const std::uint64_t clean = looks.look(values);
  values[7] = std::nanf("");
  values[9] = std::numeric_limits<float>::infinity();
  const std::uint64_t first = looks.look(values);
  values[1] = std::nanf("");
  looks.look(values);
  const SinceWhen nan = looks.since(TensorFact::nan);
  CHECK(nan.is == "holds NaN");
  CHECK(nan.first == first);
  CHECK(nan.before == clean);
  CHECK(nan.element == 7U);
  CHECK(nan.detail == "1 NaN, 1 Inf there, the first NaN at [1, 3]");
  const SinceWhen value = looks.since(TensorFact::value, 1);
  CHECK(value.first == first + 1);
  CHECK(value.is == "[0, 1] is nan");
  CHECK(value.was == "2.0");
  const SinceWhen bytes = looks.since(TensorFact::bytes);
  CHECK(bytes.first == first + 1);
  CHECK(bytes.was == "its bytes changed: 1 of 12 elements, first at [0, 1]");
}

TEST_CASE("what was not remembered is not guessed", "[history][remember]") {
  Looks looks;
  looks.look(filled(1));
  const std::uint64_t second = looks.look(filled(1));
  RememberedTensors only_second;
  only_second.keep(*looks.remembered.find(second));
  looks.remembered = only_second;
  CHECK(looks.compare(1, second).result == BytesCompared::Result::unknown);
  const SinceWhen bytes = looks.since(TensorFact::bytes);
  CHECK(bytes.first == second);
  CHECK(bytes.end == SinceWhen::End::not_kept);
  const auto differences = find_differences(looks.history.find(1), looks.history.find(second), {}, looks.remembered.moments());
  CHECK(differences->count(Change::bytes) == 0);
  CHECK(differences->same_bytes == 0);
  CHECK(differences->values_not_compared == 1);  // and it is said, or "nothing is different" would be believed
  CHECK(compared_sentence(*differences).find("not compared: the values of 1 tensor") != std::string::npos);
}

TEST_CASE("what was remembered at both moments is said to be compared", "[history][remember]") {
  Looks looks;
  looks.look(filled(1));
  const std::uint64_t second = looks.look(filled(2));
  const auto differences = find_differences(looks.history.find(1), looks.history.find(second), {}, looks.remembered.moments());
  CHECK(differences->count(Change::bytes) == 1);
  CHECK(differences->values_not_compared == 0);
  CHECK(compared_sentence(*differences) ==
        "Compared: names, addresses, layouts and sharing, and the values of 1 remembered tensor.");
}

TEST_CASE("what the host says of its copies is read, and what is no answer has none", "[history][remember]") {
  CHECK(remember_question({{"x", Remember::bytes}, {"m().y", Remember::hashes}}, 7) ==
        R"({"fetched":7,"tensors":[{"hashed":true,"name":"m().y"},{"hashed":false,"name":"x"}]})");
  const auto copies = announced_copies(core::wire::encode(tests::sample_waiting_copies()));
  CHECK(copies == tests::sample_waiting_copies());
  CHECK(announced_copies("").empty());
  CHECK(announced_copies(R"({"copies": []})").empty());
}

TEST_CASE("hashed blocks say which changed", "[history][remember]") {
  Looks looks;
  const std::uint64_t first = looks.look(filled(1)), second = looks.look(filled(2));
  const auto with_hash = [&](std::uint64_t moment, std::vector<std::uint64_t> hashes) {
    auto out = std::make_shared<RememberedMoment>(*looks.remembered.find(moment));
    out->tensors[0].bytes = nullptr;
    out->tensors[0].hashes = std::make_shared<const std::vector<std::uint64_t>>(std::move(hashes));
    return out;
  };
  const auto a = looks.history.find(first)->snapshot(), b = looks.history.find(second)->snapshot();
  CHECK(compare_bytes(a, with_hash(first, {1, 2, 3}), 0, b, with_hash(second, {1, 2, 3}), 0).result ==
        BytesCompared::Result::same);
  const BytesCompared found = compare_bytes(a, with_hash(first, {1, 2, 3}), 0, b, with_hash(second, {1, 5, 6}), 0);
  CHECK(found.message == "its bytes changed: 2 of 3 blocks of 1 MiB, by their hashes, the first at byte 1 048 576 of its values");
  CHECK(compare_bytes(a, with_hash(first, {}), 0, b, looks.remembered.find(second), 0).result == BytesCompared::Result::unknown);
}

}  // namespace dlscope::app
