// NumPy: masked arrays drop their mask on export; ml_dtypes arrays call themselves raw bytes.
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

class NumpySession final : public LibrarySession {
 public:
  // ndarray.__dlpack__ and __dlpack_device__ answer from the same function (array_get_dlpack_device).
  [[nodiscard]] Habits habits(PyTypeObject* type) override {
    // A scalar's __array_interface__ points into an array made for the answer (gentype_interface_get); its buffer is its own.
    const bool is_scalar = is_subtype(type, "numpy", "generic");
    return {.before_may_object = false,
            .after_may_add = is_masked_array(type),
            .cpu_claim_is_certain = true,
            .protocols = is_scalar ? kAskBuffer : kAskAll};
  }

  [[nodiscard]] std::optional<core::DType> dtype_behind(PyObject* array) override {
    const PyRef dtype = PyRef::steal(PyObject_GetAttrString(array, "dtype"));
    const PyRef name = PyRef::steal(dtype ? PyObject_GetAttrString(dtype.get(), "name") : nullptr);
    if (!name) clear_unless_interrupt();
    const auto known = core::dtype_from_name(text_of(name.get()));
    // Types of less than a byte lie one to a byte here, which an array interface cannot say.
    return known && known->item_bits() % 8 == 0 ? known : std::nullopt;
  }

  // Masked arrays only, see habits().
  void after(PyObject*, Look& look) override {
    look.remark(core::RemarkCode::masked,
                "a masked array: what is shown are the numbers under the mask, the mask is another array");
  }

 private:
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
