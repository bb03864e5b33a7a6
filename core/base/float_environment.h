// The default floating-point environment. A user's program may have told its threads to round otherwise or to take subnormals for
// zero, and new threads inherit that; what dlscope computes must not depend on it.
#pragma once

#include <cfenv>

namespace dlscope::core {

// For as long as it lives, on the thread that made it. Costs nearly nothing where another one lives there already.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    if (living_++ > 0) return;
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() {  // the exceptions of our own arithmetic are not the user's
    if (--living_ == 0) std::fesetenv(&before_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  inline static thread_local unsigned living_ = 0;
  std::fenv_t before_{};
};

// For the rest of a thread of our own.
inline void use_default_float_environment() { std::fesetenv(FE_DFL_ENV); }

}  // namespace dlscope::core
