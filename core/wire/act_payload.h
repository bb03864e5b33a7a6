// Wire encoding of the acts (core/wire/work.h) and of what they found. get() checks the numbers that code on either side relies on.
#pragma once

#include "core/wire/payload.h"
#include "core/wire/work.h"

namespace dlscope::core::wire {

void put(PayloadWriter& out, const Hold& m);
void get(PayloadReader& in, Hold& m);
void put(PayloadWriter& out, const Release& m);
void get(PayloadReader& in, Release& m);
void put(PayloadWriter& out, const WriteBytes& m);
void get(PayloadReader& in, WriteBytes& m);
void put(PayloadWriter& out, const BytesWritten& m);
void get(PayloadReader& in, BytesWritten& m);
void put(PayloadWriter& out, const Prove& m);
void get(PayloadReader& in, Prove& m);
void put(PayloadWriter& out, const HandTo& m);
void get(PayloadReader& in, HandTo& m);
void put(PayloadWriter& out, const CopyTensor& m);
void get(PayloadReader& in, CopyTensor& m);
void put(PayloadWriter& out, const HandedOver& m);
void get(PayloadReader& in, HandedOver& m);
void put(PayloadWriter& out, const Copied& m);
void get(PayloadReader& in, Copied& m);
void put(PayloadWriter& out, const Proof& m);
void get(PayloadReader& in, Proof& m);

}  // namespace dlscope::core::wire
