#include "embed/host/act_subject.h"

#include <algorithm>
#include <utility>

#include "core/inventory/python_name.h"
#include "embed/host/binding.h"
#include "embed/tensors/take_object.h"
#include "embed/tensors/tensor_type.h"
#include "embed/tensors/tensor_view.h"

namespace dlscope::embed {
namespace {

// Whether x[...] gives the same elements in Python. Where that is not sure, no line is shown.
bool is_sliced_so_by_python(PyObject* object, std::string_view library, std::size_t rank,
                            const std::vector<core::AxisSlice>& slice) {
  const bool backwards = std::ranges::any_of(slice, [](const core::AxisSlice& one) { return one.step < 0; });
  if (backwards && (library == "torch" || library == "paddle")) return false;
  if (PyMemoryView_Check(object) != 0 && rank > 1) return false;  // it does not slice several axes
  const PyRef method = PyRef::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__getitem__"));
  if (!method) PyErr_Clear();
  return static_cast<bool>(method);
}

}  // namespace

core::Result<ActSubject> find_subject(const ActContext& context, const core::wire::TensorRef& tensor,
                                      const std::vector<core::AxisSlice>& slice, SubjectOf act) {
  auto object = find_again(context, tensor.tensor);
  if (!object) return std::unexpected(object.error());
  ActSubject subject{std::move(*object), name_for_text(context, tensor.tensor), false};
  subject.has_line = core::is_python_expression(subject.text);
  if (slice.empty()) return subject;
  const core::TensorRecord& record = context.snapshot.tensors[tensor.tensor];
  const core::LayoutView layout = context.snapshot.layout(record);
  if (const auto fits = core::slice_layout(layout, slice); !fits) return std::unexpected(fits.error());
  const PyRef copyable = act == SubjectOf::copy ? view_to_copy_from(subject.object.get()) : PyRef();
  if (PyErr_Occurred() != nullptr) return std::unexpected(error_as_text());
  const TakenTensor whole = take_by_any(copyable ? copyable.get() : subject.object.get());
  if (!whole.held) return std::unexpected(error_as_text());
  const auto view = slice_of(whole.held, slice);
  if (!view) return std::unexpected(error_as_text());
  subject.has_line = subject.has_line && is_sliced_so_by_python(subject.object.get(), context.snapshot.str(record.library),
                                                                layout.shape.size(), slice);
  subject.text = core::slice_expression(subject.text, layout.shape, slice);
  subject.object = wrap_tensor(view, {});
  if (!subject.object) return std::unexpected(error_as_text());
  return subject;
}

}  // namespace dlscope::embed
