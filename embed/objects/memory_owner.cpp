#include "embed/objects/memory_owner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::AllocationSource;
using core::ByteRange;
using core::TensorDesc;

constexpr int kLongestChain = 64;

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

// Empty if the range would leave the address space.
ByteRange range_of(Address begin, std::uint64_t bytes) {
  return begin != 0 && bytes <= ~Address{0} - begin ? ByteRange{begin, begin + bytes} : ByteRange{};
}

// method() of an object of a library, as a number of bytes or an address; 0 if it fails.
std::uint64_t number_from(PyObject* object, PyObject* method) {
  const PyRef answer = PyRef::steal(dlscope_call_method(method, &object, 1, nullptr));
  const std::uint64_t number = answer && PyLong_Check(answer.get()) ? PyLong_AsUnsignedLongLong(answer.get()) : 0;
  if (PyErr_Occurred() == nullptr) return number;
  clear_unless_interrupt();
  return 0;
}

std::uint64_t number_in(PyObject* object, const char* attribute) {
  const PyRef value = PyRef::steal(PyObject_GetAttrString(object, attribute));
  const std::uint64_t number = value && PyLong_Check(value.get()) ? PyLong_AsUnsignedLongLong(value.get()) : 0;
  if (PyErr_Occurred() == nullptr) return number;
  clear_unless_interrupt();
  return 0;
}

// The fields of every ndarray: PyArrayObject_fields, part of NumPy's binary interface since 1.7. Read directly, because an
// attribute takes half as long as describing the array does, and a subclass may have a `base` of its own.
struct ArrayFields {
  PyObject head;
  char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;
};
constexpr int kOwnsData = 0x4;

const ArrayFields& fields_of(PyObject* array) { return *reinterpret_cast<const ArrayFields*>(array); }

// An array that owns its data has allocated its elements and nothing more, whatever its strides.
ByteRange memory_of_owner(const ArrayFields& array, std::uint64_t item_bytes) {
  std::uint64_t bytes = item_bytes;
  bool overflows = false;
  for (int d = 0; d < array.rank; ++d)
    overflows |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(array.shape[d]), &bytes);
  return overflows ? ByteRange{} : range_of(address_of(array.data), bytes);
}

std::uint64_t item_bytes_of(PyObject* array) {
  const PyRef size = stored_attribute(array, "itemsize");
  const std::uint64_t bytes = size && PyLong_Check(size.get()) ? PyLong_AsUnsignedLongLong(size.get()) : 0;
  if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
  return bytes;
}

bool is_worth_counting(ByteRange memory, const TensorDesc& desc) {
  return memory.size() > desc.extent.size() && memory.size() - desc.extent.size() >= core::kLeastUnused;
}

std::uint32_t as_count(Py_ssize_t references) {
  return static_cast<std::uint32_t>(std::clamp<Py_ssize_t>(references, 0, std::numeric_limits<std::int32_t>::max()));
}

ByteRange numpy_array(PyObject* object, const TensorDesc& desc, bool is_described, OwnerStep& out) {
  const ArrayFields* array = &fields_of(object);
  // A subclass may export other memory than its own.
  if (is_described && (address_of(array->data) != desc.address() || array->rank != desc.rank)) return {};
  PyObject* const described_dtype = is_described ? array->dtype : nullptr;
  PyObject* owner = object;
  PyObject* referrer = nullptr;
  for (int i = 0; (array->flags & kOwnsData) == 0; ++i) {
    if (array->base == nullptr || i == kLongestChain) return {};
    if (Py_TYPE(array->base) != Py_TYPE(object)) {
      out.next = PyRef::share(array->base);
      return {};
    }
    referrer = std::exchange(owner, array->base);
    array = &fields_of(owner);
  }
  out.source = owner == object && is_described ? AllocationSource::exporter : AllocationSource::base;
  const ByteRange memory =
      memory_of_owner(*array, array->dtype == described_dtype ? desc.item_bits() / 8 : item_bytes_of(owner));
  if (referrer != nullptr && is_worth_counting(memory, desc)) {
    out.references = as_count(Py_REFCNT(owner));
    out.referrer = address_of(referrer);
  }
  return memory;
}

// What as_strided() puts between an array and its base.
ByteRange numpy_stride_trick(PyObject* object, const TensorDesc&, bool, OwnerStep& out) {
  out.next = stored_attribute(object, "base");
  return {};
}

