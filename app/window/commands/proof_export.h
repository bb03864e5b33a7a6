// The figure of a proof: its caption when the proof is made, and its pixels, cut out of the frame that drew it.
// thread: UI.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "app/window/commands/exported_picture.h"

namespace dlscope::app {

struct ApplicationParts;

// Of a proof that is made now: "tour.py · 2026-11-28 13:40:05 · Python 3.11.7 · dlscope 0.1".
[[nodiscard]] std::string proof_caption(const ApplicationParts& parts);

// Ends the request for the figure (ExchangeState::figure). nullopt, and a notice: that frame did not draw it.
[[nodiscard]] std::optional<ExportedPicture> crop_proof_figure(ApplicationParts& parts, int width, int height,
                                                              std::span<const std::byte> rgba);

}  // namespace dlscope::app
