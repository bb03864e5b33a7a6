// Typed answers as the host gives them, for tests of what reads them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/wire/remembered_answer.h"
#include "core/wire/struct_answer.h"

namespace dlscope::tests {

inline std::vector<std::byte> little_endian(std::uint64_t number, std::size_t size = 8) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(number >> (8 * i)));
  return out;
}

// Of a tensor of shape (3, 4) whose data is at 0x55812e404a80, as tour_snapshot()'s "x".
inline core::wire::StructAnswer sample_struct_answer() {
  core::wire::StructAnswer out;
  out.found = true;
  out.protocol = core::Protocol::dlpack;
  out.capsule = "dltensor_versioned";
  out.taken = true;
  out.blocks = {{"DLManagedTensorVersioned",
                 4096,
                 80,
                 {{"data", "void*", 32, 8, little_endian(0x55812e404a80)}, {"shape", "int64_t*", 56, 8, little_endian(8192)}}},
                {"shape",
                 8192,
                 16,
                 {{"shape[0]", "int64_t", 0, 8, little_endian(3)}, {"shape[1]", "int64_t", 8, 8, little_endian(4)}}}};
  return out;
}

inline core::wire::ProtocolsAnswer sample_protocols_answer() {
  return {true,
          false,
          "",
          {{"dlpack", true, true, "", ""},
           {"buffer", true, false, "BufferError", "in its own words"},
           {"array_interface", false, false, "", ""}}};
}

inline std::vector<core::wire::WaitingCopy> sample_waiting_copies() {
  return {{.id = 3,
           .revision = 9,
           .tensor = 1,
           .name = "x",
           .begin = 4096,
           .at = 8192,
           .size = 24,
           .check = ~std::uint64_t{0},
           .ran = core::wire::RanMeanwhile::yes,
           .why_not = ""},
          {.id = 4, .revision = 9, .tensor = 2, .name = "y", .hashed = true, .why_not = "unreadable"}};
}

}  // namespace dlscope::tests
