// The statistics of one tensor as JSON: "stats" in the report, and the result of dlscope.stats(). thread: any.
#pragma once

#include "core/report/json_writer.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

// Writes one object. `layout`: converts element numbers to indices.
void put_summary(JsonWriter& json, const ValueSummary& summary, LayoutView layout);

// The same object with the additional keys "histogram" and "quantiles". False if the sink returned false.
bool write_statistics(const Statistics& statistics, LayoutView layout, const JsonSink& sink);

}  // namespace dlscope::core
