// Statistics as the wire carries them. Their numbers are checked as far as a reader depends on them.
#pragma once

#include "core/statistics/statistics.h"
#include "core/wire/payload.h"

namespace dlscope::core::wire {

void put(PayloadWriter& out, const ValueSummary& summary);
void get(PayloadReader& in, ValueSummary& summary);
void put(PayloadWriter& out, const Statistics& statistics);
void get(PayloadReader& in, Statistics& statistics);

}  // namespace dlscope::core::wire
