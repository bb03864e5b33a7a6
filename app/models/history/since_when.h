// Since when something is as it is: found by going back over the kept moments, one by one, as long as it was the same. Exact for the
// moments that were kept; what happened between two of them is not seen, and what was before the first of them is not known.
//
// A tensor is followed from moment to moment by its name paths; where none of them is known in the moment before, by its address and
// layout within one process (match_tensors has the rule), and that is said.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"

namespace dlscope::app {

enum class TensorFact : std::uint8_t {
  listed,      // it is there
  place,       // its address
  contiguity,  // C-contiguous, not contiguous
  shape,       // its shape and strides
  dtype,
  device,
  read_only,
  shares,  // bytes with the other one
  // Of a tensor whose bytes were remembered:
  bytes,  // all of them
  nan,    // whether it holds one
  value,  // of one element
};

struct SinceWhen {
  enum class End : std::uint8_t {
    first_kept,     // it is so in the oldest moment that is kept: since before that, or since then, is not known
    different,      // in the moment before it was otherwise
    not_listed,     // in the moment before it was not there
    other_process,  // the moment before is of another Python, where an address says nothing
    unknown,        // in the moment before it is not known
    not_kept,       // the bytes of the moment before were not remembered
  };
  TensorFact fact{};
  End end{};
  std::string is;                        // what it is: "not contiguous", "shares 48 B with y"
  std::string was;                       // with `different`: what it was: "C-contiguous"
  std::uint64_t first = 0;               // the number of the oldest moment in which it is so without a break
  std::uint64_t before = 0;              // of the moment before; 0: none is kept
  std::string first_text, before_text;   // what they are called
  std::string other_name;                // it was found under another name from some moment on backwards; "": not
  std::string detail;                    // what is to be said of the first moment beside; "": nothing
  std::optional<std::uint64_t> element;  // where in the tensor it is to be seen in the first moment
};

struct TensorHistory {
  std::uint64_t moment = 0;  // the one that was looked from
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  std::size_t moments = 0;  // that were looked at
  bool older_given_up = false;
  std::vector<SinceWhen> facts;
};
using TensorHistoryPtr = std::shared_ptr<const TensorHistory>;

class TensorTrail;

struct SinceWhenRequest {
  std::uint64_t at = 0;  // one of the moments
  std::uint32_t tensor = core::kNone32;
  std::uint32_t other = core::kNone32;   // the tensor whose sharing with this one is asked about, or none
  std::optional<std::uint64_t> element;  // whose value is asked about, by its C-order number
  bool older_given_up = false;
};

// moments: oldest first; remembered: what their tensors held, as far as it is there; trail: what earlier searches found, null: nothing.
// thread: a worker. Null when stopped.
[[nodiscard]] TensorHistoryPtr look_for_since_when(const KeptMoments& moments, const SinceWhenRequest& asked,
                                                   const RememberedMoments& remembered = {}, const std::stop_token& stop = {},
                                                   TensorTrail* trail = nullptr);

// "not contiguous since run 2, stop at a.py:7 (14:05:09); C-contiguous in run 2, stop at a.py:6".
[[nodiscard]] std::string since_text(const TensorHistory& history, const SinceWhen& since);

}  // namespace dlscope::app
