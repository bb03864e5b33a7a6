// Compares the values of two tensors of equal shape, whatever their dtypes and strides: one pass over the memory of both. Pure; as a
// function on several threads (the module, the viewer's files) and as a Task for the host's workers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/compare/comparison.h"
#include "core/elements/element_reader.h"
#include "core/tasks/task.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::core {

// One of the two. The layout's numbers and the reader outlive the comparison.
struct ComparedTensor {
  DType dtype;
  LayoutView layout;    // validated; its items are those of the dtype
  Address address = 0;  // of element [0,...,0]
  ElementSource source;
  SignBits signs = {};  // compared are the values they mean, and the bits of those
};

struct CompareOptions {
  Tolerance tolerance;
  unsigned threads = 0;  // 0: as many as the machine has, at most 8. Whatever the number, the answer is the same.
  std::stop_token stop;
  // thread: the caller's. Values done and in all.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

// Why they cannot be compared, in words with both named by the caller's words; "" where they can.
[[nodiscard]] std::string why_not_comparable(const ComparedTensor& a, const ComparedTensor& b);

// Fails in words: shapes or dtypes that cannot be compared, a byte that cannot be read, stopped (ErrorKind::cancelled).
[[nodiscard]] Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b,
                                                 const CompareOptions& options = {});

// The layout of a tensor as NumPy would broadcast it to `shape`: stride 0 along what it repeats. Fails in words where it does not fit.
[[nodiscard]] Result<Layout> broadcast_to(LayoutView layout, std::span<const std::int64_t> shape);

// The same step by step.
class CompareTask final : public Task {
 public:
  // Needs why_not_comparable() == "". threads: that a step may use; 0: as many as are of use. Whatever the number, the answer is
  // the same.
  CompareTask(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance, unsigned threads = 0);
  ~CompareTask() override;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes of both
  [[nodiscard]] Comparison found() const;                // all of it, once done

 private:
  class Pass;
  friend Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b, const CompareOptions& options);
  std::unique_ptr<Pass> pass_;
  unsigned threads_;
};

}  // namespace dlscope::core
