// Why something about sharing is not known. The code that gives up records the reason; other code only turns it into text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::core {

// The last four are dlscope's own: limits, and work that has not ended. Of two reasons, the later one in this list is reported.
enum class UnknownWhy : std::uint8_t {
  none,                 // it is known
  not_described,        // every protocol refused the tensor, or none was tried
  no_layout,            // the struct describes no possible layout
  copied_for_export,    // what was described is a copy made for the asker, not the tensor's own memory
  no_address,           // the memory is a handle, or lies in no known address space
  null_data,            // elements, but a NULL pointer
  device_contradicted,  // the memory is not where the producer says
  host_or_device,       // the device's memory may also be the host's
  unreadable,           // some of the memory that the tensor claims cannot be read
  same_file_pages,      // both show the same pages of a file, through a private mapping or through several (see PrivateAliases)
  pair_bound,           // the list of pairs has reached its limit
  over_budget,          // the exact answer takes more work than allowed
  stopped,              // the analysis was asked to stop
  not_yet,              // the analysis goes on: a later snapshot of the same scan has the answer
};
[[nodiscard]] const char* unknown_why_name(UnknownWhy why);  // "over_budget"

// The reason as a clause. If it is about one tensor, `who` is the subject: "x claims bytes that cannot be read".
[[nodiscard]] std::string unknown_text(UnknownWhy why, std::string_view who);

}  // namespace dlscope::core
