// /proc/self/maps, opened while it can be: a script may take the way to it (os.chroot), the right to open it (setuid, a filter of
// system calls) or the room for a descriptor (RLIMIT_NOFILE) away; an open file is still read.
#pragma once

#include <optional>
#include <string>

namespace dlscope::core {

// Opens it for the rest of the process, under a number that nothing else is likely to take. Call once, early. A failure is left
// for the readers to report.
void keep_maps_file_open();

// Its text now. nullopt: it was not kept open, the script has closed it, or this is a forked child, for which it is still the
// parent's. thread: any.
[[nodiscard]] std::optional<std::string> read_kept_maps_file();

}  // namespace dlscope::core
