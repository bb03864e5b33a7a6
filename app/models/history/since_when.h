// Since when something is as it is: goes back through the kept moments, one by one, as long as it was the same. Exact for the
// kept moments; changes between two of them are not seen, and what was before the first one is unknown.
//
// A tensor is followed by its name paths. Where the previous moment knows none of them, it is followed by address and layout
// within one process (see match_tensors), and the answer says so.
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
  listed,      // it exists
  place,       // its address
  contiguity,  // C-contiguous, not contiguous
  shape,       // its shape and strides
  dtype,
  device,
  read_only,
  shares,  // bytes with the other tensor
  // For remembered tensors:
  bytes,  // all of them
  nan,    // whether it contains a NaN
  value,  // of one element
};

// One answer: the fact, since when, and why the search ended there.
struct SinceWhen {
  enum class End : std::uint8_t {
    first_kept,     // the same in the oldest kept moment: how long before is unknown
    different,      // different in the previous moment
    not_listed,     // the tensor did not exist in the previous moment
    other_process,  // the previous moment is of another process, where addresses mean nothing
    unknown,        // unknown in the previous moment
    not_kept,       // the previous moment's bytes were not remembered
  };
  TensorFact fact{};
  End end{};
  std::string is;                        // the present state: "not contiguous", "shares 48 B with y"
  std::string was;                       // with `different`: the previous state: "C-contiguous"
  std::uint64_t first = 0;               // number of the oldest moment of the unbroken series with this state
  std::uint64_t before = 0;              // number of the moment before that; 0: none is kept
  std::string first_text, before_text;   // names of these two moments
  std::string other_name;                // the tensor's name in older moments, when found under another one; "": the same
  std::string detail;                    // a remark about the first moment; "": none
  std::optional<std::uint64_t> element;  // the element that shows it in the first moment
};

struct TensorHistory {
  std::uint64_t moment = 0;  // the moment the search started from
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  std::size_t moments = 0;  // how many were searched
  bool older_given_up = false;
  std::vector<SinceWhen> facts;
};
using TensorHistoryPtr = std::shared_ptr<const TensorHistory>;

class TensorTrail;

struct SinceWhenRequest {
  std::uint64_t at = 0;  // number of the moment to start from
  std::uint32_t tensor = core::kNone32;
  std::uint32_t other = core::kNone32;   // for `shares`: the other tensor, or none
  std::optional<std::uint64_t> element;  // for `value`: the element's C-order number
  bool older_given_up = false;
};

// moments: oldest first. remembered: kept contents of their tensors. trail: cache of earlier searches; null: none.
// thread: a worker. Null when stopped.
[[nodiscard]] TensorHistoryPtr find_since_when(const KeptMoments& moments, const SinceWhenRequest& asked,
                                                   const RememberedMoments& remembered = {}, const std::stop_token& stop = {},
                                                   TensorTrail* trail = nullptr);

// "not contiguous since run 2, stop at a.py:7 (14:05:09); C-contiguous in run 2, stop at a.py:6".
[[nodiscard]] std::string since_text(const TensorHistory& history, const SinceWhen& since);

}  // namespace dlscope::app
