// Which process a stored text belongs to, where no lock can tell: on some network file systems locks do not work. A process
// number alone would not do, because numbers repeat, and in containers the viewer is always number 1.
// thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::app {

// This process, as a line: machine, boot, namespace of process numbers, number and start time. "": the system does not say.
[[nodiscard]] std::string this_owner();

enum class Owner : std::uint8_t {
  lives,
  gone,
  unknown,  // another machine's or another container's process, or `line` is none of this_owner()
};
[[nodiscard]] Owner life_of(std::string_view line);

}  // namespace dlscope::app
