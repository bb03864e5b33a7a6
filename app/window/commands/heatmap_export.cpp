#include "app/window/commands/heatmap_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_image.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/heatmap/reversed_axes.h"
#include "app/models/text/format.h"
#include "app/models/text/time_stamp.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/window/application_parts.h"
#include "core/base/build_id.h"

namespace dlscope::app {
namespace {

// "" when the pixels painted last are of this tensor and show all that is known of it now; else why there is nothing to export.
std::string why_not_painted(const HeatmapPanelState& heatmap, const std::string& name, ApplicationParts& parts) {
  const SnapshotViews& views = parts.tensors.views;
  const bool of_this = heatmap.generation == views.generation() && heatmap.tensor == views.selection().selected() &&
                       heatmap.field == parts.tensors.values().field;
  const bool painted = of_this && heatmap.painted.width > 0 && heatmap.painted.revision == shown_heatmap(parts).revision();
  return painted ? "" : fmt::format("The heat map of {} is not in view: bring it to the front and export it then.", name);
}

std::string colour_text(const HeatmapPanelState& heatmap, core::DType dtype) {
  const HeatmapColours& colours = heatmap.shown_colours();
  const std::string number = texel_number_name(colours.number);
  if (static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::bool_)
    return fmt::format("Each point: {}. Two colours, for False and True.\n", number);
  if (shown_map(heatmap, dtype) == ColourMap::categories)
    return fmt::format("Colours: categories, by the remainder of a value by {}; grey where a point stands for several.\n", kCategoryColours);
  const ColourScale scale(heatmap.range.low, heatmap.range.high, colours.stretch);
  const std::vector<std::string> numbers = colour_numbers(scale, dtype);
  const std::string middle = colours.stretch == ColourStretch::linear ? "" : fmt::format(" with {} in the middle", numbers[1]);
  return fmt::format("Each point: {}. Colours: {}, {}, {} to {}{}.\n", number, colour_map_name(colours.map),
                     colour_stretch_name(colours.stretch), numbers[0], numbers[2], middle);
}

// "Channels of axis 2: R, G, B. 0 to 255 is black to white; each dot the mean of 2 × 2 pixels."
std::string image_text(const HeatmapPanelState& heatmap, std::int64_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  std::string text = fmt::format("Channels of axis {}:", *heatmap.axes.channel);
  for (std::size_t c = 0; c < count; ++c) text += fmt::format("{} {}", c == 0 ? "" : ",", channel_name(count, c, heatmap.order));
  if (has_alpha(count)) text += heatmap.alpha ? " over light and dark squares" : ", which is left out";
  text += ". " + heatmap.scale_message;
  const std::string dot = dot_text(heatmap.view.level);
  return text + (dot.empty() ? "" : "; " + dot) + ".\n";
}

std::string description(const HeatmapPanelState& heatmap, const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const core::CellWindow seen = seen_cells(heatmap.camera);
  const core::CellCounts cells = heatmap.camera.cells();
  std::string text = fmt::format("Heat map of {}{}, {}, shape {}.\n", heatmap.name, cells_text(heatmap.axes),
                                 snapshot.dtype_name(tensor), tuple_text(snapshot.shape(tensor)));
  const core::LayoutView layout = snapshot.layout(tensor);
  const auto row = [&](std::int64_t cell) { return number_of_line(layout, heatmap.axes, heatmap.axes.down, cell); };
  const auto column = [&](std::int64_t cell) { return number_of_line(layout, heatmap.axes, heatmap.axes.across, cell); };
  text += fmt::format("Rows {} to {} of {}, columns {} to {} of {}.\n", row(seen.row), row(seen.row + seen.rows - 1), cells.rows,
                      column(seen.column), column(seen.column + seen.columns - 1), cells.columns);
  text += heatmap.axes.channel ? image_text(heatmap, snapshot.shape(tensor)[*heatmap.axes.channel])
                               : colour_text(heatmap, heatmap.dtype);
  return heatmap.said.empty() ? text : text + heatmap.said + "\n";
}

// The selected tensor, or its field, where the heat map shows it; null: a notice says why not.
const core::TensorRecord* exported_tensor(ApplicationParts& parts) {
  const ShownValues& shown = parts.tensors.values();
  if (shown.snapshot() == nullptr) return nullptr;
  const core::TensorRecord& tensor = shown.record();
  const std::string why = why_not_painted(parts.panels.heatmap, std::string(shown.snapshot()->name(tensor)), parts);
  if (!why.empty()) parts.notices.add(Tone::warn, why);
  return why.empty() ? &tensor : nullptr;
}

std::vector<std::pair<std::string, std::string>> file_text(ApplicationParts& parts, const core::TensorRecord& tensor) {
  const core::Snapshot& snapshot = *parts.tensors.values().snapshot();
  const HeatmapPanelState& heatmap = parts.panels.heatmap;
  std::string text = description(heatmap, snapshot, tensor);
  if (const std::string moment = moment_description(moment_of(parts)); !moment.empty())  // "as of run 3"
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(moment[0]))) + moment.substr(1) + ".\n";
  return {{"Title", std::string(snapshot.name(tensor)) + cells_text(heatmap.axes)},
          {"Description", std::move(text)},
          {"Software", std::string("dlscope ") + core::version()}};
}

