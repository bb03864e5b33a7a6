// The Python that has the libraries under test.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>

#include "tests/embed/host/test_pythons.h"

namespace dlscope::tests {

// $DLSCOPE_TEST_PYTHON; skips the test where there is none.
inline const TestPython& library_python() {
  const char* const wanted = std::getenv("DLSCOPE_TEST_PYTHON");
  const auto& pythons = test_pythons();
  const auto python = std::ranges::find(pythons, wanted == nullptr ? "" : wanted, &TestPython::executable);
  if (python == pythons.end()) SKIP("no Python with the libraries under test: set DLSCOPE_TEST_PYTHON");
  return *python;
}

}  // namespace dlscope::tests
