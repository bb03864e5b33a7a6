// Whether a write to this process's memory waits for nothing but memory. thread: any.
#pragma once

#include "core/base/address.h"

namespace dlscope::core {

// Every page of the range is there, is no file's nor shared, and not write-protected with userfaultfd. Some microseconds.
[[nodiscard]] bool writes_without_fault(ByteRange range);

}  // namespace dlscope::core
