// CodeSince: whether code runs, or has run, since it was made, where it can write to the tensors that are shown.
// thread: UI.
#pragma once

#include "app/window/application_parts.h"

namespace dlscope::app {

class CodeSince {
 public:
  explicit CodeSince(const ApplicationParts& parts)
      : timeline_(parts.host.session().timeline()),
        is_live_(!shows_file(parts) && !parts.tensors.views.looks_back()),
        ran_already_(timeline_.code_runs()),
        began_(timeline_.code_began()) {}

  [[nodiscard]] bool ran() const { return is_live_ && (ran_already_ || timeline_.code_began() != began_); }

 private:
  const Timeline& timeline_;
  bool is_live_, ran_already_;
  std::uint64_t began_;
};

}  // namespace dlscope::app