// The text above the picture: first the tensor, then the rest of the description as one paragraph. The line about what it was
// computed on is left out: it stands below the picture, as in the panel.
std::vector<std::string> title_of(const HeatmapPanelState& heatmap, const std::string& description) {
  std::vector<std::string> title(2);
  for (std::size_t begin = 0; begin < description.size();) {
    const std::size_t end = std::min(description.find('\n', begin), description.size());
    const std::string line = description.substr(begin, end - begin);
    if (begin == 0)
      title[0] = line;
    else if (line != heatmap.said)
      title[1] += (title[1].empty() ? "" : " ") + line;
    begin = end + 1;
  }
  return title;
}

}  // namespace

void request_figure(ApplicationParts& parts) {
  const core::TensorRecord* const tensor = exported_tensor(parts);
  if (tensor == nullptr) return;
  HeatmapPanelState& heatmap = parts.panels.heatmap;
  parts.pictures.figure = ExportedPicture{time_stamped("heatmap-", ".png"), 0, 0, {}, file_text(parts, *tensor)};
  heatmap.figure = {.wanted = true, .title = title_of(heatmap, parts.pictures.figure->text[1].second), .from = {}, .to = {}};
}

std::optional<ExportedPicture> crop_figure(ApplicationParts& parts, int width, int height, std::span<const std::byte> rgba) {
  std::optional<ExportedPicture> figure = std::exchange(parts.pictures.figure, std::nullopt);
  HeatmapPanelState& heatmap = parts.panels.heatmap;
  const HeatmapPanelState::Figure drawn = std::exchange(heatmap.figure, {});
  const FrameArea area{drawn.from.x, drawn.from.y, drawn.to.x, drawn.to.y};
  if (!figure || !heatmap.known.is_covered() || !cut_out(*figure, area, width, height, rgba)) {
    if (figure) parts.notices.add(Tone::warn, "The heat map was not all in view and read in that frame: export it again.");
    return std::nullopt;
  }
  return figure;
}

void export_heatmap(ApplicationParts& parts) {
  const core::TensorRecord* const tensor = exported_tensor(parts);
  if (tensor == nullptr) return;
  const HeatmapPanelState& heatmap = parts.panels.heatmap;
  ExportedPicture picture{time_stamped("heatmap-", ".png"), heatmap.painted.width, heatmap.painted.height, {}, {}};
  picture.rgba.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * sizeof(std::uint32_t));
  std::byte* to = picture.rgba.data();
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x, to += sizeof(std::uint32_t)) {
      const std::uint32_t pixel = heatmap.texture.pixel(x, y);
      std::memcpy(to, &pixel, sizeof pixel);
    }
  }
  picture.text = file_text(parts, *tensor);
  parts.pictures.heatmap = std::move(picture);
}

}  // namespace dlscope::app
