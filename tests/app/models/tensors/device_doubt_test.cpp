// Who has the addresses of a tensor whose device is contradicted: the answer of the memory map, against a look at every tensor.
#include "app/models/tensors/device_doubt.h"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/inventory/relation.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

std::string quoted(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return "“" + std::string(snapshot.name(tensor)) + "”";
}

std::string sentence_by_looking_at_all(const core::Snapshot& snapshot, std::uint32_t id) {
  const auto is_doubted = [&](const core::TensorRecord& t) { return core::contradiction_about_device(snapshot, t).has_value(); };
  const core::TensorRecord& self = snapshot.tensors[id];
  std::string names, whose = is_doubted(self) ? quoted(snapshot, self) : std::string();
  std::size_t met = 0;
  if (self.extent.empty()) return {};
  for (std::uint32_t other = 0; other < snapshot.tensors.size(); ++other) {
    const core::TensorRecord& tensor = snapshot.tensors[other];
    if (other == id || tensor.space == self.space || tensor.extent.empty() || !tensor.extent.meets(self.extent)) continue;
    if (!is_doubted(self) && !is_doubted(tensor)) continue;
    if (whose.empty()) whose = quoted(snapshot, tensor);
    if (++met > 3) continue;
    names += (met > 1 ? ", " : "") + quoted(snapshot, tensor) + " (" + core::device_name(tensor.device) + ")";
  }
  if (met == 0) return {};
  if (met > 3) names += " and " + std::to_string(met - 3) + " more";
  return "Whether it shares bytes with " + names + " is unknown: they have the same addresses, and on which device " + whose +
         " lies is contradicted.";
}

}  // namespace

TEST_CASE("whom a tensor meets elsewhere is found by the map as by a look at every tensor", "[app][models]") {
  const core::Remark lie{core::RemarkCode::device_mismatch, "described as another device"};
  std::mt19937 random(7);
  std::size_t said = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<tests::SampleTensor> tensors;
    for (int i = 0; i < 40; ++i) {
      tests::SampleTensor one{.name = "t" + std::to_string(i), .address = 0x558120000000 + random() % 64 * 32, .shape = {}};
      one.shape = {static_cast<std::int64_t>(random() % 30)};
      if (random() % 3 != 0) one.device = {2, static_cast<std::int32_t>(random() % 2)};
      if (random() % 8 == 0) one.remarks = {lie};
      tensors.push_back(std::move(one));
    }
    if (round % 4 == 0) {  // deeper than the map draws
      for (int i = 0; i < 20; ++i)
        tensors.push_back({.name = "deep" + std::to_string(i), .address = 0x558120000100, .shape = {50}});
    }
    GroupColours colours;
    const IndexPtr index = build_index(tests::snapshot_of(tensors), colours);
    for (std::uint32_t id = 0; id < index->size(); ++id) {
      const std::string sentence = meets_elsewhere_sentence(*index, id, "it");
      CHECK(sentence == sentence_by_looking_at_all(*index->snapshot, id));
      said += sentence.empty() ? 0 : 1;
    }
  }
  CHECK(said > 100);
}

}  // namespace dlscope::app
