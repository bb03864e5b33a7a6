// The answers to the questions of the history view: differences between two kept moments, and since when a tensor is as it is. An
// answer stays until a newer one comes, so that the view does not flicker while a job works.
#pragma once

#include "app/models/history/history_query.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"

namespace dlscope::app {

struct HistoryAnswers {
  DifferenceQuery difference_query;  // the query that `differences` and `rows` answer
  DifferencesPtr differences;
  DifferenceRows rows;  // those of `differences` that pass the filter
  SinceWhenQuery since_query;
  TensorHistoryPtr since;
};

}  // namespace dlscope::app
