#include "app/models/tensors/refusal_advice.h"

#include <algorithm>
#include <array>

namespace dlscope::app {
namespace {

struct Row {
  std::string_view library;  // "": any
  std::string_view text;     // part of the message
  RefusalAdvice advice;
};

constexpr std::array kRows{
    Row{"numpy",
        "readonly",
        {"A capsule from before DLPack 1.0 has no place for the read-only flag, so NumPy does not hand read-only memory over in "
         "one.",
         "Use a consumer that asks for a versioned capsule (NumPy 2.1, PyTorch 2.9 or newer), or hand over x.copy()."}},
    Row{"numpy",
        "native byte order",
        {"DLPack describes numbers in the machine's own byte order only.", "x.astype(x.dtype.newbyteorder('='))"}},
    Row{"numpy", "longdouble", {"A long double has padding bytes that DLPack cannot describe.", "x.astype('float64')"}},
    Row{"numpy",
        "only supports signed/unsigned integers",
        {"DLPack has no type for structured records, dates, text and Python objects.",
         "Hand over one field, x['name'], or a number view: x.view('int64') for dates."}},
    Row{"numpy",
        "multiple of itemsize",
        {"DLPack counts strides in whole elements; this view steps by a part of one (a field of a record array).", "x.copy()"}},
    Row{"torch",
        "require gradient",
        {"A consumer could change the numbers behind autograd's back, so PyTorch exports only detached tensors.",
         "x.detach() shares the same memory."}},
    Row{"torch",
        "requires grad",
        {"A consumer could change the numbers behind autograd's back, so PyTorch exports only detached tensors.",
         "x.detach() shares the same memory."}},
    Row{"torch",
        "conjugate bit",
        {"The conjugation is only recorded, not carried out: the bytes hold the other sign of the imaginary part.",
         "x.resolve_conj() carries it out in new memory."}},
    Row{"torch", "torch.strided", {"A sparse or packed tensor is not one strided block of memory.", "x.to_dense()"}},
    Row{"torch",
        "NestedTensorImpl",
        {"A nested tensor is a list of tensors of different sizes, with no one shape.", "x.unbind() gives views of its parts."}},
    Row{"torch", "QInt", {"Quantised values need a scale that DLPack cannot carry.", "x.int_repr() or x.dequantize()"}},
    Row{"torch", "Bit types", {"DLPack has no such type.", "x.view(torch.uint8)"}},
    Row{"torch",
        "different CUDA device",
        {"PyTorch exports a CUDA tensor only while its device is the current one.", "with torch.cuda.device(x.device): ..."}},
    Row{"torch", "meta", {"A meta tensor has a shape but no memory.", {}}},
    Row{"jax", "delete", {"The array was donated or deleted: its memory belongs to something else now.", {}}},
    Row{"jax",
        "shard",
        {"The array lies on several devices; DLPack describes one piece of memory.", "x.addressable_shards[0].data"}},
    Row{"jaxlib",
        "shard",
        {"The array lies on several devices; DLPack describes one piece of memory.", "x.addressable_shards[0].data"}},
    Row{"pyarrow",
        "no nulls",
        {"Missing values are kept in a second bitmap that DLPack cannot describe.", "x.fill_null(0), or x.drop_null()"}},
    Row{"pyarrow", "Bit-packed", {"Arrow packs eight booleans into a byte; DLPack cannot describe that.", "x.cast('uint8')"}},
    Row{"pyarrow", "not compatible", {"DLPack has no type for it.", "x.cast to a plain number type"}},
    Row{"cupy", "without copy", {"Plain device memory cannot be reached by the CPU.", "x.get()"}},
    Row{"paddle", "stop_gradient", {"The tensor takes part in gradients; Paddle exports only detached ones.", "x.detach()"}},
    Row{"tensorflow",
        "not a tensor of plain numbers",
        {"TensorFlow ends the whole process when such a tensor is exported, so it is not asked.", {}}},
    Row{"tensorflow", "not an eager tensor", {"A symbolic tensor has no memory before the graph runs.", {}}},
    Row{"PIL",
        "copies the picture into new bytes",
        {"Not asked: Pillow would copy the picture into new bytes.", "Describe anyway, below: that copy is described then."}},
    Row{"torch", "a fake tensor", {"A fake tensor has a shape and a device, but no memory.", {}}},
    Row{"torch",
        "copy-on-write: exporting",
        {"Not asked: PyTorch would make the copy that it has put off so far.", "Describe anyway, below."}},
    Row{"", "Existing exports", {"Another object holds the buffer, so it may not change its size.", {}}},
    Row{"", "max_version", {"The object's __dlpack__ is from before DLPack 1.0 and does not know that keyword.", {}}},
};

}  // namespace

RefusalAdvice advice_on(std::string_view library, std::string_view type, std::string_view message) {
  const auto fits = [&](const Row& row) {
    return (row.library.empty() || row.library == library) && message.find(row.text) != message.npos;
  };
  const auto* row = std::ranges::find_if(kRows, fits);
  if (row != kRows.end()) return row->advice;
  if (type == "dlscope.NotCalled") return {"Not asked: the request itself would change something.", "Describe anyway, below."};
  if (type == "dlscope.Unsupported") return {"The answer is well formed, but not a tensor that dlscope can describe.", {}};
  if (type == "dlscope.Malformed")
    return {"What the object returned breaks the rules of the protocol: a bug in its library.", {}};
  return {};
}

}  // namespace dlscope::app
