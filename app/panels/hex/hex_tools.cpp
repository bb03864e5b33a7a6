#include "app/panels/hex/hex_tools.h"

#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/focus/focus_text.h"
#include "app/models/hex/hex_destination.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/text/format.h"
#include "app/panels/hex/hex_find.h"
#include "app/panels/hex/hex_table.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kScopes[] = {"the tensor", "its group", "all memory"};
constexpr const char* kWidths[] = {"fitting", "8 bytes", "16 bytes", "32 bytes"};

float choice_width(const char* longest) {
  return ImGui::CalcTextSize(longest).x + ImGui::GetFrameHeight() + ImGui::GetFontSize();
}

// Going to an address outside of the rows widens the shown memory.
void widen_for(const FrameContext& context, HexPanelState& state, core::Address at) {
  if (state.rows.contains(at)) return;
  const core::TensorRecord* tensor = shown_tensor(context);
  const bool in_group =
      tensor != nullptr && tensor->group != core::kNone32 && context.index->snapshot->group_range(*tensor).contains(at);
  state.scope = in_group ? HexScope::group : HexScope::everything;
}

void go_there(const FrameContext& context, HexPanelState& state, Commands& commands) {
  const HexDestination to = hex_destination(context.index, context.selected, state.go_to_text);
  state.go_to_problem = to.problem;
  state.go_to_open = state.go_to_focus = !to.problem.empty();
  if (!to.problem.empty()) return;
  state.cursor = to.address;
  state.selection.reset();
  if (to.tensor != core::kNone32 && to.tensor != context.selected) {  // selecting it brings its rows and its element into view
    return commands.push(command::Pin{focus_at(*context.index, to.tensor, to.address)});
  }
  go_to_address(context, state, to.address, commands);
}

void take_copy(HexPanelState& state, const HexAnswer& answer, bool kept) {
  const std::uint64_t more = answer.task.last - answer.task.first;  // bytes after the first one
  if (answer.copied == 0) {
    state.said = kept ? "Nothing was copied: these bytes were not kept." : "Nothing was copied: these bytes cannot be read.";
    return;
  }
  ImGui::SetClipboardText(answer.text.c_str());
  state.said = fmt::format("Copied {} as {}.{}", counted(answer.copied, "byte", "bytes"), byte_format_name(answer.task.format),
                           kept ? " They are the last known ones." : "");
  if (answer.copied - 1 < more)
    state.said += answer.copied == kMaxBytesCopied ? " That is the most that is copied at once."
                  : kept                           ? " The next one was not kept."
                                                   : " The next one cannot be read.";
}

// What is shown is copied: the kept bytes at once, those in memory by a worker.
void ask_copy(HexPanelState& state, ByteFormat format, Commands& commands) {
  const HexSelection range = state.selection.value_or(HexSelection{state.cursor, state.cursor});
  state.copy_format = format;
  HexTask task{.number = ++state.task_number, .search = {}, .subject = {}};
  task.first = range.first();
  task.last = range.last();
  task.format = format;
  if (!state.shows_kept) return commands.push(command::WorkOnBytes{std::move(task)});
  const auto kept = [&](core::Address from, std::span<std::byte> out) { return state.kept.copy_from(from, out); };
  take_copy(state, copy_bytes(task, kept), true);
}

}  // namespace

void go_to_address(const FrameContext& context, HexPanelState& state, core::Address at, Commands& commands) {
  state.selection.reset();
  widen_for(context, state, at);
  state.rows.first = std::min(state.rows.first, at);  // until the rows are made for the wider range
  state.rows.last = std::max(state.rows.last, at);
  put_cursor(context, state, at, commands);
}

