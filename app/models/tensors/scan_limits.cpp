#include "app/models/tensors/scan_limits.h"

#include <fmt/format.h>

#include "app/models/text/format.h"

namespace dlscope::app {

std::string limits_reached(const core::Snapshot& snapshot) {
  std::string out;
  for (const core::LimitRecord& limit : snapshot.limits) {
    if (limit.reached)
      out += fmt::format("The scan is not complete: it stopped at {} ({}).\n", grouped(limit.limit), snapshot.str(limit.what));
  }
  return out;
}

}  // namespace dlscope::app
