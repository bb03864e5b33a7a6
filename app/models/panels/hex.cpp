#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr Action of_hex(ActionId id, const char* name, const char* title, const char* keys, const char* meaning) {
  return {.id = id, .name = name, .title = title, .keys = keys, .meaning = meaning};
}

constexpr HelpTerm kTerms[] = {
    {"colour, lines", "The colour of a byte is that of the memory group of its tensor. A line marks where an element begins."},
    {"hatched",
     "A hole: the byte lies between the elements of a tensor and is in none of them. Whole rows: no memory is mapped there, or "
     "it does not answer. Hatched numbers may belong to something else by now."},
    {"the tensor, its group, all memory",
     "How far the rows go: from the first to the last byte of the tensor, of all tensors that share memory with it, or any "
     "address."},
    {"go to",
     "0x5581… and decimal numbers are addresses; x[3, 7] is an element; x + 0x40 counts bytes on from the first element."},
    {"find",
     "de ad ?? ef are bytes, 'text' is text, float32 1.5 a value, = 1.5 one of the tensor's dtype, nan:0x12 a NaN with a "
     "payload."},
    {"arm writes",
     "After it, two hex digits change the byte at the cursor, and the field above the rows the element there. The host writes "
     "where the bytes still are those you saw, reads them back, and refuses what is read-only or immutable. A run disarms."},
    {"sign, exponent, fraction",
     "The bits of a float in that order. Its value is 2 to the exponent, times one and the fraction."},
};

constexpr Action kActions[] = {
    of_hex(hex_go_to, "hex.go_to", "Go to an address or an element in the hex view", "Ctrl+G, Ctrl+L",
           "Type 0x5581…, x[3, 7] or x + 0x40."),
    of_hex(hex_find, "hex.find", "Find bytes, text or a value", "Ctrl+F", "Type de ad ?? ef, 'text', float32 1.5 or nan:0x12."),
    of_hex(hex_find_next, "hex.find_next", "Find the next one in the hex view", "F3", ""),
    of_hex(hex_find_previous, "hex.find_previous", "Find the one before in the hex view", "Shift+F3", ""),
    of_hex(hex_copy, "hex.copy", "Copy the selected bytes, else the one under the cursor", "Ctrl+C", ""),
    of_hex(hex_select_all, "hex.select_all", "Select all bytes", "Ctrl+A", ""),
    of_hex(hex_arm, "hex.arm", "Arm or disarm writes to the bytes of the selected tensor", "",
           "Armed, its bytes and elements can be changed in the memory of the process, until code runs."),
    of_hex(hex_undo, "hex.undo", "Undo the last write in the hex view", "Ctrl+Z", ""),
    of_hex(hex_redo, "hex.redo", "Write again what was undone in the hex view", "Ctrl+Shift+Z, Ctrl+Y", ""),
};

constexpr FixedKey kFixedKeys[] = {
    {"Click; arrows; Page Up, Page Down", "Move the cursor and pin the element it is in"},
    {"Home, End; Ctrl+Home, Ctrl+End", "To the ends of the row; of the range"},
    {"Drag, Shift+click, Shift+arrows", "Select bytes"},
};

}  // namespace

constinit const PanelFacts kHexPanel = {
    .context = ActionContext::hex,
    .title = "Hex",
    .where = "In the hex view",
    .action = "view.hex",
    .home = PanelHome::detail,
    .what =
        "The bytes of the selected tensor's memory as they are, each with the element it belongs to, and what the bytes at the "
        "cursor would be in every dtype.",
    .terms = kTerms,
    .actions = kActions,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
