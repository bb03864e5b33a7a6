// The memory of the selected tensor byte by byte, read for the rows on the screen each time they are drawn, and what the bytes at the
// cursor would be as every dtype. Any address can be looked at: rows are exact over the whole address space.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/models/actions/commands.h"
#include "app/models/hex/byte_decoding.h"
#include "app/models/hex/byte_edits.h"
#include "app/models/hex/byte_owners.h"
#include "app/models/hex/hex_bytes.h"
#include "app/models/hex/hex_task.h"
#include "app/models/jobs/kept.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// How far the rows go.
enum class HexScope : std::uint8_t { tensor, group, everything };

// Changing bytes, once it was armed.
struct HexEditState {
  std::optional<ArmedTensor> armed;
  ByteEdits edits;
  std::optional<unsigned> nibble;  // the first digit of two, typed at nibble_at
  core::Address nibble_at = 0;
  std::string element_text;
  std::string problem;                   // why something is not armed or was not written
  std::vector<ByteWriteAnswer> answers;  // put here between frames
  std::size_t awaited = 0;               // writes that are not answered yet: what can be undone is known afterwards
};

struct HexPanelState {
  std::uint64_t generation = 0;  // with `tensor`: what the rows were made for
  std::uint32_t tensor = core::kNone32;
  HexScope scope = HexScope::tensor;
  unsigned chosen_width = 0;  // bytes in a row; 0: as many as there is room for
  core::SpaceId space = core::kHostSpace;
  HexRows rows;
  std::uint64_t first_row = 0, rows_seen = 0;  // on the screen
  core::Address cursor = 0;
  std::optional<HexSelection> selection;
  bool dragging = false;
  Focus seen_pin;  // brought into view once

  // What was read in the last frame. then: not read, but kept from when the bytes were known to be the tensor's own.
  HexBytes bytes;
  bool then = false, shows_now = false;
  KeptBytes kept;
  ByteOwners owners, cursor_owner;
  ByteOrder order = ByteOrder::little;
  bool shows_card = true;
  struct CardKey {
    std::array<std::byte, kMostDecoded> bytes{};
    std::size_t known = 0;
    ByteOrder order{};
    friend bool operator==(const CardKey&, const CardKey&) = default;
  };
  Kept<CardKey, std::vector<DecodedBytes>> decoded;
  struct PlaceKey {
    std::uint64_t generation = 0;
    ByteOwner owner;
    core::Address cursor = 0;
    friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
  };
  Kept<PlaceKey, std::string> place;  // of the cursor, in words
  std::string label;                  // room for the address in front of a row
  ImVec2 bytes_from, byte_size;       // where the first byte of a row lies on the screen, and how far it is to the next
  int next_frame_in = 0;              // milliseconds; 0: no frame is needed by itself
  bool bring_up = false;

  bool go_to_open = false, go_to_focus = false;
  std::string go_to_text, go_to_problem;
  bool find_open = false, find_focus = false, searching = false;
  std::string find_text, find_problem;
  // Matches of the last "List all", with whose byte each is once its row was seen.
  struct Hit {
    MemoryHit at;
    std::optional<std::string> owner;
  };
  std::vector<Hit> hits;
  std::string hits_said;  // what the list is of, "" without a list
  std::uint64_t hits_generation = 0;
  std::string said;  // what came of a search or a copy
  std::uint64_t task_number = 0;
  std::vector<HexAnswer> answers;  // put here between frames
  HexEditState edit;
  ByteFormat copy_format = ByteFormat::hex;  // of the last copy
};

void draw_hex_panel(const FrameContext& context, HexPanelState& state, Commands& commands);
// Brings the view to the front when that was asked for. shown: whether it is shown at all.
void open_hex_where_asked(const FrameContext& context, HexPanelState& state, bool& shown);

}  // namespace dlscope::app
