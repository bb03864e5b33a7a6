// Why something about sharing is not known. Whoever gives up writes the reason down; everybody else only puts it into words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::core {

// The last three are causes inside dlscope; the later of two is the one to tell.
enum class UnknownWhy : std::uint8_t {
  none,           // it is known
  not_described,  // every protocol refused the tensor, or it was not asked
  no_layout,      // the struct describes no possible layout
  no_address,     // the memory is a handle, or lies in no known address space
  null_data,      // elements, but a NULL pointer
  unreadable,     // some of the memory the tensor claims is not there
  pair_bound,     // the list of pairs is as long as it may become
  over_budget,    // the exact answer takes more work than is allowed
  stopped,        // somebody asked the analysis to stop
};
[[nodiscard]] const char* unknown_why_name(UnknownWhy why);  // "over_budget"

// The reason as a clause. Its subject is `who` where the reason is one tensor's: "x claims bytes that cannot be read".
[[nodiscard]] std::string unknown_text(UnknownWhy why, std::string_view who);

}  // namespace dlscope::core
