// Compares the values of two tensors of equal shape, whatever their dtypes and strides: one pass over the memory of both. Pure;
// as a function on several threads (the module, the viewer's files) and as a Task for the host's workers.
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

// One of the two tensors. Refers to the layout's arrays and to the reader, which must outlive the comparison.
struct ComparedTensor {
  DType dtype;
  LayoutView layout;    // validated; its items are those of the dtype
  Address address = 0;  // of element [0,...,0]
  ElementSource source;
  SignBits signs = {};  // conjugate and negative bits; they are applied before values and bits are compared
};

struct CompareOptions {
  Tolerance tolerance;
  unsigned threads = 0;  // 0: as many as the machine has, at most 8. Whatever the number, the answer is the same.
  std::stop_token stop;
  // Called on the calling thread; `done` and `all` count values.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

// Why the two cannot be compared, as a sentence that calls them A and B; "" if they can.
[[nodiscard]] std::string why_not_comparable(const ComparedTensor& a, const ComparedTensor& b);

// Fails with a message for the user: shapes or dtypes that cannot be compared, a byte that cannot be read, stopped
// (ErrorKind::cancelled).
[[nodiscard]] Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b,
                                                 const CompareOptions& options = {});

// The layout of a tensor as NumPy would broadcast it to `shape`: stride 0 along the axes that are repeated. Fails with a
// message for the user if it does not fit.
[[nodiscard]] Result<Layout> broadcast_to(LayoutView layout, std::span<const std::int64_t> shape);

// compare_tensors() as a task, in steps of a few milliseconds.
class CompareTask final : public Task {
 public:
  // Needs why_not_comparable() == "". threads: that a step may use; 0: as many as are of use. Whatever the number, the answer is
  // the same.
  CompareTask(const ComparedTensor& a, const ComparedTensor& b, Tolerance tolerance, unsigned threads = 0);
  ~CompareTask() override;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes of both
  [[nodiscard]] Comparison found() const;                // complete once done

 private:
  class Pass;
  friend Result<Comparison> compare_tensors(const ComparedTensor& a, const ComparedTensor& b, const CompareOptions& options);
  std::unique_ptr<Pass> pass_;
  unsigned threads_;
};

}  // namespace dlscope::core
