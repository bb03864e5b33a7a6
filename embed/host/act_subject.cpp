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

// Whether x[...] is a view of the same elements in Python: of the libraries whose basic slices are known to be views. Others may
// copy (bytearray, array.array, jax), and the line would not do what was done.
bool is_sliced_so_by_python(PyObject* object, std::string_view library, std::size_t rank,
                            const std::vector<core::AxisSlice>& slice) {
  if (PyMemoryView_Check(object) != 0) return rank == 1;  // it does not slice several axes
  const bool backwards = std::ranges::any_of(slice, [](const core::AxisSlice& one) { return one.step < 0; });
  if (library == "torch" || library == "paddle") return !backwards;
  return library == "numpy" || library == "cupy";
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
  if (act == SubjectOf::hand_over && (whole.held->is_copied || whole.held->address() != record.address))
    return core::fail(core::ErrorKind::unsupported,
                      "its library exports a copy: a slice of that would not be a slice of the tensor's memory");
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
