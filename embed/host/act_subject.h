// What an act works on: a tensor of the snapshot, or a slice of it.
// thread: Python's main thread, GIL held; foreign code runs inside.
#pragma once

#include <string>
#include <vector>

#include "embed/host/acts.h"

namespace dlscope::embed {

struct ActSubject {
  PyRef object;      // of a slice: a dlscope.Tensor, a view of the tensor's memory
  std::string text;  // "x", "x[1:3, ::2]"
  bool has_line = false;  // `text` is a Python expression for it
};
// copy: accepts tensors as well whose library does not share the memory as it is, but allows its values to be copied.
enum class SubjectOf : std::uint8_t { hand_over, copy };

// Error with a message for the user: the tensor is gone, its library does not share its memory, or the slice does not fit.
[[nodiscard]] core::Result<ActSubject> find_subject(const ActContext& context, const core::wire::TensorRef& tensor,
                                                    const std::vector<core::AxisSlice>& slice, SubjectOf act);

}  // namespace dlscope::embed
