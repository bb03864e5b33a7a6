// Why a library copied what it was handed, where that follows from a rule that is known.
// thread: any; no Python.
#pragma once

#include <string>
#include <string_view>

#include "core/inventory/snapshot.h"
#include "core/wire/work.h"

namespace dlscope::embed {

// A hand-over that ended in a copy.
struct CopyMade {
  const core::Snapshot& described;  // the source, then the result
  std::string_view library;         // it was handed to
  core::wire::CopyPolicy asked = core::wire::CopyPolicy::if_needed;
  bool by_dlscope = false;  // dlscope's own code made it on the way
};
// One sentence without its full stop. Where no rule explains the copy it says that the reason is not known.
[[nodiscard]] std::string why_copied(const CopyMade& made);

}  // namespace dlscope::embed
