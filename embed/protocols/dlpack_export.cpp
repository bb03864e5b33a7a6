#include "embed/protocols/dlpack_export.h"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>

#include "embed/any_thread_gil.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/protocols/dlpack_take.h"

namespace dlscope::embed {
namespace {

using core::CapsuleKind;

// The struct comes first: the deleter gets only its address, which is also the block's. Shape and strides follow it: a copy for
// each consumer, because some consumers modify them.
template <class Struct>
struct Exported {
  Struct managed{};
  HeldTensorPtr tensor;

  [[nodiscard]] static Exported* make(HeldTensorPtr tensor) {
    const std::size_t numbers = 2 * static_cast<std::size_t>(tensor->rank);
    void* const memory = ::operator new(sizeof(Exported) + numbers * sizeof(std::int64_t));
    return new (memory) Exported{{}, std::move(tensor)};
  }
  static void destroy(Struct* managed) {
    auto* const self = reinterpret_cast<Exported*>(managed);
    self->~Exported();
    ::operator delete(self);
  }
  [[nodiscard]] std::int64_t* arrays() { return reinterpret_cast<std::int64_t*>(this + 1); }
};
using Legacy = Exported<DLManagedTensor>;
using Versioned = Exported<DLManagedTensorVersioned>;

void fill(const HeldTensor& from, DLTensor& to, std::int64_t* shape, std::int64_t* strides) {
  to.data = reinterpret_cast<void*>(from.data);
  to.device = {static_cast<DLDeviceType>(from.device.type), from.device.id};
  to.ndim = from.rank;
  to.dtype = {from.dtype.code, from.dtype.bits, from.dtype.lanes};
  to.shape = shape;
  to.strides = strides;
  to.byte_offset = from.byte_offset;
}

template <class Struct>
void fill_all(Exported<Struct>& made) {
  const HeldTensor& tensor = *made.tensor;
  std::int64_t* const shape = made.arrays();
  std::int64_t* const strides = shape + tensor.rank;
  std::ranges::copy(tensor.shape(), shape);
  std::ranges::copy(tensor.stride_elements(), strides);
  fill(tensor, made.managed.dl_tensor, shape, strides);
  made.managed.manager_ctx = &made;
  made.managed.deleter = Exported<Struct>::destroy;
}

std::uint64_t flags_of(const HeldTensor& tensor, WasCopied copied) {
  std::uint64_t flags = 0;
  if (!tensor.may_write()) flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (copied == WasCopied::for_this_consumer) flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  if (tensor.subbyte_padded) flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  return flags;
}

DLManagedTensorVersioned* make_versioned(HeldTensorPtr tensor, WasCopied copied) {
  Versioned* const made = Versioned::make(std::move(tensor));
  made->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  made->managed.flags = flags_of(*made->tensor, copied);
  fill_all(*made);
  return &made->managed;
}

DLManagedTensor* make_legacy(HeldTensorPtr tensor) {
  Legacy* const made = Legacy::make(std::move(tensor));
  fill_all(*made);
  return &made->managed;
}

// The destructor of a capsule that was not consumed. It may run while an exception is set; HeldTensor's destructor preserves it.
template <class Struct>
void destroy_capsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // consumed: it belongs to the consumer now
  auto* const managed = static_cast<Struct*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}
void destroy_legacy_capsule(PyObject* capsule) { destroy_capsule<DLManagedTensor>(capsule, "dltensor"); }
void destroy_versioned_capsule(PyObject* capsule) { destroy_capsule<DLManagedTensorVersioned>(capsule, "dltensor_versioned"); }

template <class Struct>
PyRef in_capsule(Struct* managed, const char* name, PyCapsule_Destructor destructor) {
  PyRef capsule = PyRef::steal(PyCapsule_New(managed, name, destructor));
  if (!capsule) managed->deleter(managed);
  return capsule;
}

// ---- The exchange table: C functions, which no C++ exception may leave. ------------------------------------------------

ExchangeHooks hooks;

template <class Function>
int guarded_call(Function function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return -1;
}

bool refuse_unexportable(const HeldTensor& tensor) {
  const char* const why = why_not_exportable(tensor);
  if (why != nullptr) PyErr_SetString(PyExc_BufferError, why);
  return why != nullptr;
}

int table_export(void* object, DLManagedTensorVersioned** out) {
  return guarded_call([&] {
    HeldTensorPtr tensor = hooks.tensor_of(static_cast<PyObject*>(object));
    if (!tensor || refuse_unexportable(*tensor)) return -1;
    const auto give_back = [](DLManagedTensorVersioned* made) { made->deleter(made); };
    std::unique_ptr<DLManagedTensorVersioned, decltype(give_back)> made(make_versioned(tensor, WasCopied::no), give_back);
    note_own_export({nullptr, made.get(), CapsuleKind::dltensor_versioned, tensor->dtype, tensor->shape(), tensor->nbytes(),
                     tensor->extent, tensor->device});
    *out = made.release();
    return 0;
  });
}

// A bare DLTensor has no flags, so it cannot say that it is read-only.
int table_lend(void* object, DLTensor* out) {
  return guarded_call([&] {
    const HeldTensorPtr tensor = hooks.tensor_of(static_cast<PyObject*>(object));
    if (!tensor || refuse_unexportable(*tensor)) return -1;
    if (!tensor->may_write()) {
      PyErr_SetString(PyExc_BufferError, "read-only memory cannot be lent as a bare DLTensor, which cannot say so");
      return -1;
    }
    // Its arrays are the tensor's own, which live as long as the object: the borrower must not write to them.
    fill(*tensor, *out, const_cast<std::int64_t*>(tensor->shape().data()),
         const_cast<std::int64_t*>(tensor->stride_elements().data()));
    return 0;
  });
}

// Steals the struct, but only where it succeeds: after a failure callers (tvm-ffi, as PyTorch's own table has it) call the deleter.
int table_import(DLManagedTensorVersioned* managed, void** out) {
  return guarded_call([&] {
    const std::shared_ptr<HeldTensor> tensor = read_managed(managed);
    *out = tensor ? hooks.wrap(tensor).release() : nullptr;
    if (*out == nullptr) return -1;
    hold_managed(*tensor, managed);
    return 0;
  });
}

using SetError = void (*)(void* context, const char* kind, const char* message);

int allocate_by(const DLTensor& wanted, DLManagedTensorVersioned** out, void* context, SetError set_error) {
  if (wanted.device.device_type != kDLCPU) {
    set_error(context, "BufferError", "dlscope allocates host memory (cpu) only");
    return -1;
  }
  const core::DType dtype{wanted.dtype.code, wanted.dtype.bits, wanted.dtype.lanes};
  if (wanted.ndim < 0 || wanted.ndim > core::kMaxRank || dtype.item_bits() == 0 || (wanted.ndim > 0 && wanted.shape == nullptr)) {
    set_error(context, "ValueError", "no tensor can have this shape and dtype");
    return -1;
  }
  const auto shape = std::span(wanted.shape, static_cast<std::size_t>(wanted.ndim));
  const core::Layout layout = core::Layout::c_order({shape.begin(), shape.end()}, dtype.item_bits());
  const auto made = allocate_tensor(shape, layout.stride_bits, dtype, false);
  if (!made) {
    set_error(context, "MemoryError", made.error().message.c_str());
    return -1;
  }
  *out = make_versioned(made->tensor, WasCopied::no);
  return 0;
}

// May be called without the GIL. The bytes are not initialised, as with any allocator.
int table_allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context, SetError set_error) {
  try {
    return allocate_by(*prototype, out, context, set_error);
  } catch (const std::exception& error) {
    set_error(context, "MemoryError", error.what());
  }
  return -1;
}

