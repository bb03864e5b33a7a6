// How fast a plain copy is in this process's memory: memcpy of 64 MiB into new memory, as a copy of a tensor is made, on as many
// threads as copies use.
// thread: any; takes some ten milliseconds, and 128 MiB meanwhile.
#pragma once

namespace dlscope::core {

// Bytes per nanosecond (GB/s). 0: there is not enough memory to measure it.
[[nodiscard]] double plain_copy_rate();

}  // namespace dlscope::core
