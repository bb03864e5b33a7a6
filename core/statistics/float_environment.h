// The default floating-point environment for as long as it lives: a user's program may have told this thread to round otherwise or
// to take subnormals for zero, and statistics must not depend on it.
#pragma once

#include <cfenv>

namespace dlscope::core {

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }  // the exceptions of our own arithmetic are not the user's
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace dlscope::core
