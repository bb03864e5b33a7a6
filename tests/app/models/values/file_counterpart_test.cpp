// Which tensor of a file belongs to a live one.
#include "app/models/values/file_counterpart.h"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

std::string counterpart(const char* live, const std::vector<std::string>& names) {
  static const float kValue = 0;
  std::vector<tests::LocalTensor> tensors;
  for (const std::string& name : names)
    tensors.push_back({name.c_str(), &kValue, *core::dtype_from_name("float32"), core::Layout::c_order({1}, 32)});
  const core::SnapshotPtr file = tests::local_tensors(tensors);
  const std::uint32_t found = counterpart_in_file(live, *file);
  return found == core::kNone32 ? "" : std::string(file->name(file->tensors[found]));
}

}  // namespace

TEST_CASE("a live tensor's counterpart has its name or the end of it, the longest that there is", "[models][compare]") {
  CHECK(counterpart("w", {"b", "w"}) == "w");
  CHECK(counterpart("model.fc.weight", {"weight", "fc.weight", "fc.bias"}) == "fc.weight");
  CHECK(counterpart("model.layers[0].weight", {"layers.1.weight", "layers.0.weight"}) == "layers.0.weight");
  CHECK(counterpart("state['layers.0.weight']", {"layers.1.weight", "layers.0.weight"}) == "layers.0.weight");
  CHECK(counterpart("params['dense']['kernel']", {"dense.kernel", "kernel"}) == "dense.kernel");
  CHECK(counterpart("d['a']", {"d['a']", "a"}) == "d['a']");
  CHECK(counterpart("fc.weights", {"weight", "fc.weight"}).empty());
  CHECK(counterpart("", {"weight", "bias"}).empty());
  CHECK(counterpart("w", {}).empty());
}

TEST_CASE("a file's only tensor is compared with any", "[models][compare]") {
  CHECK(counterpart("y", {"expected"}) == "expected");
}

TEST_CASE("what has become of a file is said with what it means for the values", "[models][compare]") {
  using core::SinceOpened;
  CHECK(since_opened_text("/a/w.npy", SinceOpened::unchanged, false).empty());
  CHECK(since_opened_text("/a/w.npy", SinceOpened::changed, false) ==
        "w.npy was changed after it was opened: what was compared may be from before and after the change.");
  CHECK(since_opened_text("w.npz", SinceOpened::shortened, true) ==
        "w.npz became shorter after it was opened: compared are the values that were unpacked then.");
}

}  // namespace dlscope::app
