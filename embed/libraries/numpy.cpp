// NumPy: masked arrays drop their mask on export; ml_dtypes arrays call themselves raw bytes.
#include "embed/libraries/library.h"

namespace dlscope::embed {
namespace {

class NumpySession final : public LibrarySession {
 public:
  // ndarray.__dlpack__ and __dlpack_device__ answer from the same function (array_get_dlpack_device).
  [[nodiscard]] bool cpu_claim_is_certain(PyObject*) override { return true; }

  [[nodiscard]] std::optional<core::DType> dtype_behind(PyObject* array) override {
    const PyRef dtype = PyRef::steal(PyObject_GetAttrString(array, "dtype"));
    const PyRef name = PyRef::steal(dtype ? PyObject_GetAttrString(dtype.get(), "name") : nullptr);
    if (!name) PyErr_Clear();
    const auto known = core::dtype_from_name(text_of(name.get()));
    // Types of less than a byte lie one to a byte here, which an array interface cannot say.
    return known && known->item_bits() % 8 == 0 ? known : std::nullopt;
  }

  void after(PyObject* array, Look& look) override {
    PyTypeObject* const type = Py_TYPE(array);
    if (type != last_type_) {
      last_type_ = type;
      last_is_masked_ = is_masked_array(type);
    }
    if (last_is_masked_) {
      look.remark(core::RemarkCode::masked,
                  "a masked array: what is shown are the numbers under the mask, the mask is another array");
    }
  }

 private:
  static bool is_masked_array(PyTypeObject* type) {
    for (const char* module : {"numpy.ma.core", "numpy.ma"}) {
      constexpr const char* kPath[] = {"MaskedArray"};
      const PyRef masked = imported_attribute(module, kPath);
      if (masked && PyType_Check(masked.get())) {
        return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(masked.get())) != 0;
      }
    }
    return false;
  }

  PyTypeObject* last_type_ = nullptr;  // compared only; the scan's type table keeps it alive
  bool last_is_masked_ = false;
};

}  // namespace

std::unique_ptr<LibrarySession> open_numpy() { return std::make_unique<NumpySession>(); }

}  // namespace dlscope::embed
