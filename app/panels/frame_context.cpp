#include "app/panels/frame_context.h"

#include "app/models/history/remembered_tensors.h"

namespace dlscope::app {

Remember FrameContext::remembered(std::uint32_t tensor) const {
  if (history.remembered == nullptr || index == nullptr || tensor >= index->size()) return Remember::no;
  return history.remembered->wanted(*index->snapshot, index->tensor(tensor));
}

}  // namespace dlscope::app
