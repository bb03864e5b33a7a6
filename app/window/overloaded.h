// Overloaded: one std::visit visitor out of a lambda per alternative.
#pragma once

namespace dlscope::app {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

}  // namespace dlscope::app
