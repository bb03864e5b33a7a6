// Looks at one struct in every way there is (checked and mapped, in plain and in guarded memory) and requires that all
// of them say the same.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/dlpack_import.h"
#include "tests/support/fake_producer.h"

namespace dlscope::tests {

inline constexpr core::CapsuleKind kVersioned = core::CapsuleKind::dltensor_versioned;
inline constexpr core::CapsuleKind kLegacy = core::CapsuleKind::dltensor;

// The description all ways agree on. For claims whose arrays can be loaded.
core::TensorDesc look(const Claim& claim, core::CapsuleKind kind = kVersioned);

// Checked reading only, of any address: nothing needs to be mapped.
core::TensorDesc look_checked(core::Address managed, core::CapsuleKind kind, const core::AddressMap* map = nullptr);

// The names of the remarks, in order: "strides_implied unaligned"; "" for none.
std::string remark_names(const core::TensorDesc& desc);

std::vector<std::int64_t> shape_of(const core::TensorDesc& desc);
std::vector<std::int64_t> stride_bits_of(const core::TensorDesc& desc);

// What holds for every description, however hostile its origin: ranges, remarks, arithmetic.
void require_sane(const core::TensorDesc& desc);

}  // namespace dlscope::tests
