#include "app/models/tensors/last_looks.h"

namespace dlscope::app {

MarkBases LastLooks::next(const core::SnapshotPtr& now, std::uint64_t stop, std::uint64_t first_run) {
  const bool is_again = newest_ == now;
  const bool same_run = newest_ && newest_->info.run == now->info.run;
  if (!newest_ || newest_->info.run < first_run) {
    run_ = stop_ = nullptr;
  } else if (!same_run) {
    run_ = newest_;
    stop_ = nullptr;
  } else if (!is_again && newest_stop_ != 0 && newest_stop_ != stop) {
    stop_ = newest_;
    stop_number_ = newest_stop_;
  }
  // Looking again after the script raised compares with the same stop.
  const bool looked_again = same_run && stop == newest_stop_ && now->info.scanned == core::Scanned::request;
  if (!is_again)
    in_debugging_ = stop != 0 || now->info.scanned == core::Scanned::raise || (looked_again && in_debugging_);
  newest_ = now;
  newest_stop_ = stop;
  // Stops are numbered without gaps: one that nobody saw is no base.
  const bool seen = stop == 0 || stop_number_ + 1 == stop;
  return {run_, in_debugging_ && seen ? stop_ : nullptr};
}

}  // namespace dlscope::app
