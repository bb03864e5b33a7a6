#include "app/host/native_names.h"

#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

extern "C" [[gnu::noinline, gnu::used]] int dlscope_test_of_native_names(int x) { return x * 5 + 2; }

namespace dlscope::app {
namespace {

using core::Address;
using core::AddressMap;
using core::Mapping;
using Frame = core::CrashFacts::NativeFrame;

const std::array kCode{reinterpret_cast<Address>(&dlscope_test_of_native_names)};

std::string maps_line(const Mapping& mapping, const std::string& path) {
  char line[128];
  std::snprintf(line, sizeof line, "%lx-%lx %c%c%cp %lx 00:00 1 ", mapping.range.begin, mapping.range.end,
                mapping.read ? 'r' : '-', mapping.write ? 'w' : '-', mapping.execute ? 'x' : '-', mapping.file_offset);
  return line + path + "\n";
}

// This process's map with this program's file under another path.
AddressMap map_with(const std::string& path) {
  const auto own = AddressMap::load(0);
  REQUIRE(own);
  const Mapping* code = own->find(kCode[0]);
  REQUIRE(code);
  std::string text;
  for (const Mapping& mapping : own->mappings()) text += maps_line(mapping, mapping.path == code->path ? path : mapping.path);
  return AddressMap::parse(text);
}

std::string name_by(const AddressMap& map) {
  const Mapping* mapping = map.find(kCode[0]);
  REQUIRE(mapping);
  std::array frames{Frame{mapping->path, kCode[0] - mapping->range.begin + mapping->file_offset, {}}};
  name_native_frames(::getpid(), map, std::chrono::system_clock::now(), kCode, frames);
  return frames[0].symbol;
}

}  // namespace

TEST_CASE("a native frame has the name its file gives it", "[app][host][crash]") {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe");
  CHECK(name_by(map_with(own)) == "dlscope_test_of_native_names");
}

TEST_CASE("a file that is not the one in the process's memory names nothing", "[app][host][crash]") {
  const std::string fake_host = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "dlscope_fake_host";
  REQUIRE(std::filesystem::exists(fake_host));
  for (const std::string& path :
       {fake_host, std::string("/dev/null"), std::string("/nowhere/at/all.so"), std::string("[vdso]"), std::string()})
    CHECK(name_by(map_with(path)).empty());
}

TEST_CASE("frames that lie in no file, and none at all, are left as they are", "[app][host][crash]") {
  const AddressMap map = map_with("/nowhere");
  name_native_frames(::getpid(), map, {}, {}, {});
  const std::array<Address, 1> wild{16};
  std::array frames{Frame{{}, 16, {}}};
  name_native_frames(::getpid(), map, {}, wild, frames);
  CHECK(frames[0].symbol.empty());
}

}  // namespace dlscope::app
