// The messages about remembered tensors between window and host (embed/host/remembered_bytes.h): the question lists the wanted
// ones, the answer (core/wire/remembered_answer.h) the copies that wait to be fetched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/history/remembered_tensors.h"
#include "core/wire/remembered_answer.h"

namespace dlscope::app {

struct CopiesToFetch {
  std::vector<core::wire::WaitingCopy> copies;  // by number
  std::uint64_t through = 0;                    // once these are fetched, the host may free copies up to this number
};
// As many bytes as a host lets wait (embed/host/remembered_bytes.h): one fetch takes them all.
inline constexpr std::uint64_t kMaxFetchedBytes = std::uint64_t{256} << 20;
// The announced copies that are to be fetched now: those with a number above `fetched`, of a wanted tensor, and for each tensor
// and snapshot only the last one. What would be more than kMaxFetchedBytes is left to be announced again.
[[nodiscard]] CopiesToFetch copies_to_fetch(std::vector<core::wire::WaitingCopy> announced,
                                            const std::map<std::string, Remember>& wanted, std::uint64_t fetched);

// fetched: the host may free copies up to this number.
[[nodiscard]] std::string remember_question(const std::map<std::string, Remember>& wanted, std::uint64_t fetched);
// Of the answer's text; none where that is malformed.
[[nodiscard]] std::vector<core::wire::WaitingCopy> announced_copies(std::string_view answer);

}  // namespace dlscope::app
