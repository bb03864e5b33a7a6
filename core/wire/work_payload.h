// Wire encoding of work, its parts and its results: a variant is encoded as the index of its alternative, then that one's fields.
#pragma once

#include "core/wire/payload.h"
#include "core/wire/work.h"

namespace dlscope::core::wire {

void put(PayloadWriter& out, const TensorRef& tensor);
void get(PayloadReader& in, TensorRef& tensor);
void put(PayloadWriter& out, const Work& work);
void get(PayloadReader& in, Work& work);
void put(PayloadWriter& out, const WorkPart& part);
void get(PayloadReader& in, WorkPart& part);
void put(PayloadWriter& out, const WorkResult& result);
void get(PayloadReader& in, WorkResult& result);

}  // namespace dlscope::core::wire
