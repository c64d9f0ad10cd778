// Cases of the matrix product and of what is built on it.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

struct Product {
  int m, k, n;
};

/// Around tiles of 4, 8, 16, 32 and 64, thin either way, primes, results beyond 8192 floats, and each size once beyond
/// the blocks in which a device works (a sum of 256 or 512 and more is cut into pieces, 48 rows or columns and more are
/// packed).
const std::vector<Product> kProducts{
    {1, 1, 1},    {1, 7, 1},    {2, 3, 4},    {5, 1, 3},     {3, 4, 5},     {4, 4, 4},    {5, 5, 5},    {8, 8, 8},
    {9, 8, 7},    {7, 9, 8},    {16, 16, 16}, {17, 16, 15},  {16, 17, 33},  {31, 13, 29}, {32, 32, 32}, {33, 65, 4},
    {1, 64, 32},  {64, 1, 32},  {32, 5, 1},   {64, 64, 64},  {65, 63, 66},  {3, 300, 2},  {100, 3, 90}, {12, 24, 36},
    {3, 1030, 5}, {5, 8, 300},  {4, 3, 1030}, {300, 40, 33}, {301, 40, 33}, {97, 5, 9},   {2, 40, 77},  {3, 33, 70},
    {1, 257, 39}, {39, 257, 1}, {41, 66, 67}, {50, 100, 49}, {67, 260, 68}};

void add_matmul(std::vector<OpCase>& table, const Sizes& a, const Sizes& b, bool ta, bool tb, int k) {
  const std::string detail = text(a) + (ta ? "ᵀ" : "") + " " + text(b) + (tb ? "ᵀ" : "");
  table.push_back({"matmul",
                   detail,
                   {{a}, {b}},
                   [ta, tb](Device&, const Tensors& t) { return ops::matmul(t[0], t[1], ta, tb); },
                   [ta, tb](const Arrays& t) { return reference::matmul(t[0], t[1], ta, tb); },
                   k});
}

/// Matrices [m, k] and [k, n] under leading axes.
void add_batched(std::vector<OpCase>& table, const Sizes& lead_a, const Sizes& lead_b, const Product& s) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      Sizes a = lead_a, b = lead_b;
      a.insert(a.end(), {ta ? s.k : s.m, ta ? s.m : s.k});
      b.insert(b.end(), {tb ? s.n : s.k, tb ? s.k : s.n});
      add_matmul(table, a, b, ta, tb, s.k);
    }
  }
}

struct Batched {
  Sizes a, b;  // the leading axes
  Product product;
};

/// One matrix for all of either side, axes broadcast in the middle and at the end, ranks apart, each path of the kernel
/// (sizes that are multiples of 4, rows that straddle texels, sums that are cut), and many small products.
const std::vector<Batched> kBatched{{{1}, {1}, {2, 3, 4}},
                                    {{2}, {2}, {1, 1, 1}},
                                    {{3}, {3}, {2, 5, 3}},
                                    {{5}, {5}, {4, 4, 4}},
                                    {{3}, {3}, {8, 4, 12}},
                                    {{2}, {2}, {7, 9, 5}},
                                    {{4}, {}, {3, 5, 7}},
                                    {{4}, {1}, {5, 8, 4}},
                                    {{}, {4}, {3, 5, 7}},
                                    {{1}, {4}, {5, 8, 4}},
                                    {{2, 3}, {2, 3}, {4, 5, 6}},
                                    {{2, 1}, {1, 3}, {3, 4, 5}},
                                    {{3}, {2, 1}, {4, 3, 2}},
                                    {{2, 3}, {3}, {5, 2, 9}},
                                    {{1, 3}, {2, 1, 1}, {2, 2, 3}},
                                    {{2, 3, 2}, {2, 1, 2}, {3, 4, 3}},
                                    {{2, 1, 2, 3}, {2, 2, 1, 3}, {2, 3, 4}},
                                    {{1, 2, 1, 3}, {2, 1, 2, 1}, {3, 1, 2}},
                                    {{2}, {2}, {3, 700, 5}},
                                    {{2}, {1, 1}, {3, 600, 4}},
                                    {{7, 5}, {7, 5}, {17, 3, 16}},
                                    {{33}, {33}, {2, 3, 1}},
                                    {{65}, {65}, {1, 7, 4}}};

void add_linear(std::vector<OpCase>& table, const Sizes& x, int out, bool bias) {
  std::vector<Input> inputs{{x}, {{out, x.back()}, -1, 1}};
  if (bias) inputs.push_back({{out}});
  table.push_back({"linear", text(x) + " to " + std::to_string(out) + (bias ? " with bias" : ""), inputs,
                   [bias](Device&, const Tensors& t) { return ops::linear(t[0], t[1], bias ? t[2] : Tensor()); },
                   [bias](const Arrays& t) { return reference::linear(t[0], t[1], bias ? &t[2] : nullptr); },
                   x.back()});
}

void add_addmm(std::vector<OpCase>& table, const Sizes& a, int n, bool transpose_b) {
  const int k = a.back();
  table.push_back({"addmm",
                   text(a) + " to " + std::to_string(n) + (transpose_b ? " transposed" : ""),
                   {{{n}}, {a}, {transpose_b ? Sizes{n, k} : Sizes{k, n}, -1, 1}},
                   [=](Device&, const Tensors& t) { return ops::addmm(t[0], t[1], t[2], transpose_b); },
                   [=](const Arrays& t) { return reference::addmm(t[0], t[1], t[2], transpose_b); },
                   k});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Product& s : kProducts) add_batched(table, {}, {}, s);
  for (const Batched& s : kBatched) add_batched(table, s.a, s.b, s.product);

  const std::vector<Sizes> rows{{1},     {5},       {1, 1},     {3, 1},    {4, 4},       {7, 5},    {32, 8},
                                {33, 9}, {2, 3, 4}, {32, 5, 1}, {5, 2, 7}, {2, 3, 2, 6}, {1, 17, 3}};
  for (const Sizes& x : rows)
    for (const int out : {1, 3, 8}) add_linear(table, x, out, out != 3);
  add_linear(table, {130, 4}, 65, true);  // beyond 8192 floats
  for (const Sizes& a : rows)
    for (const int n : {1, 4, 7}) add_addmm(table, a, n, n == 4 || a.size() == 3);
  // Large enough for tiles on webgl: whole ones, and ends of rows and columns.
  add_addmm(table, {64, 128}, 256, false);
  add_addmm(table, {2, 33, 128}, 260, true);
  add_addmm(table, {67, 240}, 131, true);
});

}  // namespace sg::tests
