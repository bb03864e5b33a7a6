// Look: what one look at an object found out: the tensor's description, and who said no on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/tensor_desc.h"

namespace dlscope::embed {

// A protocol that was asked and refused. type: the exception's type, or "dlscope.<Reason>" when what the producer gave
// was no answer to the protocol and the words are ours.
struct Refusal {
  core::Protocol protocol{};
  std::string type;
  std::string message;
};

// What the older protocols may be about: single native numbers, as DLPack can say them; or also records, dates, texts, numbers in
// the other byte order, whose memory is as plain (core/tensor/item_type.h).
enum class Elements : std::uint8_t { numbers, any };

// Reused for a whole scan: it allocates only for refusals and remarks.
struct Look {
  core::TensorDesc desc;  // desc.protocol is none when nobody answered
  std::vector<Refusal> refusals;
  std::vector<core::Remark> remarks;  // beside those in desc; they survive a protocol that failed after all

  void clear() {
    desc.clear();
    clear_text();
  }
  void clear_text() {
    refusals.clear();
    remarks.clear();
  }
  void refuse(core::Protocol protocol, std::string type, std::string message) {
    refusals.push_back({protocol, std::move(type), std::move(message)});
  }
  void remark(core::RemarkCode code, std::string message) { remarks.push_back({code, std::move(message)}); }
};

inline constexpr const char* kUnsupported = "dlscope.Unsupported";  // well formed, but nothing here can describe it
inline constexpr const char* kMalformed = "dlscope.Malformed";      // the answer breaks the protocol's rules
inline constexpr const char* kNotCalled = "dlscope.NotCalled";      // not asked, because asking would do harm

}  // namespace dlscope::embed
