#include <fmt/format.h>

#include <optional>
#include <utility>

#include "embed/protocols/dlpack_take.h"
#include "embed/protocols/stream_watch.h"
#include "embed/tensors/ask_producer.h"
#include "embed/tensors/device_memory.h"
#include "embed/tensors/tensor_copy.h"

namespace dlscope::embed {

std::shared_ptr<HeldTensor> take_bare_capsule(PyObject* capsule, const TakeRequest& wanted, std::string_view why) {
  CopyRequest copy{.order = CopyOrder::keep, .why = why, .keeps_gil = true};
  std::optional<NewTensor> target;  // of the copy, if one is needed
  const auto may_take = [&](HeldTensor& held) {
    held.source = "a capsule";
    const bool elsewhere = wanted.device && *wanted.device != held.device;
    const bool reachable = held.in_host_memory() || is_on_cuda_device(held.device);
    if (elsewhere && (!can_allocate_on(*wanted.device) || !reachable)) {
      const std::string text = fmt::format("the capsule's memory is on {}, and a capsule cannot be asked for '{}'",
                                           core::device_name(held.device), core::device_name(*wanted.device));
      PyErr_SetString(PyExc_ValueError, text.c_str());
      return false;
    }
    if (elsewhere && !may_move(held.device, wanted)) return false;
    if (!elsewhere && !wanted.copy.value_or(false)) return true;
    copy.device = elsewhere ? *wanted.device : is_on_cuda_device(held.device) ? held.device : core::kCpuDevice;
    copy.may_leave_device = elsewhere;
    target = target_for_copy(held, copy);
    return target.has_value();
  };
  auto held = shared_describer().dlpack().take_capsule(capsule, false, may_take);
  if (!held) return nullptr;
  const bool on_host = is_host(held->device);
  note_hand_over_without_stream({held->source, "dlscope"}, held->device,
                                on_host ? core::RecordedMemory{0, held->address(), held->nbytes()} : held->recorded, {},
                                on_host ? "" : "another caller asked for it: with which stream is not known");
  return target ? copy_to_target(*held, std::move(*target), copy) : held;
}

}  // namespace dlscope::embed
