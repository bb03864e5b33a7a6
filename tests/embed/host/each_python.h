// EACH_PYTHON(python): the rest of the test case runs once per interpreter found; SKIP where there is none.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/embed/host/test_pythons.h"

#define EACH_PYTHON(name)                                                                                          \
  if (::dlscope::tests::test_pythons().empty()) SKIP("no CPython from 3.9 on was found: set DLSCOPE_TEST_PYTHONS"); \
  const ::dlscope::tests::TestPython name = GENERATE(from_range(::dlscope::tests::test_pythons()));                  \
  INFO("Python " << name.version << (name.libpython.empty() ? ", static: " : ": ") << name.executable)
