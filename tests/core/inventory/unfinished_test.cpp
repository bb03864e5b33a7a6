#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/inventory/relation.h"
#include "core/inventory/snapshot_builder.h"
#include "core/wire/snapshot_codec.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using namespace std::chrono_literals;
using testing::array_desc;

// Tensors of which any two take some hundred milliseconds to compare.
std::vector<TensorDesc> hard_descs(std::int64_t count) {
  std::vector<TensorDesc> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(array_desc(0x100000000 + 4 * static_cast<Address>(i), {20000, 4000}, {4 * (30011 + 2 * i), 4 * (5 + i % 3)}));
  return out;
}

std::shared_ptr<Snapshot> analysed(const std::vector<TensorDesc>& descs, const AnalyseOptions& options) {
  SnapshotBuilder builder;
  builder.info().revision = 7;
  for (std::size_t i = 0; i < descs.size(); ++i) {
    const std::uint32_t id = builder.add_tensor(descs[i], builder.intern("numpy"), builder.intern("numpy.ndarray"),
                                                builder.add_text("t" + std::to_string(i)));
    builder.add_name(id, builder.add_text("again" + std::to_string(i)));
    builder.add_remark(id, RemarkCode::immutable_by_contract, "said after the tensor was added");
  }
  builder.analyse(options);
  return builder.finish();
}

}  // namespace

TEST_CASE("while sharing takes long, what is known is told once: names, remarks and sizes, but no pair and no group",
          "[core][inventory][unfinished]") {
  AnalyseOptions options;
  std::stop_source stop;
  options.sharing.stop = options.sharing.budget.stop = stop.get_token();
  options.unfinished_after = 1ms;
  std::shared_ptr<Snapshot> told;
  int times = 0;
  options.unfinished = [&](std::shared_ptr<Snapshot> found) {
    told = std::move(found);
    ++times;
    stop.request_stop();  // it would take minutes
  };
  const auto whole = analysed(hard_descs(60), options);
  REQUIRE(told);
  CHECK(times == 1);
  CHECK(told->sharing_not_yet());
  CHECK(told->info.open_groups == UnknownWhy::not_yet);
  CHECK(told->info.revision == 7);
  CHECK(told->pairs.empty());
  CHECK(told->groups.empty());
  REQUIRE(told->tensors.size() == 60);
  for (std::size_t i = 0; i < 60; ++i) {
    const TensorRecord &before = told->tensors[i], &after = whole->tensors[i];
    CHECK(told->name(before) == "t" + std::to_string(i));
    CHECK(before.names.count == 2);
    CHECK(told->has_remark(before, RemarkCode::immutable_by_contract));
    CHECK(before.distinct_bytes == after.distinct_bytes);
    CHECK(before.contiguity == after.contiguity);
    CHECK(before.group == kNone32);
  }
  CHECK_FALSE(whole->sharing_not_yet());
  // It can be sent, and a pair of it is unknown or worked out for itself, never "shares nothing".
  std::vector<std::byte> bytes(wire::encoded_size(*told));
  REQUIRE(wire::encode_snapshot(*told, bytes) == bytes.size());
  const auto sent = wire::decode_snapshot(bytes);
  REQUIRE(sent);
  CHECK((*sent)->sharing_not_yet());
}

TEST_CASE("sharing that is known in time is told in one piece, and is the same with and without a listener",
          "[core][inventory][unfinished]") {
  const std::vector<TensorDesc> descs{array_desc(0x10000, {100, 100}, {408, 4}), array_desc(0x10004, {100, 100}, {404, 8})};
  AnalyseOptions options;
  bool told = false;
  options.unfinished = [&](const std::shared_ptr<Snapshot>&) { told = true; };
  options.unfinished_after = 24h;
  const auto heard = analysed(descs, options), alone = analysed(descs, {});
  CHECK_FALSE(told);
  REQUIRE(heard->pairs.size() == alone->pairs.size());
  for (std::size_t i = 0; i < heard->pairs.size(); ++i) CHECK(heard->pairs[i].shared_bytes == alone->pairs[i].shared_bytes);
  CHECK(heard->info.missing_pairs == UnknownWhy::none);
}

TEST_CASE("a listener that fails loses nothing", "[core][inventory][unfinished]") {
  AnalyseOptions options;
  std::stop_source stop;
  options.sharing.stop = options.sharing.budget.stop = stop.get_token();
  options.unfinished_after = 1ms;
  options.unfinished = [&](const std::shared_ptr<Snapshot>&) {
    stop.request_stop();
    throw std::bad_alloc();
  };
  CHECK(analysed(hard_descs(60), options)->tensors.size() == 60);
}

}  // namespace dlscope::core
