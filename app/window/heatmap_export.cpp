#include "app/window/heatmap_export.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_image.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/text/format.h"
#include "app/models/text/time_stamp.h"
#include "app/window/application_parts.h"
#include "core/base/build_id.h"

namespace dlscope::app {
namespace {

// Of the pixels that were painted last: of this tensor, and of what is known of it now.
std::string why_not_painted(const HeatmapPanelState& heatmap, const std::string& name, const ApplicationParts& parts) {
  const bool of_this = heatmap.generation == parts.views.generation() && heatmap.tensor == parts.views.selection().selected();
  const bool painted = of_this && heatmap.painted.width > 0 && heatmap.painted.revision == parts.heatmap.store().revision();
  return painted ? "" : fmt::format("The heat map of {} is not in view: bring it to the front and export it then.", name);
}

std::string colour_text(const HeatmapPanelState& heatmap, core::DType dtype) {
  const HeatmapColours& colours = heatmap.shown_colours();
  const std::string number = texel_number_name(colours.number), low = short_number(heatmap.range.low),
                    high = short_number(heatmap.range.high);
  if (static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::bool_)
    return fmt::format("Each point: {}. Two colours, for False and True.\n", number);
  return fmt::format("Each point: {}. Colours: {}, {}, {} to {}.\n", number, colour_map_name(colours.map),
                     colour_stretch_name(colours.stretch), low, high);
}

// "Channels of axis 2: R, G, B. 0 to 255 is black to white; each dot the mean of 2 × 2 pixels."
std::string image_text(const HeatmapPanelState& heatmap, std::int64_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  std::string text = fmt::format("Channels of axis {}:", *heatmap.axes.channel);
  for (std::size_t c = 0; c < count; ++c) text += fmt::format("{} {}", c == 0 ? "" : ",", channel_name(count, c, heatmap.order));
  if (has_alpha(count)) text += heatmap.alpha ? " over light and dark squares" : ", which is left out";
  text += ". " + heatmap.scale_said;
  const std::string dot = dot_text(heatmap.view.level);
  return text + (dot.empty() ? "" : "; " + dot) + ".\n";
}

std::string description(const HeatmapPanelState& heatmap, const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const core::CellWindow seen = seen_cells(heatmap.camera);
  const core::CellCounts cells = heatmap.camera.cells();
  std::string text = fmt::format("Heat map of {}{}, {}, shape {}.\n", heatmap.name, cells_text(heatmap.axes),
                                 snapshot.dtype_name(tensor), tuple_text(snapshot.shape(tensor)));
  text += fmt::format("Rows {} to {} of {}, columns {} to {} of {}.\n", seen.row, seen.row + seen.rows - 1, cells.rows,
                      seen.column, seen.column + seen.columns - 1, cells.columns);
  text += heatmap.axes.channel ? image_text(heatmap, snapshot.shape(tensor)[*heatmap.axes.channel])
                               : colour_text(heatmap, tensor.dtype);
  return heatmap.said.empty() ? text : text + heatmap.said + "\n";
}

}  // namespace

void export_heatmap(ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const std::uint32_t id = parts.views.selection().selected();
  if (!index || id >= index->size()) return;
  const HeatmapPanelState& heatmap = parts.panels.heatmap;
  const core::TensorRecord& tensor = index->tensor(id);
  const std::string name(index->snapshot->name(tensor));
  if (const std::string why = why_not_painted(heatmap, name, parts); !why.empty()) return parts.notices.add(Tone::warn, why);
  HeatmapPicture picture{time_stamped("heatmap-", ".png"), heatmap.painted.width, heatmap.painted.height, {}, {}};
  picture.rgba.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * sizeof(std::uint32_t));
  std::byte* to = picture.rgba.data();
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x, to += sizeof(std::uint32_t)) {
      const std::uint32_t pixel = heatmap.texture.pixel(x, y);
      std::memcpy(to, &pixel, sizeof pixel);
    }
  }
  picture.text = {{"Title", name + cells_text(heatmap.axes)},
                  {"Description", description(heatmap, *index->snapshot, tensor)},
                  {"Software", std::string("dlscope ") + core::version()}};
  parts.heatmap_picture = std::move(picture);
}

}  // namespace dlscope::app
