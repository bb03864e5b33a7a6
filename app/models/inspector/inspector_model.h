// The inspector: everything known about one tensor, in sections of fields with plain words beside the numbers. Built
// when the selection changes, from the record alone; bounded whatever the tensor has or shares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/focus/focus.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// One line: "flags | none | The exporter allows writing." Unknown values are the word "unknown", never a made-up value.
struct Field {
  std::string label;  // DLPack's name of the field; "" for a sentence without one
  std::string value;
  std::string meaning;   // plain words; "" when the value speaks for itself
  std::string evidence;  // how it was found out, for a tooltip
  std::string copy;      // what copying the value gives; "" = value
  Tone tone = Tone::plain;
  std::uint32_t tensor = core::kNone32;    // a click on the line selects this tensor
  bool code = false;                       // the value is a number, an address or code: drawn in the fixed-width face
  std::string bytes = {};                  // as they lay in memory: "80 4a 40 2e 81 55 00 00"; "" where they are not known
  std::string bytes_meaning = {};          // byte by byte, for a tooltip
  std::optional<Focus> lights = {};        // what the mouse on this line lights in every view
  bool per_axis = false;                   // the value is a list with one entry an axis: each lights its own
  std::optional<core::Address> base = {};  // the value is an address elements are counted from: lit with the focused one
};

// What can be done about a section, as a button under it.
enum class SectionAction : std::uint8_t { none, describe_anyway, ask_again };

struct Section {
  std::string title;
  std::string note;  // one sentence under the title, "" for none
  std::vector<Field> fields;
  std::string key = {};  // stable whatever the title says: what is folded is remembered by it
  Tone tone = Tone::plain;
  SectionAction action = SectionAction::none;
  std::string as_c = {};  // the struct as C source, to be copied; "" elsewhere
};

struct Inspection {
  std::uint32_t tensor = core::kNone32;
  std::string name, type, summary;  // summary: "float32, 3 × 4, 48 B on cpu"
  std::uint32_t colour = core::kNone32;
  std::vector<Badge> badges;
  std::vector<Section> sections;  // those that have content, what is needed first in front
};

struct LiveLook;

// live: what Python answered about it; null: nothing was asked.
[[nodiscard]] Inspection inspect(const SnapshotIndex& index, std::uint32_t tensor, const LiveLook* live = nullptr);

}  // namespace dlscope::app
