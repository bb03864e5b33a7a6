// The protocols an object offers: which of them answered, and how the others refused.
// thread: GIL held; foreign code runs inside.
#pragma once

#include <array>
#include <optional>

#include "embed/objects/describer.h"

namespace dlscope::embed {

struct ProtocolAnswer {
  const char* name = "";  // as in the report
  bool offered = false, accepted = false;
  std::optional<Refusal> refusal;
};

// Tries each protocol alone, as far as who asks allows it. nullopt: an error is set (KeyboardInterrupt).
[[nodiscard]] std::optional<std::array<ProtocolAnswer, 4>> ask_every_protocol(PyObject* object, TypeFacts& facts,
                                                                              AskedBy asked_by, Describer& describer);

}  // namespace dlscope::embed
