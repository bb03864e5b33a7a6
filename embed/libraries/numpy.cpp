// NumPy: masked arrays lose their mask on export; ml_dtypes arrays describe themselves as raw bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

constexpr Py_ssize_t kMaxObjects = 10'000'000;  // elements of one array that are visited

class NumpySession final : public LibrarySession {
 public:
  // ndarray.__dlpack__ and __dlpack_device__ use the same function (array_get_dlpack_device).
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    // A scalar's __array_interface__ points to an array created for the call (gentype_interface_get); its buffer is its own
    // memory.
    const bool is_scalar = is_subtype(type, "numpy", "generic");
    return {.before_may_object = false,
            .after_may_add = is_masked_array(type),
            .cpu_claim_is_certain = true,
            .holds = is_masked_array(type) ? Holds::parts
                     : is_scalar           ? Holds::nothing
                                           : Holds::when_refused,
            .protocols = is_scalar ? kAskBuffer : kAskAll};
  }

  [[nodiscard]] std::optional<core::DType> elements_behind(PyObject* array) override {
    const PyRef dtype = PyRef::steal(PyObject_GetAttrString(array, "dtype"));
    const PyRef attribute = PyRef::steal(dtype ? PyObject_GetAttrString(dtype.get(), "name") : nullptr);
    if (!attribute) clear_unless_interrupt();
    return core::dtype_from_name(text_of(attribute.get()));
  }

  // The mask of a masked array; the elements of an object array.
  void parts(PyObject* array, Parts& out) override {
    if (is_masked_array(Py_TYPE(array))) out.add(stored_attribute(array, "_mask"), ".mask");
    add_objects(array, out);
  }

  // Called for masked arrays only, see habits().
  void after(PyObject*, Description& description) override {
    description.remark(core::RemarkCode::masked,
                "a masked array: what is shown are the numbers under the mask, the mask is another array");
  }

 private:
  // Reads the array's memory directly: pointers to objects that it keeps alive. NULL means None.
  static void add_objects(PyObject* array, Parts& out) {
    BufferView view{};
    if (dlscope_get_buffer(array, &view, kBufferStridedReadOnly) != 0) {
      clear_unless_interrupt();
      return;
    }
    if (std::string_view(view.format != nullptr ? view.format : "") == "O" && view.itemsize == sizeof(PyObject*))
      add_elements(view, out);
    const PendingError pending;
    dlscope_release_buffer(&view);
  }

  static void add_elements(const BufferView& view, Parts& out) {
    const auto rank = static_cast<std::size_t>(std::clamp(view.ndim, 0, 64));
    std::vector<Py_ssize_t> index(rank);
    Py_ssize_t count = 1;
    for (std::size_t d = 0; d < rank; ++d) count *= view.shape[d];
    for (Py_ssize_t i = 0; i < std::min(count, kMaxObjects); ++i) {
      const char* at = static_cast<const char*>(view.buf);
      for (std::size_t d = 0; d < rank; ++d) at += index[d] * view.strides[d];
      PyObject* element = nullptr;
      std::memcpy(&element, at, sizeof element);
      ++out.looked_at;
      if (element != nullptr && out.wanted(element))
        out.items.push_back(
            {PyRef::share(element), fmt::format("[{}]", rank != 0 ? fmt::format("{}", fmt::join(index, ", ")) : "()"), {}, {}});
      for (std::size_t d = rank; d-- > 0;) {
        if (++index[d] < view.shape[d]) break;
        index[d] = 0;
      }
    }
  }

  static bool is_subtype(PyTypeObject* type, const char* module, const char* name) {
    const PyRef base = imported_attribute(module, std::span(&name, 1));
    return base && PyType_Check(base.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base.get())) != 0;
  }
  static bool is_masked_array(PyTypeObject* type) {
    return is_subtype(type, "numpy.ma.core", "MaskedArray") || is_subtype(type, "numpy.ma", "MaskedArray");
  }
};

}  // namespace

std::unique_ptr<LibrarySession> open_numpy() { return std::make_unique<NumpySession>(); }

}  // namespace dlscope::embed
