#include "app/models/host/crash_text.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("the address of a fault is told with how it was touched and what lies there", "[app][crash]") {
  core::CrashFacts facts;
  CHECK(crash_address_text(facts).empty());  // abort() has none
  facts.address = 0x7f10;
  CHECK(crash_address_text(facts) == "At 0x7f10.");
  facts.access = core::CrashFacts::Access::write;
  facts.memory = "no memory is mapped there";
  CHECK(crash_address_text(facts) == "Written to 0x7f10: no memory is mapped there.");
  facts.access = core::CrashFacts::Access::read;
  CHECK(crash_address_text(facts) == "Read from 0x7f10: no memory is mapped there.");
}

TEST_CASE("native frames are told by library", "[app][crash]") {
  core::CrashFacts facts;
  CHECK(native_lines(facts).empty());
  facts.native = {{"/usr/lib/libc.so.6", 0x10, {}}, {"/usr/lib/libc.so.6", 0x20, {}}, {"", 0x7000, {}}};
  for (std::uint64_t i = 0; i < 10; ++i) facts.native.push_back({"/opt/libpython3.12.so", i, {}});
  const auto lines = native_lines(facts);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "libc.so.6: +0x10, +0x20");
  CHECK(lines[1] == "code of no file: 0x7000");
  CHECK(lines[2] == "libpython3.12.so: +0x0, +0x1, +0x2, +0x3, +0x4, +0x5, +0x6, +0x7 and 2 more");
}

TEST_CASE("of an abort the first lines name whose code it was, not the handler and the runtime", "[app][crash]") {
  core::CrashFacts facts;
  CHECK(telling_native_lines(facts).empty());
  facts.native = {{"/usr/lib/libc.so.6", 0x8aeec, {}},
                  {"/opt/_dlscope.abi3.so", 0x1cf6b3, "dlscope::embed::on_fatal(int, siginfo_t*, void*)"},
                  {"/usr/lib/libc.so.6", 0x26471, "abort"},
                  {"/usr/lib/libstdc++.so.6.0.30", 0x9d918, {}},
                  {"/usr/lib/libgcc_s.so.1", 0x10, {}},
                  {"/opt/libtorch_cpu.so", 0x30, "at::fromDLPackVersioned"}};
  CHECK(telling_native_lines(facts) ==
        std::vector<std::string>{"libc.so.6: abort (+0x26471)", "libtorch_cpu.so: at::fromDLPackVersioned (+0x30)"});
}

TEST_CASE("native frames are told by the function's name where it is known", "[app][crash]") {
  core::CrashFacts facts;
  facts.native = {
      {"/usr/lib/libc.so.6", 0x10, "abort"}, {"/usr/lib/libc.so.6", 0x20, {}}, {"/opt/libt.so", 0x30, std::string(200, 'n')}};
  const auto lines = native_lines(facts);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "libc.so.6: abort (+0x10), +0x20");
  CHECK(lines[1] == "libt.so: " + std::string(60, 'n') + "... (+0x30)");
}

TEST_CASE("of a long C++ name a native frame tells the function, not its types", "[app][crash]") {
  const auto told = [](const std::string& symbol) {
    core::CrashFacts facts;
    facts.native = {{"/opt/libt.so", 0x30, symbol}};
    const std::string line = native_lines(facts).at(0);
    REQUIRE((line.starts_with("libt.so: ") && line.ends_with(" (+0x30)")));
    return line.substr(9, line.size() - 9 - 8);
  };
  CHECK(told("abort") == "abort");
  CHECK(told("at::Tensor::item() const") == "at::Tensor::item");
  CHECK(told("at::native::(anonymous namespace)::add_kernel(at::TensorIteratorBase&, c10::Scalar const&)") ==
        "at::native::add_kernel");
  CHECK(told("std::expected<std::unique_ptr<dlscope::embed::Scan, std::default_delete<dlscope::embed::Scan> >, "
             "dlscope::core::Error> dlscope::embed::scan_of<int, char*>(std::function<void (int)> const&)") ==
        "dlscope::embed::scan_of");
  CHECK(told("std::vector<int, std::allocator<int> >::push_back(int&&)") == "std::vector::push_back");
  CHECK(told("dlscope::f(int)::{lambda(int)#1}::_FUN(int)") == "dlscope::f::{lambda(int)#1}::_FUN");
  CHECK(told("dlscope::T::f(int) const::{lambda()#2}::g()") == "dlscope::T::f::{lambda()#2}::g");
  CHECK(told("ns::T::operator()(int) const") == "ns::T::operator()");
  CHECK(told("ns::T::run(int)::{lambda(ns::S const&)#1}::operator()(std::vector<at::Tensor, std::allocator<at::Tensor> > const&) const") ==
        "ns::T::run::{lambda(ns::S const&)#1}::operator()");
  CHECK(told("std::function<at::Tensor (at::Tensor const&)>::operator()(at::Tensor const&) const") == "std::function::operator()");
  CHECK(told("bool ns::operator< <int>(int)") == "ns::operator<");
  CHECK(told("ns::T::operator->() const") == "ns::T::operator->");
  CHECK(told("ns::T::operator unsigned int() const") == "ns::T::operator unsigned int");
  CHECK(told("operator new(unsigned long)") == "operator new");
  CHECK(told("torch::autograd::cooperator_step(std::vector<int> const&)") == "torch::autograd::cooperator_step");
  CHECK(told("decltype(auto) std::__detail::__variant::__do_visit<void>(void)") == "std::__detail::__variant::__do_visit");
  CHECK(told("ns::f(int) [clone .part.0]") == "ns::f");
  CHECK(told("spin [clone .cold]") == "spin");
  CHECK(told("broken<(") == "broken<(");
  CHECK(told("(") == "(");
  CHECK(told("(int)") == "(int)");
  CHECK(told(std::string(59, 'n') + "\u00e4nderung") == std::string(59, 'n') + "...");
  CHECK(told("broken<(" + std::string(80, 'n') + "::f") == "broken<(" + std::string(52, 'n') + "...");
  const std::string deep = "outermost::" + std::string(30, 'a') + "::" + std::string(30, 'b') + "::f(int)";
  CHECK(told(deep) == "...::" + std::string(30, 'b') + "::f");
}

}  // namespace dlscope::app
