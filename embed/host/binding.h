// Used by the acts that make a new tensor: calls another library's from_dlpack, judges the result and binds it to a name.
// thread: Python's main thread, GIL held; foreign code runs inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embed/host/acts.h"

namespace dlscope::embed {

struct LibraryAnswer {
  PyRef result;  // empty: the library refused, or an interrupt is pending as a Python error
  std::vector<core::wire::ExchangeCall> calls;
  std::string error_type, error;  // of a refusal
  std::string line;               // the Python line that did it; `subject` must be an expression
  std::uint64_t ns = 0;           // what its calls took
  bool made_copies = false;       // dlscope itself made a copy during these calls
  std::string library = {};       // that was called, like the next
  core::wire::CopyPolicy copy = core::wire::CopyPolicy::if_needed;
};
// `how`: library, device, copy and stream; its tensor and name are not used. A hand-over that is under way step by step is
// finished where it is the same.
[[nodiscard]] LibraryAnswer call_library(const ActContext& context, PyObject* source, const core::wire::HandTo& how,
                                         const std::string& subject);

// The verdict on what the library made of `source`, whether it has the source's values, and its entry in the ledger if it is a
// copy. done: name and line are set. True: it is a copy, and every element was compared. An interrupt stays pending.
bool judge(core::wire::HandedOver& done, PyObject* source, const std::string& subject, const LibraryAnswer& answer,
           const ActContext& context);

// What a tensor of the snapshot is called in texts: the first of its names that is a Python expression; else the first.
[[nodiscard]] std::string name_for_text(const ActContext& context, std::uint32_t tensor);

// `wanted`, or a free name made from the tensor's: "x_torch". Error with a message for the user: the name cannot be used.
[[nodiscard]] core::Result<std::string> name_for_result(const ActContext& context, const std::string& wanted,
                                                        const std::string& subject, const std::string& suffix);
// In the namespace of script and console. False with a Python error set.
[[nodiscard]] bool bind_result(const ActContext& context, const std::string& name, PyObject* result);

// Gives up a hand-over that is under way step by step. exchange: python/dlscope/_host_exchange.py.
void end_steps(PyObject* exchange);

// The pending exception in its own words; an interrupt stays pending.
[[nodiscard]] core::Error error_as_text();

}  // namespace dlscope::embed
