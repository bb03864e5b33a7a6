// Pictures of tensors as the wire carries them: what is asked, checked as far as it does not depend on the tensor, and texels.
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
