// The hex view: the memory of the selected tensor byte by byte, and the bytes at the cursor decoded as every dtype. Visible rows
// are read in each frame. Any address can be shown: rows are exact over the whole address space.
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
#include "app/models/jobs/cached_value.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// How far the rows reach.
enum class HexScope : std::uint8_t { tensor, group, everything };

// The state of changing bytes by hand.
struct HexEditState {
  std::optional<ArmedTensor> armed;
  ByteEdits edits;
  std::optional<unsigned> nibble;  // the first of two typed digits, at address nibble_at
  core::Address nibble_at = 0;
  std::string element_text;
  std::string problem;                   // why it was not armed or not written
  std::vector<ByteWriteAnswer> answers;  // set between frames
  std::size_t awaited = 0;               // writes without an answer yet: undo is possible only after them
};

struct HexPanelState {
  std::uint64_t generation = 0;  // with `tensor`: what the rows were made for
  std::uint32_t tensor = core::kNone32;
  HexScope scope = HexScope::tensor;
  unsigned chosen_width = 0;  // bytes per row; 0: as many as fit
  core::SpaceId space = core::kHostSpace;
  HexRows rows;
  std::uint64_t first_row = 0, rows_seen = 0;  // first visible row, number of visible rows
  core::Address cursor = 0;
  std::optional<HexSelection> selection;
  bool dragging = false;
  Focus seen_pin;  // brought into view once

  // Read in the last frame. then: not read but copied earlier, when the bytes were known to be the tensor's own.
  HexBytes bytes;
  bool shows_kept = false, shows_now = false;
  KeptBytes kept;
  ByteOwners owners, cursor_owner;
  ByteOrder order = ByteOrder::little;
  bool shows_card = true;
  const char* card_doubt = "";  // what the card says of the bytes where they may not be the owner's; in the last frame
  struct CardKey {
    std::array<std::byte, kMaxDecoded> bytes{};
    std::size_t known = 0;
    ByteOrder order{};
    friend bool operator==(const CardKey&, const CardKey&) = default;
  };
  CachedValue<CardKey, std::vector<DecodedBytes>> decoded;
  struct PlaceKey {
    std::uint64_t generation = 0;
    ByteOwner owner;
    core::Address cursor = 0;
    friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
  };
  CachedValue<PlaceKey, std::string> place;  // of the cursor, as text
  std::string label;                  // buffer for the address before a row
  ImVec2 bytes_from, byte_size;       // screen position of a row's first byte, and the distance to the next byte
  int next_frame_in = 0;              // milliseconds; 0: no frame is due without an event
  bool bring_up = false;

  bool go_to_open = false, go_to_focus = false;
  std::string go_to_text, go_to_problem;
  bool find_open = false, find_focus = false, searching = false;
  std::string find_text, find_problem;
  // The matches of the last "List all"; the owner of a match is determined when its row is first drawn.
  struct Hit {
    MemoryHit at;
    std::optional<std::string> owner;
  };
  std::vector<Hit> hits;
  std::string hits_message;  // the heading of the list; "": there is none
  std::uint64_t hits_generation = 0;
  std::string said;  // outcome of a search or a copy
  // What such an outcome is about. A search of all memory is about no tensor.
  struct SaidOf {
    std::uint64_t generation = 0, code_began = 0;  // Moment::code_began: with another one other bytes may be there
    std::uint32_t tensor = core::kNone32;
    std::uint16_t field = core::kNone16;  // of the tensor: values are searched for as it has them
    HexScope scope{};
    friend bool operator==(const SaidOf&, const SaidOf&) = default;
  };
  SaidOf said_of, searched_of;  // `said` and the problems of the fields; the last search that was begun
  std::uint64_t task_number = 0;
  std::vector<HexAnswer> answers;  // set between frames
  HexEditState edit;
  ByteFormat copy_format = ByteFormat::hex;  // of the last copy
};

void draw_hex_panel(const FrameContext& context, HexPanelState& state, Commands& commands);
// Brings the view to the front if an action asked for it. shown: is set when it was hidden.
void open_hex_where_asked(const FrameContext& context, HexPanelState& state, bool& shown);

}  // namespace dlscope::app
