#include "app/panels/hex/hex_edit.h"

#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/hex/hex_table.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/elements/element_bytes.h"
#include "core/inventory/write_permission.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 32;
constexpr const char* kDisarmed = "Writes are disarmed. ";

const core::TensorRecord& armed_record(const FrameContext& context) { return context.index->tensor(context.selected); }

std::string armed_name(const HexPanelState& state) { return shortened_name(state.edit.armed->name, kNameLength); }

// Of the armed tensor, or of its field that is shown.
std::string shown_name(const FrameContext& context) {
  return std::string(context.values.snapshot()->name(context.values.record()));
}

void arm(const FrameContext& context, HexPanelState& state) {
  state.edit.problem = why_not_armed(*context.index, context.selected, context.moment);
  state.edit.nibble.reset();
  if (state.edit.problem.empty() && context.reader == nullptr) state.edit.problem = "There is no process to write into.";
  if (!state.edit.problem.empty()) return;
  state.edit.armed = armed_tensor(*context.index, context.selected, context.moment);
  state.said = core::write_warning(*context.index->snapshot, context.selected);
}

void disarm(HexPanelState& state, std::string why) {
  state.edit.armed.reset();
  state.edit.nibble.reset();
  state.edit.edits.clear();  // other data may be there by now
  state.edit.awaited = 0;
  state.edit.problem = std::move(why);
}

// The element that contains the byte at the cursor; nullopt, with a message: none of the armed tensor's.
std::optional<std::uint64_t> element_at_cursor(const FrameContext& context, HexPanelState& state) {
  const ByteElements at = elements_at(*context.index, context.selected, state.cursor);
  if (!armed_record(context).extent.contains(state.cursor) || !at.first) {
    state.edit.problem = at.decided ? fmt::format("The byte at the cursor is not part of an element of {}.", armed_name(state))
                                    : "Which element this byte belongs to could not be determined.";
    return std::nullopt;
  }
  return at.first;
}

void ask_write(const FrameContext& context, HexPanelState& state, ByteEdit edit, EditKind kind, Commands& commands) {
  state.edit.problem.clear();
  if (edit.before == edit.after) {
    state.said = "Not written: it already has this value: " + edit.place + ".";
    return;
  }
  ++state.edit.awaited;
  commands.push(command::WriteBytes{{context.selected, kind, std::move(edit)}});
}

void write_byte(const FrameContext& context, HexPanelState& state, std::byte value, Commands& commands) {
  if (!element_at_cursor(context, state)) return;
  std::byte before{};
  if (state.bytes.copy_from(state.cursor, {&before, 1}) != 1) {
    state.edit.problem = "The byte at the cursor is not known, so it is not changed.";
    return;
  }
  ask_write(context, state, {state.edit.armed->name, "byte " + grouped_address(state.cursor), state.cursor, {before}, {value}},
            EditKind::typed, commands);
  const core::Address next = stepped(state.rows, state.cursor, HexStep::right, 1);
  put_cursor(context, state, next, commands);
}

// What is typed at the cursor: the armed tensor's element there, or the value of the chosen field there, as an element of
// context.values. nullopt, with a message: the cursor is on none.
std::optional<std::uint64_t> value_at_cursor(const FrameContext& context, HexPanelState& state) {
  const auto element = element_at_cursor(context, state);
  if (!element) return std::nullopt;
  const ShownValues& values = context.values;
  if (values.field == core::kNone16) return element;
  const core::ByteRange cursor{state.cursor, state.cursor + 1};
  const auto value = values.value_at({.tensor = context.selected, .element = element, .space = state.space, .bytes = cursor});
  if (value && values.focus_on(*value).bytes.contains(state.cursor)) return value;
  state.edit.problem = fmt::format("The byte at the cursor is not part of {}, the field that is shown.", shown_name(context));
  return std::nullopt;
}

