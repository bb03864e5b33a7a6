#include "embed/host/snapshot_publisher.h"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/wire/snapshot_codec.h"

namespace dlscope::embed {
namespace {

using namespace core::wire;

core::SnapshotPtr snapshot_with(std::size_t tensors, std::size_t pairs = 0) {
  auto snapshot = std::make_shared<core::Snapshot>();
  snapshot->tensors.resize(tensors);
  snapshot->pairs.resize(pairs);
  return snapshot;
}

struct Published {
  std::unique_ptr<Region> region = Region::create(1).value();  // the smallest there is
  std::vector<core::SnapshotPtr> kept;
  std::vector<ToViewer> sent;
  std::vector<std::size_t> kept_when_sent;
  SnapshotPublisher publisher{*region,
                              [this](const ToViewer& message, WhenFull) {
                                sent.push_back(message);
                                kept_when_sent.push_back(kept.size());
                                return true;
                              },
                              [this](const core::SnapshotPtr& snapshot) { kept.push_back(snapshot); }};
  std::size_t room = region->begin_snapshot().size();
};

TEST_CASE("a published snapshot can be read under the number that the viewer is told, and is kept before", "[host][publish]") {
  Published published;
  const core::SnapshotPtr first = snapshot_with(1), second = snapshot_with(2);
  REQUIRE(published.publisher.publish(first, {.sequence = 0, .run = 7, .scanned = core::Scanned::end}));
  REQUIRE(published.publisher.publish(second, {.sequence = 0, .run = 7, .scanned = core::Scanned::end}));
  REQUIRE(published.sent.size() == 2);
  CHECK(published.kept_when_sent == std::vector<std::size_t>{1, 2});
  const auto& ready = std::get<SnapshotReady>(published.sent[1]);
  CHECK(ready.run == 7);
  const auto bytes = published.region->take_snapshot(ready.sequence);
  REQUIRE(bytes);
  CHECK(bytes->size() == encoded_size(*second));
}

TEST_CASE("of a snapshot that does not fit the pairs are cut, and the whole of it is kept", "[host][publish]") {
  Published published;
  const std::size_t too_many = published.room / sizeof(core::PairRecord) + 1;
  const core::SnapshotPtr snapshot = snapshot_with(1, too_many);
  REQUIRE(published.publisher.publish(snapshot, {}));
  const auto bytes = published.region->take_snapshot(std::get<SnapshotReady>(published.sent.at(0)).sequence);
  REQUIRE(bytes);
  CHECK(bytes->size() <= published.room);
  CHECK(published.kept.at(0)->pairs.size() == too_many);
}

TEST_CASE("tensors that do not fit are not published, and the user is told", "[host][publish]") {
  Published published;
  CHECK_FALSE(published.publisher.publish(snapshot_with(published.room / sizeof(core::TensorRecord) + 1), {}));
  CHECK(published.kept.empty());
  REQUIRE(published.sent.size() == 1);
  CHECK(std::get<Notice>(published.sent[0]).text.contains("do not fit into the memory shared with the viewer"));
  REQUIRE(published.publisher.publish(snapshot_with(1), {}));  // the room is still there
}

}  // namespace
}  // namespace dlscope::embed
