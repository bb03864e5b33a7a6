// What the acts that make something share: a call of another library's from_dlpack, and the name its result gets.
// thread: Python's main thread, GIL held; foreign code runs inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embed/host/acts.h"

namespace dlscope::embed {

struct LibraryAnswer {
  PyRef result;  // empty: it refused, or a Python error is set (an interrupt)
  std::vector<core::wire::ExchangeCall> calls;
  std::string error_type, error;  // of a refusal
};
// `how`: library, device, copy and stream; its tensor and name are not used.
[[nodiscard]] LibraryAnswer call_library(const ActContext& context, PyObject* source, const core::wire::HandTo& how,
                                         const std::string& subject);

// What a tensor of the snapshot is called in texts: the first of its names that is a Python expression; else the first.
[[nodiscard]] std::string name_for_text(const ActContext& context, std::uint32_t tensor);

// `wanted`, or a free name made from the tensor's: "x_torch". Fails in words.
[[nodiscard]] core::Result<std::string> name_for_result(const ActContext& context, const std::string& wanted,
                                                        const std::string& subject, const std::string& suffix);
// In the namespace of script and console. False with a Python error set.
[[nodiscard]] bool bind_result(const ActContext& context, const std::string& name, PyObject* result);

// The Python line, as the window offers it for copying; "": there is none for this device or stream. `subject` must be an
// expression.
[[nodiscard]] std::string line_for(const ActContext& context, const core::wire::HandTo& how, const std::string& subject);

// The pending exception in its own words; an interrupt stays pending.
[[nodiscard]] core::Error error_as_text();

}  // namespace dlscope::embed
