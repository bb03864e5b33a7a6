// Overloaded: one std::visit visitor out of a lambda per alternative. An alternative without a lambda does not compile.
#pragma once

namespace dlscope::core {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

}  // namespace dlscope::core
