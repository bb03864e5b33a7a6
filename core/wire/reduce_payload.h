// Wire encoding of pictures of tensors: the request (axes and window) and the texels of the result. get() checks everything that
// can be checked without the tensor; a malformed value makes in.failed() true.
#pragma once

#include "core/reduce/cell_axes.h"
#include "core/reduce/texels.h"
#include "core/wire/payload.h"

namespace dlscope::core::wire {

void put(PayloadWriter& out, const CellAxes& axes);
void get(PayloadReader& in, CellAxes& axes);
void put(PayloadWriter& out, const CellWindow& window);
void get(PayloadReader& in, CellWindow& window);
void put(PayloadWriter& out, const Texels& texels);
void get(PayloadReader& in, Texels& texels);

}  // namespace dlscope::core::wire
