#include "app/models/text/element_description.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("an element's Python expression is made of a name that Python knows", "[app][models]") {
  const auto snapshot = tests::snapshot_of({{.name = "x", .shape = {3, 4}},
                                            {.name = "main().y", .address = 0x558120002000, .shape = {3}, .more_names = {"d['y']"}},
                                            {.name = "f()#2.x", .address = 0x558120003000, .shape = {3}},
                                            {.name = "s<0>[1]", .address = 0x558120004000}});
  const auto expression = [&](std::uint32_t tensor, std::uint64_t element) {
    return python_expression(*snapshot, snapshot->tensors[tensor], element);
  };
  CHECK(expression(0, 6) == "x[1, 2]");
  CHECK(expression(1, 2) == "d['y'][2]");
  CHECK(expression(2, 0).empty());
  CHECK(expression(3, 0).empty());
  CHECK(python_expression(*tests::scalar_snapshot(), tests::scalar_snapshot()->tensors[0], 0).ends_with("[()]"));
}

}  // namespace dlscope::app
