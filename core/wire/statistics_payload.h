// Wire encoding of statistics. get() checks the numbers that code in the viewer relies on; invalid ones make in.failed() true.
#pragma once

#include "core/statistics/statistics.h"
#include "core/wire/payload.h"

namespace dlscope::core::wire {

void put(PayloadWriter& out, const ValueSummary& summary);
void get(PayloadReader& in, ValueSummary& summary);
void put(PayloadWriter& out, const Statistics& statistics);
void get(PayloadReader& in, Statistics& statistics);

}  // namespace dlscope::core::wire
