// The inspector: everything known about one tensor, in sections of fields with an explanation beside each value. Built when the
// selection changes, from the record alone; its cost is bounded, whatever the tensor has or shares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/focus/focus.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

// One line: "flags | none | The exporter allows writing." Unknown values are the word "unknown", never a made-up value.
struct Field {
  std::string label;  // DLPack's name of the field; "" for a sentence without a label
  std::string value;
  std::string meaning;   // the explanation; "" when the value needs none
  std::string evidence;  // how the value was determined, for a tooltip
  std::string copy;      // what is copied for this value; "": the value
  Tone tone = Tone::plain;
  std::uint32_t tensor = core::kNone32;    // a click on the line selects this tensor
  bool code = false;                       // a number, an address or code: drawn in the fixed-width font
  std::string bytes = {};                  // as in memory: "80 4a 40 2e 81 55 00 00"; "": unknown
  std::string bytes_meaning = {};          // byte by byte, for a tooltip
  std::optional<Focus> lights = {};        // what hovering the line highlights in every view
  bool per_axis = false;                   // the value is a list with one entry per axis; each highlights its own axis
  std::optional<core::Address> base = {};  // the value is the address elements are counted from: highlighted with the focus
};

// What can be done about a section, offered as a button below it.
enum class SectionAction : std::uint8_t { none, describe_anyway, ask_again };

struct Section {
  std::string title;
  std::string note;  // one sentence below the title; "": none
  std::vector<Field> fields;
  std::string key = {};  // stable, unlike the title: the folded state is stored under it
  Tone tone = Tone::plain;
  SectionAction action = SectionAction::none;
  std::string as_c = {};  // the struct as C source, to copy; "": none
};

struct Inspection {
  std::uint32_t tensor = core::kNone32;
  std::string name, type, summary;  // summary: "float32, 3 × 4, 48 B on cpu"
  std::uint32_t colour = core::kNone32;
  std::vector<Badge> badges;
  std::vector<Section> sections;  // those with content, the most needed first
};

struct LiveAnswer;
struct TouchAnswer;

// live: Python's answers about the tensor; null: it was not asked. state: of the tensor now. touches: how often its bytes are
// reached, or that it is being counted; null: said if it takes a few milliseconds at most.
[[nodiscard]] Inspection inspect(const SnapshotIndex& index, std::uint32_t tensor, const LiveAnswer* live = nullptr,
                                 TensorState state = TensorState::current, const TouchAnswer* touches = nullptr);

}  // namespace dlscope::app
