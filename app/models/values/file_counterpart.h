// The tensor of a file that a live tensor is compared with, and what has become of the file since it was opened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/files/mapped_file.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// The file's tensor that has the name of the live one, or the end of it: `net.layers[0].weight` and `state['layers.0.weight']`
// are found as "layers.0.weight". A file's only tensor is that of any name. kNone32: there is none.
[[nodiscard]] std::uint32_t counterpart_in_file(std::string_view live_name, const core::Snapshot& file);

// What to think of the values, as sentences; "": nothing has happened. unpacked: they are a copy, made when the file was opened.
[[nodiscard]] std::string since_opened_text(const std::string& path, core::SinceOpened since, bool unpacked);

}  // namespace dlscope::app