// How many tensors use the storage; 0: PyTorch does not say. Its Python object is no tensor, and a view's base that nobody else has
// lives only for its views. (PyTorch: the tensor and its Python object have one reference each to a base.)
std::uint32_t uses_of_storage(PyObject* storage, PyObject* tensor) {
  constexpr const char* kUseCount[] = {"_C", "_storage_Use_Count"};
  const PyRef use_count = imported_attribute("torch", kUseCount);
  const PyRef handle = PyRef::steal(use_count ? PyObject_GetAttrString(storage, "_cdata") : nullptr);
  const PyRef count = PyRef::steal(handle ? PyObject_CallFunctionObjArgs(use_count.get(), handle.get(), nullptr) : nullptr);
  const PyRef base = PyRef::steal(count ? PyObject_GetAttrString(tensor, "_base") : nullptr);
  Py_ssize_t uses = count && PyLong_Check(count.get()) ? PyLong_AsSsize_t(count.get()) - 1 : 0;
  if (base && base.get() != Py_None && Py_REFCNT(base.get()) <= 2) --uses;
  if (PyErr_Occurred() != nullptr) clear_unless_interrupt();
  return as_count(uses);
}

// Asking for a storage makes a small Python object that PyTorch keeps as long as the storage. data_ptr() would make the copy that
// a copy-on-write tensor has put off; a tensor that was described is none.
ByteRange torch_tensor(PyObject* tensor, const TensorDesc& desc, bool is_described, OwnerStep& out) {
  static PyObject* const untyped_storage = PyUnicode_InternFromString("untyped_storage");
  static PyObject* const nbytes = PyUnicode_InternFromString("nbytes");
  static PyObject* const data_ptr = PyUnicode_InternFromString("data_ptr");
  if (!is_described) {
    constexpr const char* kIsCow[] = {"_C", "_is_cow_tensor"};
    const PyRef is_cow = imported_attribute("torch", kIsCow);
    const PyRef answer = PyRef::steal(is_cow ? PyObject_CallFunctionObjArgs(is_cow.get(), tensor, nullptr) : nullptr);
    if (!answer) clear_unless_interrupt();
    if (answer.get() != Py_False) return {};
  }
  out.source = AllocationSource::storage;
  PyRef storage = PyRef::steal(dlscope_call_method(untyped_storage, &tensor, 1, nullptr));
  if (!storage) {
    clear_unless_interrupt();
    return {};
  }
  KnownStorage& last = out.last_storage;
  if (storage.get() != last.object.get()) {
    const std::uint64_t bytes = number_from(storage.get(), nbytes);
    const Address begin = bytes != 0 ? number_from(storage.get(), data_ptr) : 0;
    last = {std::move(storage), range_of(begin, bytes)};
  }
  if (is_worth_counting(last.memory, desc)) {
    out.references = uses_of_storage(last.object.get(), tensor);
    out.referrer = address_of(tensor);
  }
  return last.memory;
}

// The buffer in which the described values lie.
ByteRange arrow_array(PyObject* array, const TensorDesc& desc, bool, OwnerStep& out) {
  const PyRef buffers = PyRef::steal(PyObject_CallMethod(array, "buffers", nullptr));
  if (!buffers) clear_unless_interrupt();
  for (Py_ssize_t i = 0; buffers && PyList_Check(buffers.get()) && i < PyList_Size(buffers.get()); ++i) {
    PyObject* const buffer = PyList_GetItem(buffers.get(), i);
    if (buffer == Py_None) continue;
    const ByteRange memory = range_of(number_in(buffer, "address"), number_in(buffer, "size"));
    if (!memory.contains(desc.extent.begin)) continue;
    out.next = PyRef::share(buffer);
    return {};
  }
  return {};
}

ByteRange arrow_buffer(PyObject* buffer, const TensorDesc&, bool, OwnerStep& out) {
  PyRef parent = PyRef::steal(PyObject_GetAttrString(buffer, "parent"));
  if (!parent) {
    clear_unless_interrupt();
    return {};
  }
  if (parent.get() == Py_None) return range_of(number_in(buffer, "address"), number_in(buffer, "size"));
  out.next = std::move(parent);
  return {};
}

ByteRange bytes_object(PyObject* object, const TensorDesc&, bool, OwnerStep&) {
  return range_of(address_of(PyBytes_AsString(object)), static_cast<std::uint64_t>(PyBytes_Size(object)));
}

ByteRange byte_array(PyObject* object, const TensorDesc&, bool, OwnerStep&) {
  return range_of(address_of(PyByteArray_AsString(object)), static_cast<std::uint64_t>(PyByteArray_Size(object)));
}

ByteRange memory_view(PyObject* view, const TensorDesc&, bool, OwnerStep& out) {
  out.next = PyRef::steal(PyObject_GetAttrString(view, "obj"));
  if (!out.next) clear_unless_interrupt();  // released
  return {};
}

// All that the object exports, asked for and given back at once.
ByteRange exported_memory(PyObject* object) {
  BufferView view{};
  if (dlscope_get_buffer(object, &view, 0) != 0) {
    clear_unless_interrupt();
    return {};
  }
  const ByteRange memory = range_of(address_of(view.buf), static_cast<std::uint64_t>(view.len));
  dlscope_release_buffer(&view);
  return memory;
}

