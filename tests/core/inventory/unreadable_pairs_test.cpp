#include "core/inventory/unreadable_pairs.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace dlscope::core {
namespace {

struct Scene {
  Snapshot snapshot;
  std::vector<std::uint8_t> is_doubtful, is_compared;
};

Scene random_scene(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Scene scene;
  const std::uint64_t tensors = below(60), reach = 1 + below(400);
  for (std::uint64_t i = 0; i < tensors; ++i) {
    TensorRecord& t = scene.snapshot.tensors.emplace_back();
    t.space = below(6) == 0 ? static_cast<SpaceId>(2) : kHostSpace;
    t.extent.begin = below(1000);
    t.extent.end = t.extent.begin + 1 + below(reach);
    const std::uint64_t kind = below(4);
    scene.is_doubtful.push_back(kind == 0);
    scene.is_compared.push_back(kind == 1 || kind == 2);
  }
  return scene;
}

using Ids = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Ids expected_pairs(const Scene& scene) {
  Ids out;
  const std::vector<TensorRecord>& tensors = scene.snapshot.tensors;
  for (std::uint32_t a = 0; a < tensors.size(); ++a) {
    for (std::uint32_t b = a + 1; b < tensors.size(); ++b) {
      const bool take_part = (scene.is_doubtful[a] != 0 && (scene.is_doubtful[b] != 0 || scene.is_compared[b] != 0)) ||
                             (scene.is_doubtful[b] != 0 && scene.is_compared[a] != 0);
      if (take_part && tensors[a].space == tensors[b].space && tensors[a].extent.meets(tensors[b].extent)) out.emplace_back(a, b);
    }
  }
  return out;
}

Ids ids_of(const UnreadablePairs& found) {
  Ids out;
  for (const SharingPair& pair : found.pairs) {
    out.emplace_back(pair.a, pair.b);
    REQUIRE(pair.relation == Relation::unknown);
    REQUIRE(pair.why == UnknownWhy::unreadable);
    REQUIRE(pair.shared_bytes == kUnknownBytes);
  }
  return out;
}

}  // namespace

TEST_CASE("Pairs with what cannot be read are those that comparing all extents with all gives", "[core][inventory]") {
  std::mt19937_64 random(97);
  std::size_t pairs = 0;
  for (int round = 0; round < 500; ++round) {
    const Scene scene = random_scene(random);
    const Ids expected = expected_pairs(scene);
    const auto find = [&](std::uint64_t most) {
      return pairs_with_unreadable(scene.snapshot, scene.is_doubtful, scene.is_compared, most, {});
    };
    const UnreadablePairs all = find(expected.size());
    REQUIRE(ids_of(all) == expected);
    REQUIRE(all.missing_pairs == UnknownWhy::none);
    pairs += expected.size();
    if (expected.empty()) continue;
    const UnreadablePairs fewer = find(expected.size() - 1);
    REQUIRE(fewer.missing_pairs == UnknownWhy::pair_bound);
    REQUIRE(std::ranges::includes(expected, ids_of(fewer)));
    REQUIRE(fewer.pairs.size() == expected.size() - 1);
    std::stop_source source;
    source.request_stop();
    REQUIRE(pairs_with_unreadable(scene.snapshot, scene.is_doubtful, scene.is_compared, 1'000, source.get_token())
                .missing_pairs == UnknownWhy::stopped);
  }
  CHECK(pairs > 5'000);
}

TEST_CASE("A list of unreadable pairs that is stopped at any time is sorted, and says that it is not complete", "[core][inventory]") {
  Scene scene;
  std::mt19937_64 random(7);
  constexpr std::size_t kTensors = 700;
  for (std::size_t i = 0; i < kTensors; ++i) {
    TensorRecord& t = scene.snapshot.tensors.emplace_back();
    t.space = kHostSpace;
    t.extent.begin = random() % 1000;
    t.extent.end = 2000;
    scene.is_doubtful.push_back(1);
    scene.is_compared.push_back(0);
  }
  std::stop_source before;
  before.request_stop();
  CHECK(pairs_with_unreadable(scene.snapshot, scene.is_doubtful, scene.is_compared, 1'000'000, before.get_token()).missing_pairs ==
        UnknownWhy::stopped);
  for (int round = 0; round < 12; ++round) {
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
      source.request_stop();
    });
    const UnreadablePairs found =
        pairs_with_unreadable(scene.snapshot, scene.is_doubtful, scene.is_compared, 1'000'000, source.get_token());
    stopper.join();
    CHECK(std::ranges::is_sorted(ids_of(found)));
    if (found.missing_pairs == UnknownWhy::none)
      CHECK(found.pairs.size() == kTensors * (kTensors - 1) / 2);
    else
      CHECK(found.missing_pairs == UnknownWhy::stopped);
  }
}

TEST_CASE("Layouts that would take all the work to compare cost nothing where one of them cannot be read", "[core][inventory]") {
  // A comparison would read shapes and strides: these records have none (`dims` is empty).
  Scene scene;
  for (int i = 0; i < 2; ++i) {
    TensorRecord& t = scene.snapshot.tensors.emplace_back();
    t.space = kHostSpace;
    t.rank = 4;
    t.extent = {4096, 8192};
  }
  scene.is_doubtful = {1, 0};
  scene.is_compared = {0, 1};
  CHECK(pairs_with_unreadable(scene.snapshot, scene.is_doubtful, scene.is_compared, 10, {}).pairs.size() == 1);
}

}  // namespace dlscope::core
