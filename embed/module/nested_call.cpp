#include "embed/module/nested_call.h"

namespace dlscope::embed {
namespace {

constexpr int kMax = 8;
// Nested calls of one thread: a producer whose __dlpack__ calls dlscope.describe on itself. Per thread, because while one thread
// analyses without the GIL, others make their own calls.
thread_local int calls_inside_each_other = 0;

}  // namespace

NestedCall::NestedCall() : allowed_(++calls_inside_each_other <= kMax) {
  if (!allowed_)
    PyErr_SetString(PyExc_RecursionError, "dlscope is being called from inside its own scan of a tensor, again and again");
}

NestedCall::~NestedCall() { --calls_inside_each_other; }

}  // namespace dlscope::embed