void write_element(const FrameContext& context, HexPanelState& state, Commands& commands) {
  const auto element = value_at_cursor(context, state);
  if (!element) return;
  const core::Snapshot& snapshot = *context.values.snapshot();
  const core::TensorRecord& tensor = context.values.record();
  const core::LayoutView layout = context.values.layout();
  core::ElementBytes read;
  read.restart(layout.item_bits, 1);
  read.add(layout, tensor.address, *element, 1);
  read.read(*context.reader);
  const std::size_t needed = (read.bits[0] + layout.item_bits + std::size_t{7}) / 8;
  if (read.awaited() || read.complete[0] == 0 || needed > read.each) {
    state.edit.problem = "The element could not be read, so it is not changed.";
    return;
  }
  const auto now = read.of(0).first(needed);
  auto typed = with_typed(snapshot, tensor, now, read.bits[0], state.edit.element_text);
  if (!typed) {
    state.edit.problem = fmt::format("Not written: {}.", typed.error().message);
    return;
  }
  const std::string place = fmt::format("{}{} = {}", shown_name(context), index_text(layout, *element), typed->value);
  ask_write(context, state, {state.edit.armed->name, place, read.addresses[0], {now.begin(), now.end()}, std::move(typed->after)},
            EditKind::typed, commands);
  state.edit.element_text.clear();
}

void undo(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!state.edit.armed || state.edit.awaited > 0) return;
  if (auto edit = state.edit.edits.to_undo())
    ask_write(context, state, std::move(*edit), EditKind::undo, commands);
}
void redo(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!state.edit.armed || state.edit.awaited > 0) return;
  if (auto edit = state.edit.edits.to_redo())
    ask_write(context, state, std::move(*edit), EditKind::redo, commands);
}

void draw_field(const FrameContext& context, HexPanelState& state, Commands& commands) {
  const ByteElements at = elements_at(*context.index, context.selected, state.cursor);
  const ShownValues& values = context.values;
  const core::ByteRange cursor{state.cursor, state.cursor + 1};
  const auto value = values.value_at({.tensor = context.selected, .element = at.first, .space = state.space, .bytes = cursor});
  const std::string place =
      value ? shortened_name(shown_name(context), kNameLength) + index_text(values.layout(), *value) + " =" : "no element here";
  const float room = ImGui::GetFontSize() * 11;
  same_line_for(ImGui::CalcTextSize(place.c_str()).x + room);
  ImGui::AlignTextToFramePadding();
  draw_text(place, context.theme.dim);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(room);
  ImGui::BeginDisabled(!value);
  const std::string hint = fmt::format("{}, or 0x…", values.snapshot()->dtype_name(values.record()));
  if (ImGui::InputTextWithHint("##element", hint.c_str(), &state.edit.element_text, ImGuiInputTextFlags_EnterReturnsTrue))
    write_element(context, state, commands);
  ImGui::EndDisabled();
  explain(
      "Enter writes it: a value of the tensor's dtype, or of the field's that is shown, or the bits of one (0x…, 0b…), which get the "
      "tensor's byte order. In the rows, two hex digits write the byte at the cursor.");
}

}  // namespace

void follow_armed_tensor(const FrameContext& context, HexPanelState& state) {
  if (!state.edit.armed) return;
  if (context.index == nullptr || context.selected >= context.index->size()) return disarm(state, {});
  const std::string why = why_not_armed(*context.index, context.selected, context.moment);
  if (!why.empty()) return disarm(state, kDisarmed + why);
  const ArmedTensor now = armed_tensor(*context.index, context.selected, context.moment);
  if (now == *state.edit.armed) return;
  const bool code_ran = now.moment != state.edit.armed->moment;
  disarm(state, std::string(kDisarmed) + (code_ran ? "Code has run." : "Another tensor is selected."));
}

void forget_problem_of_other(HexPanelState& state) {
  if (!state.edit.problem.starts_with(kDisarmed)) state.edit.problem.clear();
}

