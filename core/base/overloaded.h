// Overloaded: combines lambdas, one per alternative, into a std::visit visitor. A missing alternative is a compile error.
#pragma once

namespace dlscope::core {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

}  // namespace dlscope::core
