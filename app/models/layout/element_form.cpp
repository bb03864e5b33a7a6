#include "app/models/layout/element_form.h"

#include <fmt/format.h>

#include "app/models/text/format.h"

namespace dlscope::app {

// The last element has the most digits on every axis, and the highest number.
ElementForm element_form(core::LayoutView layout, std::uint64_t elements, std::size_t most) {
  const std::uint64_t last = elements > 0 ? elements - 1 : 0;
  if (index_text(layout, last).size() <= most) return ElementForm::index;
  return fmt::to_string(last).size() <= most ? ElementForm::number : ElementForm::none;
}

std::string element_text(ElementForm form, core::LayoutView layout, std::uint64_t element) {
  if (form == ElementForm::none) return {};
  return form == ElementForm::index ? index_text(layout, element) : fmt::to_string(element);
}

}  // namespace dlscope::app
