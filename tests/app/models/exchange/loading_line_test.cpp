#include "app/models/exchange/loading_line.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>

namespace dlscope::app {

TEST_CASE("the line that loads a file's tensors in Python", "[app][models]") {
  // As os.fsdecode() has such bytes: copied as they are, they would become U+FFFD, the name of no file.
  CHECK(loading_line("/tmp/\xff\xc3\xa4\xed\xa0\x80.npy") ==
        "import numpy as np; array = np.load(\"/tmp/\\udcff\xc3\xa4\\udced\\udca0\\udc80.npy\")");
  // safetensors opens no file of such a name.
  CHECK(loading_line("/tmp/\xff.safetensors") ==
        "from safetensors.torch import load; tensors = load(open(\"/tmp/\\udcff.safetensors\", \"rb\").read())");
  CHECK(loading_line("/tmp/a.npy") == "import numpy as np; array = np.load(\"/tmp/a.npy\")");
  CHECK(loading_line("/tmp/a.NPZ") == "import numpy as np; arrays = dict(np.load(\"/tmp/a.NPZ\"))");
  CHECK(loading_line("/tmp/m.safetensors") ==
        "from safetensors.torch import load_file; tensors = load_file(\"/tmp/m.safetensors\")");
  CHECK(loading_line("/tmp/a \"b\"\\\n.npy") == "import numpy as np; array = np.load(\"/tmp/a \\\"b\\\"\\\\\\x0a.npy\")");
  CHECK(loading_line("a.npy") == "import numpy as np; array = np.load(\"" + std::filesystem::current_path().string() + "/a.npy\")");
}

}  // namespace dlscope::app
