#include "app/models/tensors/refusal_advice.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dlscope::app {
namespace {

struct Row {
  std::string_view library;  // "": any
  std::string_view text;     // part of the message
  struct {
    std::string_view reason, way_out;  // {x}: the tensor's expression
  } advice;
};

constexpr std::string_view kNumpyDtypes =
    "NumPy itself has booleans, integers, floats of 16 to 64 bits and complex numbers: no bfloat16, no float8 and nothing narrower than "
    "a byte.";
constexpr std::string_view kJaxStrides =
    "JAX takes only memory without gaps and repetitions: no slice with a step, no reversed and no broadcast view. It checks that before it "
    "would copy, so copy=True does not help.";
constexpr std::string_view kTensorflowStrides = "TensorFlow takes only tensors in C order without gaps.";
constexpr std::string_view kNoDlpack = "The object speaks no DLPack.";
constexpr std::string_view kAsDlpack = "dlscope.asdlpack({x}), where the object has a buffer or an array interface.";

constexpr std::array kRows{
    Row{"numpy",
        "readonly",
        {"A capsule from before DLPack 1.0 has no place for the read-only flag, so NumPy does not hand read-only memory over in "
         "one.",
         "Use a consumer that asks for a versioned capsule (NumPy 2.1, PyTorch 2.9 or newer), or hand over {x}.copy()."}},
    Row{"numpy",
        "native byte order",
        {"DLPack describes numbers in the machine's own byte order only.", "{x}.astype({x}.dtype.newbyteorder('='))"}},
    Row{"numpy", "longdouble", {"A long double has padding bytes that DLPack cannot describe.", "{x}.astype('float64')"}},
    Row{"numpy",
        "only supports signed/unsigned integers",
        {"NumPy exports plain integers, floats and complex numbers only: no structured records, dates, text or Python objects, and "
         "no dtypes of other packages, such as bfloat16.",
         "Hand over one field, {x}['name'], or a number view: {x}.view('int64') for dates, {x}.view('uint16') for bfloat16."}},
    Row{"numpy",
        "multiple of itemsize",
        {"DLPack counts strides in whole elements; this view steps by a part of one (a field of a record array).", "{x}.copy()"}},
    Row{"torch",
        "require gradient",
        {"A consumer could change the numbers behind autograd's back, so PyTorch exports only detached tensors.",
         "{x}.detach() shares the same memory."}},
    Row{"torch",
        "requires grad",
        {"A consumer could change the numbers behind autograd's back, so PyTorch exports only detached tensors.",
         "{x}.detach() shares the same memory."}},
    Row{"torch",
        "conjugate bit",
        {"The conjugation is only recorded, not carried out: the bytes hold the other sign of the imaginary part.",
         "{x}.resolve_conj() carries it out in new memory."}},
    Row{"torch", "torch.strided", {"A sparse or packed tensor is not one strided block of memory.", "{x}.to_dense()"}},
    Row{"torch",
        "NestedTensorImpl",
        {"A nested tensor is a list of tensors of different sizes, with no one shape.", "{x}.unbind() gives views of its parts."}},
    Row{"torch", "QInt", {"Quantised values need a scale that DLPack cannot carry.", "{x}.int_repr() or {x}.dequantize()"}},
    Row{"torch", "Bit types", {"DLPack has no such type.", "{x}.view(torch.uint8)"}},
    Row{"torch",
        "different CUDA device",
        {"PyTorch exports a CUDA tensor only while its device is the current one.", "with torch.cuda.device({x}.device): ..."}},
    Row{"torch", "meta", {"A meta tensor has a shape but no memory.", {}}},
    Row{"jax", "delete", {"The array was donated or deleted: its memory belongs to something else now.", {}}},
    Row{"jax",
        "shard",
        {"The array lies on several devices; DLPack describes one piece of memory.", "{x}.addressable_shards[0].data"}},
    Row{"jaxlib",
        "shard",
        {"The array lies on several devices; DLPack describes one piece of memory.", "{x}.addressable_shards[0].data"}},
    Row{"pyarrow",
        "no nulls",
        {"Missing values are kept in a second bitmap that DLPack cannot describe.", "{x}.fill_null(0), or {x}.drop_null()"}},
    Row{"pyarrow", "Bit-packed", {"Arrow packs eight booleans into a byte; DLPack cannot describe that.", "{x}.cast('uint8')"}},
    Row{"pyarrow", "not compatible", {"DLPack has no type for it.", "{x}.cast to a plain number type"}},
    Row{"cupy", "without copy", {"Plain device memory cannot be reached by the CPU.", "{x}.get()"}},
    Row{"paddle", "stop_gradient", {"The tensor takes part in gradients; Paddle exports only detached ones.", "{x}.detach()"}},
    Row{"paddle",
        "requires gradients",
        {"The tensor takes part in gradients; Paddle exports only detached ones.", "{x}.detach() shares the same memory."}},
    Row{"paddle", "sparse storage", {"A sparse tensor is not one strided block of memory.", "{x}.to_dense()"}},
    Row{"paddle",
        "device_from_local_hardware_id",
        {"Paddle gives no device number for host memory, and JAX wants one.",
         "numpy.from_dlpack({x}) shares the memory and has a number: hand that over."}},
    Row{"tensorflow",
        "not a tensor of plain numbers",
        {"TensorFlow ends the whole process when such a tensor is exported, so it is not asked.", {}}},
    Row{"jax",
        "its computation is not finished",
        {"Not asked: a look does not wait until JAX has finished it.",
         "Scan again (Run menu) when it is finished, or Describe anyway, below, which waits."}},
    Row{"tensorflow", "a variable of a graph", {"A variable of a graph has no memory before the graph runs.", {}}},
    Row{"tensorflow", "not an eager tensor", {"A symbolic tensor has no memory before the graph runs.", {}}},
    Row{"PIL",
        "copies the picture into new bytes",
        {"Not asked: Pillow would copy the picture into new bytes.", "Describe anyway, below: that copy is described then."}},
    Row{"torch", "a fake tensor", {"A fake tensor has a shape and a device, but no memory.", {}}},
    Row{"torch",
        "copy-on-write: exporting",
        {"Not asked: PyTorch would make the copy that it has put off so far.", "Describe anyway, below."}},
    Row{"numpy",
        "masked array",
        {"The mask is another array, and DLPack carries one.",
         "{x}.filled(0) makes a copy with 0 where the mask is set; {x}.data is the same memory without the mask."}},
    Row{"torch", "negative bit", {"The sign is only recorded, not carried out: the bytes hold the other one.", "{x}.resolve_neg()"}},
    Row{"torch",
        "OpaqueTensorImpl",
        {"A sparse or packed tensor is not one strided block of memory.", "{x}.to_dense()"}},
    Row{"torch",
        "doesn't have storage",
        {"A sparse or packed tensor is not one strided block of memory.", "{x}.to_dense()"}},
    Row{"jax", "'NoneType' has no len()", {"The array was donated or deleted: its memory belongs to something else now.", {}}},
    Row{"jax", "no DLPack equivalent", {"JAX hands over no such dtype by DLPack.", "{x}.astype('int8'), or another dtype of whole bytes"}},
    Row{"jaxlib", "no DLPack equivalent", {"JAX hands over no such dtype by DLPack.", "{x}.astype('int8'), or another dtype of whole bytes"}},
    Row{"tensorflow", "no attribute '__dlpack__'", {"A variable speaks no DLPack, the tensor in it does.", "{x}.value()"}},
    // Refusals by whoever was to take it, of tensors of any library.
    Row{"torch",
        "Unsupported dtype in DLTensor",
        {kNumpyDtypes, "{x}.float() converts it into new memory; {x}.view(torch.uint8) has its bytes as they are."}},
    Row{"jax", "Unsupported dtype in DLTensor", {kNumpyDtypes, "{x}.astype('float32') converts it into new memory."}},
    Row{"jaxlib", "Unsupported dtype in DLTensor", {kNumpyDtypes, "{x}.astype('float32') converts it into new memory."}},
    Row{"paddle", "Unsupported dtype in DLTensor", {kNumpyDtypes, "{x}.astype('float32') converts it into new memory."}},
    Row{"tensorflow",
        "Unsupported dtype in DLTensor",
        {kNumpyDtypes, "tensorflow.cast({x}, tensorflow.float32) converts it into new memory."}},
    Row{"", "Unsupported dtype in DLTensor", {kNumpyDtypes, "A copy converted to float32, which the Copy tab makes."}},
    Row{"torch",
        "Unsupported lanes in DLTensor",
        {"Each element is a group of several values, and NumPy has no dtype for groups.",
         "{x}.view(torch.uint8) has its bytes as they are."}},
    Row{"", "Unsupported lanes in DLTensor", {"Each element is a group of several values, and NumPy has no dtype for groups.", {}}},
    Row{"", "Vector type is not supported", {"Each element is a group of several values, and Paddle has no dtype for groups.", {}}},
    Row{"",
        "Unsupported Type Codes",
        {"TensorFlow takes no such dtype by DLPack: no float8 and no float4.", "A copy converted to float32 or bfloat16."}},
    Row{"", "lanes != 1", {"Each element is a group of several values, and JAX has no dtype for groups.", {}}},
    Row{"", "Unsupported device in DLTensor", {"NumPy takes host memory only.", "A copy on the host, which the Copy tab makes."}},
    Row{"numpy", "trivial (compact) striding", {kJaxStrides, "numpy.ascontiguousarray({x}) copies it into memory without gaps."}},
    Row{"torch", "trivial (compact) striding", {kJaxStrides, "{x}.contiguous() copies it into memory without gaps."}},
    Row{"", "trivial (compact) striding", {kJaxStrides, "A contiguous copy, which the Copy tab makes."}},
    Row{"numpy", "Invalid strides array", {kTensorflowStrides, "numpy.ascontiguousarray({x}) copies it into C order."}},
    Row{"torch", "Invalid strides array", {kTensorflowStrides, "{x}.contiguous() copies it into C order."}},
    Row{"", "Invalid strides array", {kTensorflowStrides, "A contiguous copy, which the Copy tab makes."}},
    Row{"",
        "array_api_strict namespace does not support",
        {"The array API standard, which this library keeps to, has no such dtype.", "A copy converted to float32 or float64."}},
    Row{"", "Unsupported device_type", {"PyTorch takes no memory with that device number, such as pinned or managed memory.",
                                        "A copy in plain host memory, which the Copy tab makes."}},
    Row{"",
        "received an invalid capsule",
        {"The library got no capsule that it can take: the object has no __dlpack__, or its capsule was taken before.",
         "dlscope.asdlpack({x}), where the object has a buffer or an array interface; else a new capsule."}},
    Row{"pyarrow", "no attribute '__dlpack__'", {kNoDlpack, "Hand over one array of it: .combine_chunks() of a column."}},
    Row{"pyarrow", "has no __dlpack__", {kNoDlpack, "Hand over one array of it: .combine_chunks() of a column."}},
    Row{"", "no attribute '__dlpack__'", {kNoDlpack, kAsDlpack}},
    Row{"", "no attribute '__dlpack_device__'", {kNoDlpack, kAsDlpack}},
    Row{"",
        "source data buffer is not aligned",
        {"On the CPU JAX shares only memory whose address is a multiple of 64 (in some builds of 16 or 32), and copy=False forbids the "
         "copy that it makes of any other.",
         "copy=None, which lets JAX copy; or memory that begins at such an address."}},
    Row{"",
        "CPU arrays cannot be directly imported to CuPy",
        {"CuPy takes memory on the GPU only.", "A copy on the GPU, which the Copy tab makes, or cupy.asarray({x})."}},
    Row{"",
        "unexpected keyword argument 'copy'",
        {"This function has no copy argument, so the library cannot be asked for a copy, nor to make none.",
         "Hand it over without that choice; dlscope.copy({x}) makes a copy first."}},
    Row{"",
        "unsupported device type (DLDeviceType: 14",
        {"JAX has no name for oneAPI devices, where the tensor is.", "A copy on the host, which the Copy tab makes."}},
    Row{"",
        "XPU without ATen_xpu",
        {"This build of PyTorch has no support for oneAPI devices, where the tensor is.",
         "A copy on the host, which the Copy tab makes."}},
    Row{"", "has no __dlpack__", {kNoDlpack, kAsDlpack}},
    Row{"", "must have __dlpack__ and", {kNoDlpack, kAsDlpack}},
    Row{"", "a compatible tensor or PyCapsule", {kNoDlpack, kAsDlpack}},
    Row{"", "Existing exports", {"Another object holds the buffer, so it may not change its size.", {}}},
    Row{"", "max_version", {"The object's __dlpack__ is from before DLPack 1.0 and does not know that keyword.", {}}},
};

std::string with_expression(std::string_view text, std::string_view expression) {
  constexpr std::string_view kPlace = "{x}";
  std::string out;
  for (std::size_t at = text.find(kPlace); at != text.npos; at = text.find(kPlace)) {
    out.append(text.substr(0, at)).append(expression);
    text.remove_prefix(at + kPlace.size());
  }
  return out.append(text);
}

}  // namespace

RefusalAdvice advice_on(std::string_view library, std::string_view type, std::string_view message, std::string_view expression) {
  const auto fits = [&](const Row& row) {
    return (row.library.empty() || row.library == library) && message.find(row.text) != message.npos;
  };
  const auto* row = std::ranges::find_if(kRows, fits);
  if (row != kRows.end()) return {row->advice.reason, with_expression(row->advice.way_out, expression)};
  if (type == "dlscope.NotCalled") return {"Not asked: the request itself would change something.", "Describe anyway, below."};
  if (type == "dlscope.Unsupported") return {"The answer is well formed, but not a tensor that dlscope can describe.", {}};
  if (type == "dlscope.Malformed")
    return {"What the object returned breaks the rules of the protocol: a bug in its library.", {}};
  return {};
}

}  // namespace dlscope::app
