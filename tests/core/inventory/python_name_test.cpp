#include "core/inventory/python_name.h"

#include <catch2/catch_test_macros.hpp>

#include "sample_snapshot.h"

namespace dlscope::core {

TEST_CASE("names that a person can type are told from those that only say where a tensor was found", "[core][inventory]") {
  for (const char* const name : {"x", "net.layers[0].weight", "d['a.b'][(1, 2)]", "d['a<b']", "d[\"it's [\"]", "d['\\'<']", "d[-1]",
                                 "opt.state_dict()['state'][0]['exp_avg']", "t.indices()", "globals()['x']", "f.__closure__[0].cell_contents",
                                 "g.gi_frame.f_locals['x']", "größe", "_1", "table['n'].chunk(0).buffers()[1]",
                                 "df.iloc[:, 1]", "d[float('inf')]", "d[(1, float('-inf'))].x"}) {
    INFO(name);
    CHECK(is_python_expression(name));
  }
  for (const char* const name : {"", "main().x", "Job.two().x", "f()#2.x", "f.<locals>.g().x", "<lambda>().x", "s<0>", "s<0>[1]",
                                 "d[<Point 0>]", "d[<nan 0>]", "df['f']<validity>", "net.layer-1", "net.", "net..x", "d['cut…", "d[0", "model.a…", "1x",
                                 "a b", "x)", "t.column(", "t.column(1",
                                 "t.column(x)"}) {
    INFO(name);
    CHECK_FALSE(is_python_expression(name));
  }
}

TEST_CASE("of several names the first that Python knows is taken", "[core][inventory]") {
  SnapshotBuilder builder;
  const TextRef type = builder.intern("array");
  const std::uint32_t several = builder.add_tensor(testing::array_desc(0x1000, {2}), type, type, builder.add_text("main().x"));
  builder.add_name(several, builder.add_text("cache['x']"));
  builder.add_name(several, builder.add_text("y"));
  const std::uint32_t none = builder.add_tensor(testing::array_desc(0x2000, {2}), type, type, builder.add_text("s<0>"));
  const std::uint32_t unnamed = builder.add_tensor(testing::array_desc(0x3000, {2}), type, type, TextRef{});
  const auto snapshot = builder.finish();
  CHECK(expression_name(*snapshot, snapshot->tensors[several]) == "cache['x']");
  CHECK(expression_name(*snapshot, snapshot->tensors[none]).empty());
  CHECK(expression_name(*snapshot, snapshot->tensors[unnamed]).empty());
}

}  // namespace dlscope::core
