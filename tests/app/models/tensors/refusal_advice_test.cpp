#include "app/models/tensors/refusal_advice.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

using dlscope::app::advice_on;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the way out names the tensor as the user does", "[app][models]") {
  const auto advice = [](const char* library, const char* message, const char* expression) {
    return advice_on(library, "BufferError", message, expression).way_out;
  };
  CHECK(advice("torch", "Can't export tensors that require gradient, use tensor.detach()", "net.weight") ==
        "net.weight.detach() shares the same memory.");
  CHECK(advice("numpy", "DLPack only supports native byte order.", "d['x']") == "d['x'].astype(d['x'].dtype.newbyteorder('='))");
  CHECK(advice_on("torch", "BufferError", "Can't export tensors that require gradient").way_out == "x.detach() shares the same memory.");
}

TEST_CASE("what a look does not wait for is described later", "[app][models]") {
  const auto advice = advice_on("jax", "dlscope.NotCalled", "its computation is not finished: asking for its memory would wait for it");
  CHECK(advice.reason.contains("does not wait"));
  CHECK_THAT(advice.way_out, ContainsSubstring("Scan again (Run menu)"));
  CHECK(advice_on("tensorflow", "dlscope.NotCalled", "a variable of a graph: reading it would add to the graph").way_out.empty());
}

// The messages are those of NumPy 2.4.6, PyTorch 2.13.0, JAX 0.10.2, TensorFlow 2.21.0, array-api-strict and tvm-ffi.
TEST_CASE("what a consumer refuses is explained, whoever owns the tensor", "[app][models]") {
  struct Row {
    const char *producer, *message, *reason, *way_out;
  };
  for (const Row& row : {
           Row{"torch", "Unsupported dtype in DLTensor.", "no bfloat16", "b.float()"},
           Row{"jax", "Unsupported dtype in DLTensor.", "no bfloat16", "b.astype('float32')"},
           Row{"tensorflow", "Unsupported dtype in DLTensor.", "no bfloat16", "tensorflow.cast(b, tensorflow.float32)"},
           Row{"mine", "Unsupported dtype in DLTensor.", "no bfloat16", "Copy tab"},
           Row{"torch", "Unsupported lanes in DLTensor dtype.", "group of several", "b.view(torch.uint8)"},
           Row{"numpy",
               "UNIMPLEMENTED: Only DLPack tensors with trivial (compact) striding are supported; i.e., tensors whose striding "
               "represents a transposition of the underlying buffer but not broadcasting. Dimensions were: [4,2], strides were [6,1].",
               "without gaps", "numpy.ascontiguousarray(b)"},
           Row{"torch", "UNIMPLEMENTED: Only DLPack tensors with trivial (compact) striding are supported", "without gaps", "b.contiguous()"},
           Row{"numpy", "Invalid strides array from DLPack", "C order", "numpy.ascontiguousarray(b)"},
           Row{"numpy", "The array_api_strict namespace does not support the dtype 'float16'", "standard", "float32"},
           Row{"builtins", "'bytearray' object has no attribute '__dlpack__'", "speaks no DLPack", "dlscope.asdlpack(b)"},
           Row{"builtins", "'bytearray' object has no attribute '__dlpack_device__'", "speaks no DLPack", "dlscope.asdlpack(b)"},
           Row{"numpy",
               "Specified input which requires a copy since the source data buffer is not aligned to 64 bytes.  However copy=False. Set "
               "copy=True or copy=None to perform the requested operation.",
               "multiple of 64", "copy=None"},
           Row{"numpy", "CPU arrays cannot be directly imported to CuPy. Use `cupy.array(numpy.from_dlpack(input))` instead.", "GPU only",
               "cupy.asarray(b)"},
           Row{"numpy", "from_dlpack() got an unexpected keyword argument 'copy'", "no copy argument", "dlscope.copy(b)"},
           Row{"dpnp", "Array passed to from_dlpack is on unsupported device type (DLDeviceType: 14, array: <x>", "oneAPI", "copy on the host"},
           Row{"dpnp", "Cannot get device of pointer on XPU without ATen_xpu library.", "oneAPI", "copy on the host"},
           Row{"builtins", "Expect from_dlpack to take either a compatible tensor or PyCapsule", "speaks no DLPack", "dlscope.asdlpack(b)"},
           Row{"builtins", "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once", "no capsule",
               "dlscope.asdlpack(b)"},
           Row{"tensorflow", "'ResourceVariable' object has no attribute '__dlpack__'", "variable", "b.value()"},
           Row{"pyarrow", "'pyarrow.lib.ChunkedArray' object has no attribute '__dlpack__'", "speaks no DLPack", "combine_chunks()"},
           Row{"torch", "Cannot access storage of OpaqueTensorImpl", "not one strided block", "b.to_dense()"},
           Row{"paddle", "Can't get __dlpack__ from Tensor that requires gradients. If gradients aren't required, use tensor.detach()",
               "gradients", "b.detach()"},
           Row{"paddle", "device_from_local_hardware_id(): incompatible function arguments.", "no device number", "numpy.from_dlpack(b)"},
           Row{"torch", "Unsupported Type Codes: 10", "no float8", "float32"},
           Row{"jax", "UNIMPLEMENTED: XLA type S4 has no DLPack equivalent", "no such dtype", "b.astype('int8')"},
       }) {
    INFO(row.producer << ": " << row.message);
    const auto advice = advice_on(row.producer, "RuntimeError", row.message, "b");
    CHECK_THAT(std::string(advice.reason), ContainsSubstring(row.reason));
    CHECK_THAT(advice.way_out, ContainsSubstring(row.way_out));
  }
}
