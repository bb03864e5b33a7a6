// FontSearch: finds a system font for characters that no loaded font has. Until one is found, or when there is none, boxes with
// the code points are drawn instead.
// thread: UI.
#pragma once

#include <set>

#include "app/models/jobs/job_pool.h"
#include "app/widgets/fonts.h"

namespace dlscope::app {

class FontSearch {
 public:
  // Call after a frame was drawn with `fonts`. Found fonts are added between frames; each code point is searched for once.
  void follow(const Fonts& fonts, JobPool& jobs);

 private:
  std::set<char32_t> asked_;
};

}  // namespace dlscope::app
