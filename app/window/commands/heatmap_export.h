// The heat map as a picture of its own, with a text that describes it. The owner of the window writes it as a PNG file.
// thread: UI.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "app/window/commands/exported_picture.h"

namespace dlscope::app {

struct ApplicationParts;

// Leaves the picture in parts.pictures.heatmap, or says in a notice why there is none.
void export_heatmap(ApplicationParts& parts);

// A figure is the panel as drawn in one frame, with text in place of its controls. This requests it: the next frame draws it, and
// until then parts.pictures.figure has its path and text but no pixels.
void request_figure(ApplicationParts& parts);
// Cuts the requested figure out of that frame (RGBA, upper row first) and ends the request. nullopt, and a notice: the panel was
// not fully in view, or not all of its values had been read.
[[nodiscard]] std::optional<ExportedPicture> crop_figure(ApplicationParts& parts, int width, int height,
                                                       std::span<const std::byte> rgba);

}  // namespace dlscope::app
