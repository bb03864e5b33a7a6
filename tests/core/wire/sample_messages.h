// A message of every kind and with every kind of content, as both sides send them: for tests of what reads them.
#pragma once

#include <vector>

#include "core/wire/messages.h"

namespace dlscope::core::wire {

[[nodiscard]] Run sample_run();
[[nodiscard]] RunFinished sample_finish();
[[nodiscard]] Proof sample_proof();
[[nodiscard]] HandedOver sample_hand_over();
[[nodiscard]] Statistics some_statistics();
[[nodiscard]] Texels some_texels();
[[nodiscard]] const Comparison& sample_comparison();

[[nodiscard]] std::vector<ToHost> all_to_host();
[[nodiscard]] std::vector<ToViewer> all_to_viewer();

}  // namespace dlscope::core::wire
