#include "app/window/font_search.h"

#include <utility>
#include <vector>

namespace dlscope::app {

// A bound for texts of random characters.
constexpr std::size_t kMaxAsked = 4096;

void FontSearch::follow(const Fonts& fonts, JobPool& jobs) {
  std::vector<char32_t> missing = take_missing_code_points(fonts);
  std::erase_if(missing, [this](char32_t c) { return asked_.size() >= kMaxAsked || !asked_.insert(c).second; });
  if (missing.empty()) return;
  jobs.post(Lane::files, [fonts, missing = std::move(missing)](const std::stop_token&) -> JobPool::Apply {
    std::vector<SystemFont> found = system_fonts_for(missing);
    if (found.empty()) return {};
    return [fonts, found = std::move(found)] { add_fonts(fonts, found); };
  });
}

}  // namespace dlscope::app
