#include "core/tensor/remark.h"

#include <array>

namespace dlscope::core {
namespace {

constexpr RemarkInfo problem(RemarkCode code, const char* name, const char* meaning) {
  return {code, RemarkKind::problem, name, meaning};
}
constexpr RemarkInfo note(RemarkCode code, const char* name, const char* meaning) {
  return {code, RemarkKind::note, name, meaning};
}

using enum RemarkCode;

// One row per code, in the order of the enum. A test compares docs/remarks.md with this table.
constexpr std::array kRemarks{
    problem(struct_unreadable, "struct_unreadable", "The memory of the managed struct cannot be read; nothing in it is known."),
    problem(struct_kind_mismatch, "struct_kind_mismatch",
            "The capsule's name promises one DLPack struct, but the bytes look like the other one (versioned or legacy)."),
    problem(wrong_major_version, "wrong_major_version",
            "The struct is of a DLPack major version other than 1; nothing but its deleter may be used."),
    problem(ndim_out_of_range, "ndim_out_of_range", "The number of dimensions is negative or above 64."),
    problem(shape_null, "shape_null", "The tensor has dimensions, but its shape pointer is NULL."),
    problem(shape_unreadable, "shape_unreadable", "The memory of the shape array cannot be read."),
    problem(strides_unreadable, "strides_unreadable",
            "The strides array cannot be read, has the wrong length, or is NULL under a flag that DLPack 1.3 does not define."),
    problem(negative_dimension, "negative_dimension", "A dimension has a negative size."),
    problem(size_overflow, "size_overflow",
            "Shape, strides and element size describe more than 2^60 bytes; no such tensor can exist."),
    problem(address_overflow, "address_overflow", "Data pointer, byte offset and strides leave the 64-bit address space."),
    problem(bits_zero, "bits_zero", "The dtype has elements of 0 bits."),
    problem(lanes_zero, "lanes_zero", "The dtype has 0 lanes."),
    problem(data_null, "data_null", "The data pointer is NULL although the tensor has elements: it has a shape but no memory."),
    problem(deleter_not_code, "deleter_not_code", "The deleter points at memory that is not executable; calling it would crash."),
    problem(extent_unreadable, "extent_unreadable",
            "Some of the memory the tensor claims is not mapped for reading, or the address map of the process cannot be read."),
    problem(device_mismatch, "device_mismatch",
            "The capsule and __dlpack_device__ name different devices, or the memory is not where the capsule says."),
    problem(not_a_capsule, "not_a_capsule", "__dlpack__ returned something that is not a DLPack capsule."),
    problem(capsule_used, "capsule_used", "The capsule was consumed before; its tensor belongs to someone else."),

    note(strides_implied, "strides_implied", "The producer gave no strides; the tensor is compact in C order."),
    note(strides_null_since_1_2, "strides_null_since_1_2",
         "The struct says DLPack 1.2 or later, where strides must not be NULL; they were taken as C order all the same."),
    note(byte_offset_used, "byte_offset_used",
         "The first element is not at the data pointer but byte_offset further; some consumers ignore byte_offset."),
    note(dtype_unknown, "dtype_unknown", "Values of this dtype cannot be decoded here; layout and bytes are shown."),
    note(device_unknown, "device_unknown", "The device type is not one of DLPack 1.3; its memory is not read."),
    note(device_id_nonzero, "device_id_nonzero", "A CPU tensor with a device number other than 0; the number means nothing."),
    note(unknown_minor_version, "unknown_minor_version", "The struct is of a DLPack 1 newer than the 1.3 known here."),
    note(unknown_flags, "unknown_flags", "Flag bits are set that DLPack 1.3 does not define."),
    note(unaligned, "unaligned",
         "The address or a stride is not a multiple of the element's natural alignment; some consumers copy."),
    note(negative_stride, "negative_stride", "An axis runs towards lower addresses; some consumers refuse that."),
    note(immutable_by_contract, "immutable_by_contract",
         "The library promises never to change this memory, also where its capsule cannot say so; do not write through a view."),
    note(conjugate_bit, "conjugate_bit", "The library conjugates on access; the bytes are the unconjugated values."),
    note(negative_bit, "negative_bit", "The library negates on access; the bytes have the opposite sign."),
    note(requires_grad, "requires_grad", "The tensor records gradients; the library exports it only detached."),
    note(masked, "masked", "The array has a mask that the protocol drops; masked values are shown as they lie in memory."),
    note(distinct_unknown, "distinct_unknown", "The distinct bytes were not counted: unreadable, cancelled or over the budget."),
    note(device_memory_not_read, "device_memory_not_read", "The memory is not reachable by the CPU; a scan does not read it."),
    note(not_described, "not_described",
         "The tensor was not asked for its memory, because asking has side effects, waits or can abort."),
    note(deleter_null, "deleter_null", "The struct has no deleter; nothing is called when it is given back."),
    note(stride_capped, "stride_capped",
         "A stride is larger than any memory. No element is reached by that step, so it does no harm; it is shown as more than "
         "2^60 bytes."),
    note(device_assumed, "device_assumed",
         "__cuda_array_interface__ names no device, the object has no __dlpack_device__, and no driver knows the memory: device 0 "
         "is assumed."),
    note(not_dlpack, "not_dlpack",
         "The memory is plain, but DLPack has no dtype for such elements: no consumer of DLPack can have it."),
    note(memory_kind, "memory_kind", "The CUDA driver says more of this memory than the capsule: it is pinned, or managed."),
    note(memory_not_told, "memory_not_told",
         "The CUDA driver was asked what this memory is and did not answer; only the capsule says what it is."),
    note(copied_for_export, "copied_for_export",
         "It hands over a copy of its bytes, made each time it is asked and freed afterwards; where its own bytes lie is not "
         "known."),
    note(mapped_again, "mapped_again",
         "Its pages of a file are also mapped at another address, where a write through this tensor shows, too."),
    note(not_probed, "not_probed",
         "Whether its memory can be read was not tried, because other memory does not answer."),
    note(same_file_pages, "same_file_pages",
         "Pages of its file are also mapped at another address, and which are the same memory now is not known: a private page "
         "is the file's own until it is written."),
    note(keeps_alive_unused, "keeps_alive_unused",
         "It keeps an allocation alive of which the tensors that were found use less than half."),
    note(copy_on_write, "copy_on_write",
         "The library has put off a copy: the tensor uses this memory together with others until the first write through its "
         "library, which moves what is written, with all its views, to memory of its own."),
    note(nulls, "nulls",
         "A mask or validity bitmap beside the values says which are null; what lies in their place is shown as numbers."),
};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kRemarks.size(); ++i) {
    if (static_cast<std::size_t>(kRemarks[i].code) != i) return false;
  }
  return true;
}
static_assert(in_enum_order() && kRemarks.size() == static_cast<std::size_t>(nulls) + 1);

constexpr RemarkInfo kNoRemark{};

// An invalid code, as from a corrupt snapshot, gets an empty row.
const RemarkInfo& row(RemarkCode code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kRemarks.size() ? kRemarks[index] : kNoRemark;
}

}  // namespace

const char* remark_code_name(RemarkCode code) { return row(code).name; }
RemarkKind remark_kind(RemarkCode code) { return row(code).kind; }
const char* remark_meaning(RemarkCode code) { return row(code).meaning; }
std::span<const RemarkInfo> all_remarks() { return kRemarks; }

}  // namespace dlscope::core
