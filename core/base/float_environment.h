// The default floating-point environment. A user's program may have told its threads to round otherwise or to take subnormals for
// zero, and new threads inherit that; what dlscope computes must not depend on it.
#pragma once

#include <cfenv>

namespace dlscope::core {

// For as long as it lives, on the thread that made it.
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

// For the rest of a thread of our own.
inline void use_default_float_environment() { std::fesetenv(FE_DFL_ENV); }

}  // namespace dlscope::core
