// The inspector: everything known about one tensor, in sections of fields with plain words beside the numbers. Built
// when the selection changes, from the record alone; bounded whatever the tensor has or shares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/badges.h"
#include "app/models/snapshot_index.h"

namespace dlscope::app {

// One line: "flags | none | The exporter allows writing." Unknown values are the word "unknown", never a made-up value.
struct Field {
  std::string label;  // DLPack's name of the field; "" for a sentence without one
  std::string value;
  std::string meaning;   // plain words; "" when the value speaks for itself
  std::string evidence;  // how it was found out, for a tooltip
  std::string copy;      // what copying the value gives; "" = value
  Tone tone = Tone::plain;
  std::uint32_t tensor = core::kNone32;  // a click on the line selects this tensor
  bool code = false;                     // the value is a number, an address or code: drawn in the fixed-width face
};

struct Section {
  std::string title;
  std::string note;  // one sentence under the title, "" for none
  std::vector<Field> fields;
};

struct Inspection {
  std::uint32_t tensor = core::kNone32;
  std::string name, type, summary;  // summary: "float32, 3 × 4, 48 B on cpu"
  std::uint32_t colour = core::kNone32;
  std::vector<Badge> badges;
  std::vector<Section> sections;  // sharing, struct, layout, memory, refusals, remarks, names: those that have content
};

[[nodiscard]] Inspection inspect(const SnapshotIndex& index, std::uint32_t tensor);

}  // namespace dlscope::app
