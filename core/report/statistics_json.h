// The statistics of one tensor as JSON: the "stats" of the report and what dlscope.stats() answers.
#pragma once

#include "core/report/json_writer.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

// One object; `layout` turns element numbers into indices.
void put_summary(JsonWriter& json, const ValueSummary& summary, LayoutView layout);

// The summary's keys, and "histogram" and "quantiles". False when the sink refused.
bool write_statistics(const Statistics& statistics, LayoutView layout, const JsonSink& sink);

}  // namespace dlscope::core
