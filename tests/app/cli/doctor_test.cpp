#include "app/cli/doctor.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope::app;

TEST_CASE("a finding is one line, with the fix behind it", "[app][cli]") {
  CHECK(finding_line({Finding::State::good, "Python", "3.11.7", {}}) == "ok  Python         3.11.7\n");
  CHECK(finding_line({Finding::State::absent, "OpenGL", "Cannot draw off screen.", "apt install x"}) ==
        "--  OpenGL         Cannot draw off screen; fix: apt install x\n");
  CHECK(finding_line({Finding::State::bad, "host", "two\nlines.", {}}).find("\n") ==
        finding_line({Finding::State::bad, "host", "two\nlines.", {}}).size() - 1);
}
