#include "app/host/python_probe.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace dlscope::app;

namespace {

std::string answer(std::initializer_list<const char*> fields) {
  std::string text{"dlscope\0", 8};
  for (const char* field : fields) {
    text += field;
    text += '\0';
  }
  return text;
}

}  // namespace

TEST_CASE("An interpreter's answer is taken apart", "[app][host]") {
  const auto facts = parse_interpreter_facts("noise before\n" +
                                             answer({"/v/bin/python", "cpython", "3.12.1", "/usr", "", "libpython3.12.so.1.0",
                                                     "libpython3.12.so", "/usr/lib", "x86_64-linux-gnu", "/usr/lib/config", ""}));
  REQUIRE(facts);
  CHECK(facts->executable == "/v/bin/python");
  CHECK(facts->version == "3.12.1");
  CHECK(facts->multiarch == "x86_64-linux-gnu");
  CHECK_FALSE(facts->free_threaded);
}

TEST_CASE("An answer that is none is refused", "[app][host]") {
  CHECK_FALSE(parse_interpreter_facts(""));
  CHECK_FALSE(parse_interpreter_facts("Hello"));
  CHECK_FALSE(parse_interpreter_facts(answer({"/v/bin/python", "cpython"})));
}

TEST_CASE("A mapped libpython is exact and comes first", "[app][host]") {
  InterpreterFacts facts;
  facts.mapped_library = "/opt/lib/libpython3.11.so.1.0";
  facts.library_name = "libpython3.11.so.1.0";
  facts.base_prefix = "/opt";
  CHECK(libpython_candidates(facts).front() == "/opt/lib/libpython3.11.so.1.0");
}

TEST_CASE("The prefix goes before folders of the build machine", "[app][host]") {
  InterpreterFacts facts;
  facts.library_name = "libpython3.12.so.1.0";
  facts.link_name = "libpython3.12.so";
  facts.base_prefix = "/home/user/uv/python";
  facts.library_dir = "/install/lib";
  facts.multiarch = "x86_64-linux-gnu";
  const auto candidates = libpython_candidates(facts);
  REQUIRE(candidates.size() == 6);
  CHECK(candidates[0] == "/home/user/uv/python/lib/libpython3.12.so.1.0");
  CHECK(candidates[1] == "/install/lib/libpython3.12.so.1.0");
  CHECK(candidates[2] == "/install/lib/x86_64-linux-gnu/libpython3.12.so.1.0");
}

TEST_CASE("A static archive is no library to load", "[app][host]") {
  InterpreterFacts facts;
  facts.library_name = "libpython3.11.a";
  facts.link_name = "libpython3.11.a";
  facts.base_prefix = "/opt";
  facts.library_dir = "/opt/lib";
  CHECK(libpython_candidates(facts).empty());
}
