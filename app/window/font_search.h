// Looks for a font of the system when text is shown that no font that is loaded has; meanwhile, and where there is none, boxes with the
// code points stand in its place.
// thread: UI.
#pragma once

#include <set>

#include "app/models/jobs/job_pool.h"
#include "app/widgets/fonts.h"

namespace dlscope::app {

class FontSearch {
 public:
  // After a frame was drawn with them. What was found is added between frames by the pool; each code point is looked for once.
  void follow(const Fonts& fonts, JobPool& jobs);

 private:
  std::set<char32_t> asked_;
};

}  // namespace dlscope::app
