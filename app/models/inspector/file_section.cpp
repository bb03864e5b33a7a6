#include "app/models/inspector/file_section.h"

#include <fmt/format.h>

#include "app/models/text/format.h"

namespace dlscope::app {

Section file_section(const core::FileMetadata& metadata) {
  Section out{.title = "Metadata of the file", .note = "Text that whoever wrote the file put in its header (__metadata__). Nothing checks it.",
              .fields = {}, .key = "file"};
  const auto add = [&](std::string label, std::string value, Tone tone) {
    out.fields.push_back(
        {.label = std::move(label), .value = std::move(value), .meaning = {}, .evidence = {}, .copy = {}, .tone = tone});
  };
  for (const core::FileMetadata::Entry& entry : metadata.entries)
    add(entry.key.empty() ? "(no name)" : entry.key, entry.text.empty() ? "(empty)" : entry.text, Tone::plain);
  if (metadata.left_out > 0)
    add({}, fmt::format("{} not shown: too many, or not text.", counted(metadata.left_out, "more entry is", "more entries are")),
        Tone::dim);
  return out;
}

}  // namespace dlscope::app