void draw_hex_tools(const FrameContext& context, HexPanelState& state, bool has_tensor) {
  if (has_tensor) {
    int scope = static_cast<int>(state.scope);
    ImGui::SetNextItemWidth(choice_width(kScopes[2]));
    if (ImGui::Combo("##scope", &scope, kScopes, IM_ARRAYSIZE(kScopes))) state.scope = static_cast<HexScope>(scope);
    explain("How far the rows go: the bytes of the tensor, of all tensors that share memory with it, or every address.");
    same_line_for(choice_width(kWidths[0]));
  }
  int width = 0;
  for (unsigned i = 0; i < std::size(kHexWidths); ++i)
    width = kHexWidths[i] == state.chosen_width ? static_cast<int>(i) + 1 : width;
  ImGui::SetNextItemWidth(choice_width(kWidths[3]));
  if (ImGui::Combo("##width", &width, kWidths, IM_ARRAYSIZE(kWidths)))
    state.chosen_width = width == 0 ? 0 : kHexWidths[width - 1];
  explain("Bytes in a row. Fitting: as many as fit.");
  same_line_for(button_width("Go to"));
  if (ImGui::Button("Go to")) open_hex_go_to(state);
  explain([&] { return with_keys(context.keys, ActionId::hex_go_to, "an address, an element, or one of them and a distance."); });
  same_line_for(button_width("Find"));
  if (ImGui::Button("Find")) state.find_open = state.find_focus = true;
  explain([&] { return with_keys(context.keys, ActionId::hex_find, "bytes, text, or a value of any dtype."); });
  same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize("as values").x);
  ImGui::Checkbox("as values", &state.shows_card);
  explain("What the bytes at the cursor would be in every dtype.");
}

void open_hex_go_to(HexPanelState& state) {
  state.go_to_open = state.go_to_focus = true;
  state.go_to_problem.clear();
}

void draw_hex_go_to(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!state.go_to_open) return;
  ImGui::SetNextItemWidth(std::min(ImGui::GetFontSize() * 18, ImGui::GetContentRegionAvail().x));
  if (state.go_to_focus) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputTextWithHint("##go to", "0x5581…   or   x[3, 7]   or   x + 0x40", &state.go_to_text,
                                                ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = !state.go_to_focus && ImGui::IsItemDeactivated();
  state.go_to_focus = false;
  if (entered)
    go_there(context, state, commands);
  else if (left)
    state.go_to_open = false;
  if (state.go_to_open && !state.go_to_problem.empty()) draw_wrapped_text(state.go_to_problem, context.theme.warn);
}

void carry_out_hex_actions(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (context.asked(ActionId::hex_go_to)) open_hex_go_to(state);
  if (context.asked(ActionId::hex_find)) state.find_open = state.find_focus = true;
  if (context.asked(ActionId::hex_find_next)) find_next(context, state, true, commands);
  if (context.asked(ActionId::hex_find_previous)) find_next(context, state, false, commands);
  if (context.asked(ActionId::hex_copy)) ask_copy(state, state.copy_format, commands);
  if (context.asked(ActionId::hex_select_all)) state.selection = HexSelection{state.rows.first, state.rows.last};
  if (!context.asked(ActionId::deselect)) return;
  state.selection.reset();
  state.find_open = false;
}

void take_hex_answers(const FrameContext& context, HexPanelState& state, Commands& commands) {
  for (HexAnswer& answer : std::exchange(state.answers, {})) {
    if (answer.nobody) {
      state.searching = false;
      state.said = "There is no process to read from.";
    } else if (answer.task.search) {
      take_search(context, state, answer, commands);
    } else {
      take_copy(state, answer, false);
    }
  }
}

void draw_hex_menu(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!ImGui::BeginPopup("byte menu")) return;
  const auto size = state.selection.value_or(HexSelection{state.cursor, state.cursor}).size();
  const std::string what = size ? counted(*size, "byte", "bytes") : std::string("all bytes");
  for (const ByteFormat format : kByteFormats) {
    if (ImGui::MenuItem(fmt::format("Copy {} as {}", what, byte_format_name(format)).c_str())) ask_copy(state, format, commands);
  }
  if (ImGui::MenuItem("Copy the address")) ImGui::SetClipboardText(plain_address(state.cursor).c_str());
  ImGui::Separator();
  const ByteOwner owner = owner_at_cursor(context, state);
  const bool is_other = owner.kind == ByteOwner::Kind::element && owner.tensor != context.selected;
  if (ImGui::MenuItem("Select the tensor of this byte", nullptr, false, is_other))
    commands.push(command::Pin{focus_on_owner(*context.index, owner)});
  if (ImGui::MenuItem("Select all")) state.selection = HexSelection{state.rows.first, state.rows.last};
  ImGui::EndPopup();
}

}  // namespace dlscope::app
