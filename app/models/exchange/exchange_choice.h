// The choices for a hand-over or a copy, and what Python reports beforehand: the available libraries, and the calls it will make.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/wire/work.h"

namespace dlscope::app {

struct ExchangeLibrary {
  std::string name, version;  // version: only when imported
  std::string function;       // "torch.from_dlpack"
  bool imported = false;
  std::vector<std::string> devices = {};  // the kinds that the function can be given: "cpu", "cuda"
};
// Reads the answer to the question "exchange_libraries".
[[nodiscard]] core::Result<std::vector<ExchangeLibrary>> read_libraries(std::string_view text);

struct ExchangePlan {
  std::string line;  // Python code that does the same
  std::vector<core::wire::ExchangeCall> calls;
  bool known = false;            // the calls were rehearsed
  std::string why_not;           // why they cannot be rehearsed; "": they can
  std::string refused = {};      // why this hand-over cannot be asked for; "": it can
  std::string stream_note = {};  // what the chosen stream means on the tensor's device
};
// Reads the answer to the question "exchange_plan"; plan_question() below builds the question.
[[nodiscard]] core::Result<ExchangePlan> read_plan(std::string_view text);

struct ExchangeChoice {
  std::string library, device;  // device "": where the tensor is
  core::wire::CopyPolicy copy = core::wire::CopyPolicy::if_needed;
  std::string stream = {};  // as core::wire::HandTo::stream
  bool operator==(const ExchangeChoice&) const = default;
};
// device: of the tensor. rehearse: the library is called, with an array of 8 bytes, to find out which calls it makes. Otherwise
// no code of it runs.
[[nodiscard]] std::string plan_question(const ExchangeChoice& choice, std::string_view subject, core::DeviceId device,
                                        bool rehearse);

// "imported, 2.13.0" or "not imported yet"
[[nodiscard]] std::string library_state_text(const ExchangeLibrary& library);

// A row of a list of devices.
struct DeviceRow {
  std::string device;        // as from_dlpack and dlscope.copy() are given it; "": none
  std::string title;         // "cuda:1, NVIDIA H100"
  std::string why_not = {};  // why it cannot be chosen; "": it can
};
// For a hand-over to this library; null: to none yet. known: its CUDA devices, and the oneAPI devices that its tensors lie on, are
// offered; of a kind of which none is known there is one row, which says so.
[[nodiscard]] std::vector<DeviceRow> hand_over_devices(const core::Snapshot& known, const ExchangeLibrary* library,
                                                       bool with_stream);
// For a copy that dlscope makes, for this library; null: for itself. On a oneAPI device, where dlscope has no memory of its own,
// the library makes one more copy.
[[nodiscard]] std::vector<DeviceRow> copy_devices(const core::Snapshot& known, const ExchangeLibrary* library = nullptr);

// Names of dtypes that a copy can be converted to; the first, "", keeps the source's own.
[[nodiscard]] const std::vector<std::string>& convertible_dtypes();

}  // namespace dlscope::app
