// Description: what examining one object gave: the tensor, and the protocols that refused to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor_desc.h"
#include "embed/protocols/held_memory.h"

namespace dlscope::embed {

// A protocol that was asked and refused. type: the exception's type, or "dlscope.<Reason>" when the answer was invalid and the
// message is ours.
struct Refusal {
  core::Protocol protocol{};
  std::string type;
  std::string message;
};

// Which items the older protocols may describe: single native numbers, as DLPack can express; or any plain item: also records,
// dates, texts, numbers in the other byte order (core/tensor/item_type.h).
enum class Elements : std::uint8_t { numbers, any };

// What becomes of the export (capsule, struct, buffer) that a protocol gives to be described: given back at once, or kept, so that
// the memory which was described stays what it was.
enum class Export : std::uint8_t { give_back, keep };

// Reused for a whole scan: allocates only for refusals and remarks.
struct Description {
  core::TensorDesc desc;  // desc.protocol is none when no protocol answered
  std::vector<Refusal> refusals;
  std::vector<core::Remark> remarks;  // in addition to those in desc; kept when a protocol fails later
  Export export_after = Export::give_back;  // set by whoever looks
  HeldMemory memory;                  // with Export::keep: keeps what desc describes alive until it is cleared
  // Of __cuda_array_interface__, which names no device: the driver told which one it is. And the stream that a consumer has to order
  // itself after, as its exporter wrote it; nullopt: none.
  bool driver_told_device = false;
  std::optional<std::int64_t> stream;

  [[nodiscard]] bool keeps() const { return export_after == Export::keep; }
  void clear() {
    desc.clear();
    clear_text();
    memory = {};
  }
  // All but `desc` and `memory`.
  void clear_text() {
    refusals.clear();
    remarks.clear();
    driver_told_device = false;
    stream.reset();
  }
  void refuse(core::Protocol protocol, std::string type, std::string message) {
    refusals.push_back({protocol, std::move(type), std::move(message)});
  }
  void remark(core::RemarkCode code, std::string message) { remarks.push_back({code, std::move(message)}); }
};

inline constexpr const char* kUnsupported = "dlscope.Unsupported";  // valid, but not describable here
inline constexpr const char* kMalformed = "dlscope.Malformed";      // the answer breaks the protocol's rules
inline constexpr const char* kNotCalled = "dlscope.NotCalled";      // not called, because calling would do harm

}  // namespace dlscope::embed