ByteRange array_array(PyObject* object, const TensorDesc&, bool, OwnerStep&) { return exported_memory(object); }

ByteRange memory_map(PyObject* object, const TensorDesc&, bool, OwnerStep& out) {
  out.source = AllocationSource::mapping;
  return exported_memory(object);
}

// Memory that ctypes has allocated for the object itself.
ByteRange ctypes_object(PyObject* object, const TensorDesc& desc, bool is_described, OwnerStep&) {
  if (!is_described) return {};
  const PyRef base = stored_attribute(object, "_b_base_"), owns = stored_attribute(object, "_b_needsfree_");
  const bool is_owner = base.get() == Py_None && owns && PyLong_Check(owns.get()) && PyLong_AsLong(owns.get()) != 0;
  return is_owner ? desc.extent : ByteRange{};
}

bool is_class(PyTypeObject* type, const char* module, const char* name) {
  return imported_attribute(module, std::span(&name, 1)).get() == reinterpret_cast<PyObject*>(type);
}

bool is_subclass(PyTypeObject* type, const char* module, const char* name) {
  const PyRef known = imported_attribute(module, std::span(&name, 1));
  return known && PyType_Check(known.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(known.get())) != 0;
}

// Of PyArrow itself: a subclass of the user's may answer with code of its own.
bool is_of_arrow(PyTypeObject* type, const char* name) {
  return is_subclass(type, "pyarrow.lib", name) &&
         text_of(type_attribute(reinterpret_cast<PyObject*>(type), "__module__").get()) == "pyarrow.lib";
}

struct Row {
  bool (*holds_for)(PyTypeObject* type);
  MemoryOwners::Step step;
};
constexpr std::array kRows{
    Row{[](PyTypeObject* type) { return is_subclass(type, "numpy", "ndarray"); }, numpy_array},
    Row{[](PyTypeObject* type) {
          return is_class(type, "numpy.lib._stride_tricks_impl", "DummyArray") ||
                 is_class(type, "numpy.lib.stride_tricks", "DummyArray");
        },
        numpy_stride_trick},
    Row{[](PyTypeObject* type) { return is_class(type, "torch", "Tensor") || is_class(type, "torch.nn", "Parameter"); },
        torch_tensor},
    Row{[](PyTypeObject* type) { return is_of_arrow(type, "Array"); }, arrow_array},
    Row{[](PyTypeObject* type) { return is_of_arrow(type, "Buffer"); }, arrow_buffer},
    Row{[](PyTypeObject* type) { return PyType_HasFeature(type, Py_TPFLAGS_BYTES_SUBCLASS) != 0; }, bytes_object},
    Row{[](PyTypeObject* type) { return PyType_IsSubtype(type, &PyByteArray_Type) != 0; }, byte_array},
    Row{[](PyTypeObject* type) { return type == &PyMemoryView_Type; }, memory_view},
    Row{[](PyTypeObject* type) { return is_class(type, "array", "array"); }, array_array},
    Row{[](PyTypeObject* type) { return is_class(type, "mmap", "mmap"); }, memory_map},
    Row{[](PyTypeObject* type) { return derives_from(type, "_ctypes", "_CData"); }, ctypes_object},
};

}  // namespace

MemoryOwners::Step MemoryOwners::learn(PyTypeObject* type) {
  const auto* const row = std::ranges::find_if(kRows, [&](const Row& each) { return each.holds_for(type); });
  const Step step = row != kRows.end() ? row->step : nullptr;
  index_.insert(type, static_cast<std::uint32_t>(steps_.size()));
  steps_.push_back(step);
  types_.push_back(PyRef::share(reinterpret_cast<PyObject*>(type)));
  return step;
}

void MemoryOwners::follow(PyObject* object, Step step, TensorDesc& desc) {
  PyRef owner;
  const PyObject* referrer = nullptr;
  for (int i = 0; step != nullptr && i < kLongestChain; ++i) {
    OwnerStep found{{}, {}, last_storage_, 0, 0};
    const ByteRange memory = step(object, desc, i == 0, found);
    if (!memory.empty()) {
      const bool contains = memory.begin <= desc.extent.begin && desc.extent.end <= memory.end;
      if (!contains && !desc.extent.empty()) return;
      desc.allocation = memory;
      if (found.references == 0 && referrer != nullptr && is_worth_counting(memory, desc)) {
        found.references = as_count(Py_REFCNT(object) - 1);  // without `owner`
        found.referrer = address_of(referrer);
      }
      desc.allocation_references = found.references;
      desc.allocation_referrer = found.referrer;
      desc.allocation_source = found.source.value_or(i == 0 ? AllocationSource::exporter : AllocationSource::base);
      return;
    }
    if (!found.next || PyErr_Occurred() != nullptr) return;
    referrer = object;
    owner = std::move(found.next);
    object = owner.get();
    step = step_of(Py_TYPE(object));
  }
}

}  // namespace dlscope::embed
