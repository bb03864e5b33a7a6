// What the stories of the table share: the selected tensor's name, waiting for the worker's rows, the tensors of a small model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {

inline std::string name_of(app::Application& app, std::uint32_t id) {
  return id == core::kNone32 ? std::string("nothing") : std::string(app.index()->snapshot->name(app.index()->tensor(id)));
}

inline std::string selected(Story& story) { return name_of(story.app(), story.app().selected()); }

// Waits until the worker's rows are on the screen.
inline void settle(Story& story) {
  story.frames(2);
  story.app().finish_background_work();
  story.frames(2);
}

// The tensors of a small model, as a scan names them; the output layer's weight is the embedding's.
inline core::SnapshotPtr model_snapshot() {
  std::vector<SampleTensor> out;
  core::Address at = 0x7f0000000000;
  const auto add = [&](std::string name, std::vector<std::int64_t> shape, std::vector<std::string> more = {}) {
    std::uint64_t bytes = 4;
    for (const std::int64_t n : shape) bytes *= static_cast<std::uint64_t>(n);
    out.push_back({.name = std::move(name), .library = "torch", .type = "torch.nn.parameter.Parameter", .address = at,
                   .shape = std::move(shape), .more_names = std::move(more)});
    at += (bytes + 4095) / 4096 * 4096;
  };
  add("net.embed.weight", {1000, 128}, {"net.head.weight"});
  for (int i = 0; i < 4; ++i) {
    const std::string layer = "net.encoder.layers[" + std::to_string(i) + "].";
    add(layer + "self_attn.in_proj_weight", {384, 128});
    add(layer + "self_attn.in_proj_bias", {384});
    add(layer + "norm1.weight", {128});
    add(layer + "norm1.bias", {128});
  }
  return snapshot_of(out);
}

}  // namespace dlscope::tests
