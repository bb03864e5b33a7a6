// Remark: a finding about a tensor's struct: a problem (something is wrong) or a note (legal but worth knowing).
// The codes are part of the report; docs/remarks.md lists each with its meaning, and a test compares the two.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dlscope::core {

enum class RemarkCode : std::uint16_t {
  // problems: the struct is wrong, or cannot be used as it says
  struct_unreadable,
  struct_kind_mismatch,
  wrong_major_version,
  ndim_out_of_range,
  shape_null,
  shape_unreadable,
  strides_unreadable,
  negative_dimension,
  size_overflow,
  address_overflow,
  bits_zero,
  lanes_zero,
  data_null,
  deleter_not_code,
  extent_unreadable,
  device_mismatch,
  not_a_capsule,
  capsule_used,
  // notes: legal
  strides_implied,
  strides_null_since_1_2,
  byte_offset_used,
  dtype_unknown,
  device_unknown,
  device_id_nonzero,
  unknown_minor_version,
  unknown_flags,
  unaligned,
  negative_stride,
  immutable_by_contract,
  conjugate_bit,
  negative_bit,
  requires_grad,
  masked,
  distinct_unknown,
  device_memory_not_read,
  not_described,
  deleter_null,
  stride_capped,
  device_assumed,
  not_dlpack,
  memory_kind,
  memory_not_told,
  copied_for_export,
  mapped_again,
  not_probed,
  same_file_pages,
  keeps_alive_unused,
  copy_on_write,
  nulls,
};

enum class RemarkKind : std::uint8_t { problem, note };

[[nodiscard]] const char* remark_code_name(RemarkCode code);  // "strides_implied"
[[nodiscard]] RemarkKind remark_kind(RemarkCode code);
// One sentence that is true for every tensor with this remark.
[[nodiscard]] const char* remark_meaning(RemarkCode code);

// Every code, in the order of the enum: for tables, docs and tests.
struct RemarkInfo {
  RemarkCode code{};
  RemarkKind kind{};
  const char* name = "";
  const char* meaning = "";
};
[[nodiscard]] std::span<const RemarkInfo> all_remarks();

struct Remark {
  RemarkCode code{};
  std::string message;  // the details for this tensor, with numbers; never empty
};

}  // namespace dlscope::core