void take_write_answers(HexPanelState& state) {
  for (ByteWriteAnswer& answer : std::exchange(state.edit.answers, {})) {
    const ByteEdit& edit = answer.write.edit;
    if (state.edit.awaited > 0) --state.edit.awaited;
    if (!answer.problem.empty()) {
      state.edit.problem = fmt::format("{} was not written: {}", edit.place, answer.problem);
      continue;
    }
    if (!state.edit.armed) continue;  // the undo list was cleared with it
    switch (answer.write.kind) {
      case EditKind::typed:
        state.said = fmt::format("Written and read back: {}.", edit.place);
        state.edit.edits.note(std::move(answer.write.edit));
        break;
      case EditKind::undo:
        state.said = fmt::format("Undone: {}.", edit.place);
        state.edit.edits.undone();
        break;
      case EditKind::redo:
        state.said = fmt::format("Written again: {}.", edit.place);
        state.edit.edits.redone();
        break;
    }
  }
}

void carry_out_edit_actions(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (context.asked(ActionId::hex_arm) && context.index != nullptr && context.selected < context.index->size()) {
    if (state.edit.armed)
      disarm(state, {});
    else
      arm(context, state);
  }
  if (context.asked(ActionId::hex_undo)) undo(context, state, commands);
  if (context.asked(ActionId::hex_redo)) redo(context, state, commands);
  if (context.asked(ActionId::deselect)) {
    state.edit.nibble.reset();
    state.edit.problem.clear();
  }
}

bool type_hex_digits(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!state.edit.armed) return false;
  if (state.edit.nibble && state.edit.nibble_at != state.cursor) state.edit.nibble.reset();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl || io.KeyAlt || io.KeySuper) return false;
  bool taken = false;
  for (const ImWchar character : io.InputQueueCharacters) {
    const auto c = static_cast<unsigned>(character);
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f')) continue;
    const unsigned digit = is_digit ? c - '0' : (c | 0x20) - 'a' + 10;
    taken = true;
    if (!state.edit.nibble) {
      state.edit.nibble = digit;
      state.edit.nibble_at = state.cursor;
      continue;
    }
    const auto value = static_cast<std::byte>(*std::exchange(state.edit.nibble, std::nullopt) << 4 | digit);
    write_byte(context, state, value, commands);
  }
  return taken;
}

void draw_hex_edit(const FrameContext& context, HexPanelState& state, Commands& commands) {
  HexEditState& edit = state.edit;
  if (!edit.armed) {
    same_line_for(button_width("Arm writes"));
    if (ImGui::Button("Arm writes")) arm(context, state);
    explain(
        "Bytes and elements of this tensor can be changed then, in the memory of the running process. Until code runs, another "
        "tensor is selected, or it is disarmed.");
  } else {
    ImGui::AlignTextToFramePadding();
    draw_text(LineText("WRITES ARMED: {}", armed_name(state)), context.theme.bad);
    explain("What is typed here changes the memory of the process. A run, another tensor and Disarm end this.");
    same_line_for(button_width("Disarm"));
    if (ImGui::Button("Disarm")) disarm(state, {});
  }
  if (edit.armed) {
    same_line_for(button_width("Undo"));
    ImGui::BeginDisabled(edit.edits.undoable() == 0);
    if (ImGui::Button("Undo")) undo(context, state, commands);
    ImGui::EndDisabled();
    explain([&] {
      return with_keys(context.keys, ActionId::hex_undo,
                       fmt::format("{} can be undone.", counted(edit.edits.undoable(), "write", "writes")));
    });
    same_line_for(button_width("Redo"));
    ImGui::BeginDisabled(edit.edits.redoable() == 0);
    if (ImGui::Button("Redo")) redo(context, state, commands);
    ImGui::EndDisabled();
    explain([&] { return with_keys(context.keys, ActionId::hex_redo, "writes again what was undone."); });
    draw_field(context, state, commands);
  }
  if (!edit.problem.empty()) draw_wrapped_text(edit.problem, context.theme.warn);
}

}  // namespace dlscope::app
