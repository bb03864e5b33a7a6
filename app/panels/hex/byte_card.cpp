#include "app/panels/hex/byte_card.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/text/format.h"
#include "app/panels/hex/hex_table.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

constexpr float kStaleHatch = 0.35F;  // pale, so that the values below stay readable

// The known bytes from the cursor on: from the rows on the screen, else read.
HexPanelState::CardKey bytes_at_cursor(const FrameContext& context, const HexPanelState& state) {
  HexPanelState::CardKey key{.known = 0, .order = state.order};
  key.known = state.bytes.copy_from(state.cursor, key.bytes);
  if (key.known == kMaxDecoded || state.shows_kept || context.reader == nullptr) return key;
  const std::size_t room =
      static_cast<std::size_t>(std::min<std::uint64_t>(~core::Address{0} - state.cursor, kMaxDecoded - 1)) + 1;
  key.known = std::max(key.known, context.reader->read(state.cursor, std::span(key.bytes).first(room)));
  std::ranges::fill(std::span(key.bytes).subspan(key.known), std::byte{0});
  return key;
}

// What the bytes at the cursor are, where they may not be what is at the owner's address at this moment: "then", "present bytes".
// "": they are known to be the owner's, or nobody's.
const char* doubt_about(const FrameContext& context, HexPanelState& state) {
  if (context.index == nullptr) return "";
  if (state.shows_kept) return "then";
  const ByteOwner& owner = owner_at_cursor(context, state);
  const bool anothers = owner.kind == ByteOwner::Kind::element && !context.bytes_are_its_own(owner.tensor);
  return anothers ? "present bytes" : "";
}

void draw_doubt(const FrameContext& context, const HexPanelState& state) {
  if (*state.card_doubt == '\0') return;
  draw_text(state.card_doubt, context.theme.warn);
  if (state.shows_kept)
    explain("These values are of bytes that were last known to be the tensor's own.");
  else
    explain("Code has run since the tensor was described: other data, of another type, may be at its address now.");
}

void draw_place(const FrameContext& context, HexPanelState& state) {
  state.label.clear();
  append_grouped_address(state.label, state.cursor);
  draw_text(state.label, context.theme.text);
  if (context.index == nullptr) return;
  const ByteOwner owner = owner_at_cursor(context, state);
  const std::string& place = state.place.get({context.generation, owner, state.cursor},
                                             [&](std::string& out) { out = owner_text(*context.index, owner, state.cursor); });
  draw_wrapped_text(place, context.theme.dim);
}

void draw_order(HexPanelState& state) {
  bool big = state.order == ByteOrder::big;
  if (ImGui::Checkbox("big-endian", &big)) state.order = big ? ByteOrder::big : ByteOrder::little;
  explain("Read the bytes most significant first. Off: least significant first, as this machine stores numbers.");
}

void draw_decoded(const FrameContext& context, const DecodedBytes& row, bool doubtful, bool hatched) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_text(row.name, context.theme.dim);
  ImGui::TableNextColumn();
  if (!row.complete) return draw_text(row.value, context.theme.dim);
  if (hatched) {
    const ImVec2 from = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(row.value.c_str());
    ImVec4 colour = context.theme.unknown;
    colour.w *= kStaleHatch;
    hatch(ImGui::GetWindowDrawList(), from, {from.x + size.x, from.y + size.y}, ImGui::GetColorU32(colour), context.px(8));
  }
  draw_text(row.value, doubtful ? context.theme.dim : value_colour(context.theme, row.value_class));
  explain(std::string_view(row.bits));
  ImGui::TableNextColumn();
  if (row.parts.empty()) return;
  draw_text(row.bits, doubtful ? context.theme.dim : context.theme.text);
  explain([&] { return row.widths + "\n" + row.parts; });
  draw_text(row.parts, context.theme.dim);
}

}  // namespace

void draw_byte_card(const FrameContext& context, HexPanelState& state) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_place(context, state);
  ImGui::PopFont();
  state.card_doubt = doubt_about(context, state);
  draw_doubt(context, state);
  const HexPanelState::CardKey key = bytes_at_cursor(context, state);
  draw_order(state);
  ImGui::SameLine();
  if (key.known > 0)
    draw_text(LineText("{}   {:08b}", character_text(key.bytes[0]), std::to_integer<unsigned>(key.bytes[0])), context.theme.dim);
  else
    draw_text("These bytes are not known.", context.theme.unknown);
  explain("The byte at the cursor as a character and as bits.");
  const auto& decoded = state.decoded.get(
      key, [&](std::vector<DecodedBytes>& out) { decode_bytes(std::span(key.bytes).first(key.known), key.order, out); });
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const auto flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX;
  if (ImGui::BeginTable("decoded", 3, flags, ImGui::GetContentRegionAvail())) {
    const bool doubtful = *state.card_doubt != '\0';
    for (const DecodedBytes& row : decoded) draw_decoded(context, row, doubtful, doubtful && !state.shows_kept);
    ImGui::EndTable();
  }
  ImGui::PopFont();
}

}  // namespace dlscope::app