// dlscope has no stream of its own to name here. Null is the default stream.
int table_stream(DLDeviceType, std::int32_t, void** out) {
  *out = nullptr;
  return 0;
}

constexpr DLPackExchangeAPI kTable{.header = {.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, .prev_api = nullptr},
                                   .managed_tensor_allocator = table_allocate,
                                   .managed_tensor_from_py_object_no_sync = table_export,
                                   .managed_tensor_to_py_object_no_sync = table_import,
                                   .dltensor_from_py_object_no_sync = table_lend,
                                   .current_work_stream = table_stream};

}  // namespace

const char* why_not_exportable(const HeldTensor& tensor) {
  if (!tensor.has_element_strides) return "DLPack counts strides in whole elements, which the strides of this tensor are not";
  return nullptr;
}

PyRef make_capsule(HeldTensorPtr tensor, CapsuleKind kind, WasCopied copied) {
  const HeldTensor& exported = *tensor;  // the struct keeps it
  void* managed = nullptr;
  PyRef capsule;
  if (kind == CapsuleKind::dltensor) {
    DLManagedTensor* const made = make_legacy(std::move(tensor));
    managed = made;
    capsule = in_capsule(made, "dltensor", destroy_legacy_capsule);
  } else {
    DLManagedTensorVersioned* const made = make_versioned(std::move(tensor), copied);
    managed = made;
    capsule = in_capsule(made, "dltensor_versioned", destroy_versioned_capsule);
  }
  if (capsule) {
    note_own_export({capsule.get(), managed, kind, exported.dtype, exported.shape(), exported.nbytes(), exported.extent,
                     exported.device});
  }
  return capsule;
}

PyRef make_exchange_table(const ExchangeHooks& type_hooks) {
  hooks = type_hooks;
  return PyRef::steal(PyCapsule_New(const_cast<DLPackExchangeAPI*>(&kTable), "dlpack_exchange_api", nullptr));
}

}  // namespace dlscope::embed
