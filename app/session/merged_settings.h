// Settings of several windows in one file: each window writes only what it changed itself, so that none drops what another wrote.
#pragma once

#include <string>
#include <string_view>

#include "app/session/settings.h"
#include "core/base/result.h"

namespace dlscope::app {

// The text `stored` of a settings file, with the changes from `before` to `now`. Maps are merged by key, breakpoints by place;
// lists of what was used last begin with what was used here. Where two windows changed the same, `now` has it. A `stored` that is
// no settings file is replaced.
[[nodiscard]] std::string merged_settings(std::string_view stored, const Settings& before, const Settings& now);

// The same in the file, which other windows may be writing at this moment; the rest is as with save_settings(). A file that
// cannot be used is kept beside it, as load_settings() does; what is returned then says so. thread: a worker, which waits for
// other windows, briefly.
[[nodiscard]] core::Result<std::string> save_changes(const std::string& path, const Settings& before, const Settings& now);

}  // namespace dlscope::app
