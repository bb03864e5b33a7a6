#include "embed/libraries/arrow_stream.h"

#include "embed/libraries/library.h"

namespace dlscope::embed {

bool read_arrow_stream(PyObject* object, ArrowExport& out) {
  const PyRef capsule = object != nullptr ? call_method(object, "__arrow_c_stream__") : PyRef{};
  auto* const stream =
      capsule ? static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.get(), "arrow_array_stream")) : nullptr;
  if (stream == nullptr || stream->release == nullptr) {
    clear_unless_interrupt();
    return false;
  }
  if (stream->get_schema(stream, &out.schema.value) != 0) return false;
  do {
    ArrowArray& next = out.chunks.emplace_back().value;
    if (stream->get_next(stream, &next) != 0) return false;
  } while (out.chunks.back().value.release != nullptr);
  out.chunks.pop_back();
  return true;
}

bool has_dictionary(const ArrowSchema& schema, int depth) {
  if (schema.dictionary != nullptr) return true;
  for (std::int64_t i = 0; i < schema.n_children && depth < kDeepestArrow; ++i) {
    if (has_dictionary(*schema.children[i], depth + 1)) return true;
  }
  return false;
}

}  // namespace dlscope::embed
