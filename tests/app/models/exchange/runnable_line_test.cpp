#include "app/models/exchange/runnable_line.h"

#include <catch2/catch_test_macros.hpp>

using dlscope::app::runnable_line;

TEST_CASE("a line imports the libraries that it calls, once each, and nothing that only looks like one", "[app][exchange]") {
  CHECK(runnable_line("t = torch.from_dlpack(x)") == "import torch; t = torch.from_dlpack(x)");
  CHECK(runnable_line("a = mlx.core.from_dlpack(x)") == "import mlx.core; a = mlx.core.from_dlpack(x)");
  CHECK(runnable_line("torch.from_dlpack(dlscope.asdlpack(x).torch)") ==
        "import torch, dlscope; torch.from_dlpack(dlscope.asdlpack(x).torch)");
  CHECK(runnable_line("j = jax.dlpack.from_dlpack(x, device=jax.devices('cpu')[0])") ==
        "import jax; j = jax.dlpack.from_dlpack(x, device=jax.devices('cpu')[0])");
  CHECK(runnable_line("n = numpy.from_dlpack(d['cupy.x'])") == "import numpy; n = numpy.from_dlpack(d['cupy.x'])");
  CHECK(runnable_line(R"(n = numpy.from_dlpack(d['it\'s torch.x']))") ==
        R"(import numpy; n = numpy.from_dlpack(d['it\'s torch.x']))");
  CHECK(runnable_line("n = numpy.from_dlpack(model.torch.weight)") == "import numpy; n = numpy.from_dlpack(model.torch.weight)");
  CHECK(runnable_line("n = numpy.from_dlpack(my_torch.x)") == "import numpy; n = numpy.from_dlpack(my_torch.x)");
  CHECK(runnable_line("import torch; t = torch.from_dlpack(x)") == "import torch; t = torch.from_dlpack(x)");
  CHECK(runnable_line("x = 'torch.").ends_with("x = 'torch."));
  CHECK(runnable_line("del x") == "del x");
  CHECK(runnable_line("").empty());
}
