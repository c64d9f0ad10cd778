// Cases of attention: one query and one key, widths beside texels, sizes around the cpu's blocks of 64 and beyond what
// one draw walks on webgl; causal with more and with fewer queries than keys; padding that hides some keys or all.
#include "tests/op_cases.h"
#include "tests/reference/attention.h"

namespace sg::tests {
namespace {

enum class Mask { none, causal, padding, both };

void add_attention(std::vector<OpCase>& table, int n, int h, int t, int s, int d, Mask mask, double range = 2) {
  const bool causal = mask == Mask::causal || mask == Mask::both, padded = mask == Mask::padding || mask == Mask::both;
  std::string detail = text({n, h, t, d}) + " over " + std::to_string(s);
  if (causal) detail += " causal";
  if (padded) detail += " padded";
  if (range != 2) detail += " within " + std::to_string(static_cast<int>(range));
  std::vector<Input> inputs{{{n, h, t, d}, -range, range}, {{n, h, s, d}, -range, range}, {{n, h, s, d}}};
  if (padded) inputs.push_back({{n, s}, 0, 2, Draw::whole, false});
  table.push_back({"scaled_dot_product_attention", detail, inputs,
                   [=](Device&, const Tensors& x) {
                     return ops::scaled_dot_product_attention(x[0], x[1], x[2], causal, padded ? x[3] : Tensor());
                   },
                   [=](const Arrays& x) {
                     return reference::scaled_dot_product_attention(x[0], x[1], x[2], causal, padded ? &x[3] : nullptr);
                   },
                   s + d});
}

/// keys = 0: qkv in one; else q and kv.
void add_heads(std::vector<OpCase>& table, int n, int t, int keys, int heads, int d, Mask mask) {
  const bool causal = mask == Mask::causal || mask == Mask::both, padded = mask == Mask::padding || mask == Mask::both;
  const int width = heads * d, s = keys ? keys : t;
  std::string detail = text({n, t, width}) + " in " + std::to_string(heads) + " heads";
  if (keys) detail += " over " + std::to_string(keys);
  if (causal) detail += " causal";
  if (padded) detail += " padded";
  std::vector<Input> inputs{{{n, t, keys ? width : 3 * width}}};
  if (keys) inputs.push_back({{n, s, 2 * width}});
  if (padded) inputs.push_back({{n, s}, 0, 2, Draw::whole, false});
  table.push_back(
      {"multi_head_attention", detail, inputs,
       [=](Device&, const Tensors& x) {
         const Tensor padding = padded ? x.back() : Tensor();
         return keys ? ops::multi_head_attention(x[0], x[1], heads, causal, padding)
                     : ops::multi_head_attention(x[0], heads, causal, padding);
       },
       [=](const Arrays& x) {
         const Array& kv = x[keys ? 1 : 0];
         const auto part = [width](const Array& a, int i) { return reference::narrow(a, 2, i * width, width); };
         return reference::multi_head_attention(keys ? x[0] : part(x[0], 0), part(kv, keys ? 0 : 1),
                                                part(kv, keys ? 1 : 2), heads, causal, padded ? &x.back() : nullptr);
       },
       s + d});
}

void add_rotary_heads(std::vector<OpCase>& table, int n, int t, int heads, int d, int rotated, int first = 0) {
  table.push_back({"rotary_heads",
                   text({n, t, heads * d}) + " " + std::to_string(rotated) + " of " + std::to_string(heads) +
                       " heads from " + std::to_string(first),
                   {{{n, t, heads * d}}},
                   [=](Device&, const Tensors& x) { return ops::rotary_heads(x[0], heads, rotated, first); },
                   [=](const Arrays& x) { return reference::rotary_heads(x[0], heads, rotated, first, 10000); }});
}

void add_all_heads(std::vector<OpCase>& table) {
  const Mask masks[]{Mask::none, Mask::causal, Mask::padding, Mask::both};
  int turn = 0;
  for (const Sizes& v : std::vector<Sizes>{{1, 1, 1, 1},
                                           {2, 3, 1, 4},
                                           {1, 4, 2, 4},
                                           {2, 5, 3, 3},
                                           {3, 2, 2, 5},
                                           {1, 7, 4, 2},
                                           {2, 4, 2, 8},
                                           {1, 9, 1, 6},
                                           {2, 6, 3, 4},
                                           {1, 66, 2, 5},
                                           {2, 65, 2, 4},
                                           {1, 32, 4, 16}})
    add_heads(table, v[0], v[1], 0, v[2], v[3], masks[turn++ % 4]);
  for (const Sizes& v : std::vector<Sizes>{{1, 1, 3, 1, 2},
                                           {2, 3, 5, 2, 4},
                                           {1, 4, 2, 3, 3},
                                           {3, 2, 6, 2, 1},
                                           {2, 5, 5, 1, 7},
                                           {1, 6, 9, 4, 4},
                                           {2, 7, 3, 2, 6},
                                           {2, 3, 8, 2, 3},
                                           {1, 65, 67, 2, 4},
                                           {2, 9, 70, 3, 4}})
    add_heads(table, v[0], v[1], v[2], v[3], v[4], masks[turn++ % 4]);
  for (const Sizes& v : std::vector<Sizes>{{1, 1, 1, 2, 1},
                                           {2, 3, 1, 4, 1},
                                           {1, 4, 2, 4, 1},
                                           {2, 5, 3, 2, 2},
                                           {3, 2, 2, 6, 0},
                                           {1, 7, 3, 8, 2},
                                           {2, 4, 6, 10, 4},
                                           {1, 9, 3, 14, 2},
                                           {2, 3, 3, 16, 3},
                                           {1, 17, 2, 6, 1},
                                           {1, 2, 6, 32, 4},
                                           {1, 65, 3, 8, 2},
                                           {2, 3, 9, 2, 5},
                                           {1, 5, 4, 12, 3},
                                           {4, 1, 2, 18, 1},
                                           {1, 33, 2, 34, 2}})
    add_rotary_heads(table, v[0], v[1], v[2], v[3], v[4]);
  add_rotary_heads(table, 1, 3, 3, 8, 2, 5);
  add_rotary_heads(table, 2, 4, 3, 6, 1, 2047);
  add_rotary_heads(table, 1, 3, 2, 4, 2, 100000);
  add_rotary_heads(table, 2, 64, 6, 16, 4);
}

void add_rotary(std::vector<OpCase>& table, const Sizes& sizes, int first, double base = 10000) {
  table.push_back({"rotary",
                   text(sizes) + " from " + std::to_string(first) +
                       (base == 10000 ? "" : " base " + std::to_string(static_cast<int>(base))),
                   {{sizes}},
                   [=](Device&, const Tensors& x) { return ops::rotary(x[0], first, static_cast<float>(base)); },
                   [=](const Arrays& x) { return reference::rotary(x[0], first, base); }});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  add_attention(table, 1, 1, 1, 1, 1, Mask::none);
  add_attention(table, 2, 1, 3, 5, 4, Mask::none);
  add_attention(table, 1, 2, 4, 4, 8, Mask::none);
  add_attention(table, 2, 3, 5, 2, 3, Mask::none);
  add_attention(table, 1, 1, 7, 9, 5, Mask::none);
  add_attention(table, 1, 2, 1, 6, 16, Mask::none);     // one query
  add_attention(table, 1, 1, 6, 6, 4, Mask::none, 12);  // scores far apart
  add_attention(table, 1, 1, 1, 1, 2, Mask::causal);
  add_attention(table, 2, 2, 4, 4, 4, Mask::causal);
  add_attention(table, 1, 2, 5, 5, 7, Mask::causal);
  add_attention(table, 1, 1, 3, 8, 6, Mask::causal);  // queries at the end of the keys
  add_attention(table, 2, 1, 6, 3, 5, Mask::causal);  // the first three queries see nothing
  add_attention(table, 2, 1, 3, 4, 4, Mask::padding);
  add_attention(table, 3, 2, 2, 7, 3, Mask::padding);
  add_attention(table, 6, 1, 2, 2, 1, Mask::padding);  // some samples without any key
  add_attention(table, 2, 2, 5, 5, 4, Mask::both);
  add_attention(table, 4, 1, 4, 6, 2, Mask::both);
  add_attention(table, 3, 1, 5, 3, 9, Mask::both);
  add_attention(table, 1, 2, 63, 65, 4, Mask::none);
  add_attention(table, 1, 1, 70, 70, 8, Mask::causal);
  add_attention(table, 2, 1, 65, 130, 4, Mask::both);
  add_attention(table, 1, 1, 64, 64, 33, Mask::causal);
  add_attention(table, 2, 4, 32, 32, 16, Mask::causal);
  add_attention(table, 1, 1, 2, 2060, 4, Mask::causal);   // three draws over the keys
  add_attention(table, 1, 1, 2060, 2, 2, Mask::padding);  // three draws over the queries
  add_attention(table, 1, 1, 600, 3, 3, Mask::none);

  const Sizes shapes[]{{1, 1, 1, 2},  {1, 1, 2, 2},  {1, 1, 3, 4},   {2, 1, 2, 6},  {1, 2, 5, 8},  {2, 3, 4, 4},
                       {1, 1, 7, 10}, {3, 1, 1, 12}, {1, 2, 9, 14},  {2, 2, 3, 16}, {1, 1, 17, 6}, {1, 3, 2, 32},
                       {2, 1, 8, 64}, {1, 1, 65, 8}, {1, 4, 33, 34}, {2, 1, 5, 2}};
  for (const Sizes& sizes : shapes) add_rotary(table, sizes, 0);
  add_rotary(table, {1, 2, 3, 8}, 5);
  add_rotary(table, {1, 1, 4, 6}, 2047);  // many turns
  add_rotary(table, {1, 2, 3, 4}, 100000);
  add_rotary(table, {2, 1, 5, 8}, 3, 100);
  add_rotary(table, {1, 2, 7, 10}, 0, 500000);
  add_rotary(table, {2, 4, 64, 32}, 0);
  add_all_heads(table);
});

}  // namespace sg::tests
