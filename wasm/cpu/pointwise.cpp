// The elementwise kernels: each row of ops/pointwise.def becomes loops over vectors, found by the row's number.
// Loops run past the end of a row into the next one, which is written later, or into the buffer's slack.
#include <string_view>

#include "cpu/axes.h"
#include "cpu/ranges.h"
#include "cpu/special.h"

namespace sg::cpu {
namespace {

/// What an element of a formula costs: more where it has a function, or a division.
constexpr int64_t cost_of(std::string_view formula) {
  for (const std::string_view costly :
       {"exp", "log", "tanh", "sin", "cos", "pow", "erf", "gamma", "sigmoid", "gate", "slope", "/"}) {
    if (formula.find(costly) != std::string_view::npos) return kExponential;
  }
  return kPlain;
}

// A row as a type: its formulas over vectors. A row need not use all of its variables.
#define UNARY(name, y_of_x, dx_of_dy)                                                                \
  struct name##_row {                                                                                \
    static constexpr int64_t kForwardCost = cost_of(#y_of_x), kBackwardCost = cost_of(#dx_of_dy);    \
    static vf forward(vf x, [[maybe_unused]] vf p) { return y_of_x; }                                \
    static vf backward([[maybe_unused]] vf x, [[maybe_unused]] vf y, vf dy, [[maybe_unused]] vf p) { \
      return dx_of_dy;                                                                               \
    }                                                                                                \
  };
#define BINARY(name, c_of_ab, da_of_dc, db_of_dc)                                                                 \
  struct name##_row {                                                                                             \
    static constexpr int64_t kForwardCost = cost_of(#c_of_ab), kBackwardCost = 2 * cost_of(#da_of_dc #db_of_dc);  \
    static vf forward(vf a, vf b, [[maybe_unused]] vf p) { return c_of_ab; }                                      \
    static vf da([[maybe_unused]] vf a, [[maybe_unused]] vf b, vf dc, [[maybe_unused]] vf p) { return da_of_dc; } \
    static vf db([[maybe_unused]] vf a, [[maybe_unused]] vf b, vf dc, [[maybe_unused]] vf p) { return db_of_dc; } \
  };
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY

template <class Row>
void forward(const float* x, float* y, int64_t n, float scalar, Scratch& scratch) {
  const vf p = splat(scalar);
  each_four(n, Row::kForwardCost, scratch, [=](ptrdiff_t i) { store(y + i, Row::forward(load(x + i), p)); });
}

template <class Row>
void backward(const float* x, const float* y, const float* dy, float* dx, int64_t n, float scalar, Scratch& scratch) {
  const vf p = splat(scalar);
  each_four(n, Row::kBackwardCost, scratch,
            [=](ptrdiff_t i) { store(dx + i, Row::backward(load(x + i), load(y + i), load(dy + i), p)); });
}

/// Readers of an operand along a row: every element, one element for all, or at some stride.
struct Each {
  const float* data;
  vf operator()(ptrdiff_t i) const { return load(data + i); }
};
struct One {
  vf value;
  vf operator()(ptrdiff_t) const { return value; }
};
struct Strided {
  const float* data;
  ptrdiff_t stride, last;
  float at(ptrdiff_t i) const { return data[(i < last ? i : last) * stride]; }
  vf operator()(ptrdiff_t i) const { return vf{at(i), at(i + 1), at(i + 2), at(i + 3)}; }
};

/// An operand of a block of the result, and its strides along the block's axes.
struct Operand {
  const float* data;
  ptrdiff_t row, column;
  Each each(ptrdiff_t r) const { return {data + r * row}; }
  One one(ptrdiff_t r) const { return {splat(data[r * row])}; }
  Strided strided(ptrdiff_t r, ptrdiff_t n) const { return {data + r * row, column, n - 1}; }
};

struct Block {
  ptrdiff_t rows, columns;
};

/// f(a, b, where the part starts in the block, the part) for parts of a block: of its rows, or of its only row.
template <class F>
void over_block(Operand a, Operand b, Block block, int64_t cost, Scratch& scratch, F f) {
  if (block.rows == 1) {
    return over_elements(block.columns, cost, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
      f(Operand{a.data + begin * a.column, 0, a.column}, Operand{b.data + begin * b.column, 0, b.column}, begin,
        Block{1, end - begin});
    });
  }
  over_rows(block.rows, block.columns, cost, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
    f(Operand{a.data + begin * a.row, a.row, a.column}, Operand{b.data + begin * b.row, b.row, b.column},
      begin * block.columns, Block{end - begin, block.columns});
  });
}

/// Calls f(where the row starts in the result, readers of a and b) for each row, with readers that suit the strides.
template <class F>
void each_row(Operand a, Operand b, Block block, F f) {
  const auto [rows, n] = block;
  ptrdiff_t r = 0;
  if (a.column == 1 && b.column == 1)
    for (; r < rows; ++r) f(r * n, a.each(r), b.each(r));
  else if (a.column == 1 && b.column == 0)
    for (; r < rows; ++r) f(r * n, a.each(r), b.one(r));
  else if (a.column == 0 && b.column == 1)
    for (; r < rows; ++r) f(r * n, a.one(r), b.each(r));
  else
    for (; r < rows; ++r) f(r * n, a.strided(r, n), b.strided(r, n));
}

template <class Row>
void binary_forward(Operand a, Operand b, float* c, Block block, float scalar, Scratch& scratch) {
  const vf p = splat(scalar);
  over_block(a, b, block, Row::kForwardCost, scratch, [=](Operand of_a, Operand of_b, ptrdiff_t first, Block part) {
    each_row(of_a, of_b, part, [=](ptrdiff_t start, auto a_at, auto b_at) {
      float* const to = c + first + start;
      each_four(part.columns, [=](ptrdiff_t i) { store(to + i, Row::forward(a_at(i), b_at(i), p)); });
    });
  });
}

template <class Row>
void binary_backward(Operand a, Operand b, const float* dc, float* da, float* db, Block block, float scalar,
                     Scratch& scratch) {
  const vf p = splat(scalar);
  over_block(a, b, block, Row::kBackwardCost, scratch, [=](Operand of_a, Operand of_b, ptrdiff_t first, Block part) {
    each_row(of_a, of_b, part, [=](ptrdiff_t start, auto a_at, auto b_at) {
      const ptrdiff_t at = first + start;
      each_four(part.columns, [=](ptrdiff_t i) {
        const vf x = a_at(i), y = b_at(i), d = load(dc + at + i);
        store(da + at + i, Row::da(x, y, d, p));
        store(db + at + i, Row::db(x, y, d, p));
      });
    });
  });
}

struct UnaryLoops {
  decltype(&forward<neg_row>) forward;
  decltype(&backward<neg_row>) backward;
};
struct BinaryLoops {
  decltype(&binary_forward<add_row>) forward;
  decltype(&binary_backward<add_row>) backward;
};

constexpr UnaryLoops kUnary[] = {
#define UNARY(name, ...) {&forward<name##_row>, &backward<name##_row>},
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
constexpr BinaryLoops kBinary[] = {
#define UNARY(...)
#define BINARY(name, ...) {&binary_forward<name##_row>, &binary_backward<name##_row>},
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

template <class Loops, size_t N>
const Loops& row_of(const Loops (&table)[N], int op, const Args& args) {
  if (op < 0 || op >= static_cast<int>(N)) args.fail("there is no op " + std::to_string(op));
  return table[op];
}

/// The walk of a binary kernel, with the numbers of floats that it needs in a, b and the results.
template <class P>
struct BinaryWalk {
  Six sizes, a, b;
  int64_t results, a_floats, b_floats;

  BinaryWalk(const P& p, const Args& args)
      : sizes{p.d0, p.d1, p.d2, p.d3, p.d4, p.d5},
        a{p.a0, p.a1, p.a2, p.a3, p.a4, p.a5},
        b{p.b0, p.b1, p.b2, p.b3, p.b4, p.b5},
        results(args.count({p.d0, p.d1, p.d2, p.d3, p.d4, p.d5})) {
    const Reach of_a(sizes, a), of_b(sizes, b);
    if (of_a.lowest < 0 || of_b.lowest < 0) args.fail("a stride is negative");
    a_floats = p.same ? results : of_a.end;
    b_floats = p.same ? results : of_b.end;
    if (p.same) {
      sizes = {1, 1, 1, 1, 1, static_cast<int>(results)};
      a = b = {0, 0, 0, 0, 0, 1};
    }
  }
  /// Calls f(a, b, where the block starts in the result, the block) for each block in order.
  template <class F>
  void each_block(const float* a_data, const float* b_data, F f) const {
    const Axes<2> axes(sizes, {a, b});
    const Block block{axes.rows(), axes.columns()};
    ptrdiff_t start = 0;
    axes.each_block([&](const auto& at) {
      f(Operand{a_data + at[0], axes.row_stride(0), axes.column_stride(0)},
        Operand{b_data + at[1], axes.row_stride(1), axes.column_stride(1)}, start, block);
      start += block.rows * block.columns;
    });
  }
};

}  // namespace

namespace kernels {

void fill(const params::fill& p, const Args& args) {
  float* const y = args.out(0, 0);
  const vf value = splat(p.value);
  each_four(args.out_size(0), kPlain, args.scratch(), [=](ptrdiff_t i) { store(y + i, value); });
}

void unary(const params::unary& p, const Args& args) {
  const int64_t n = args.out_size(0);
  row_of(kUnary, p.op, args).forward(args.in(0, n), args.out(0, n), n, p.p, args.scratch());
}

void unary_backward(const params::unary_backward& p, const Args& args) {
  const int64_t n = args.out_size(0);
  row_of(kUnary, p.op, args)
      .backward(args.in(0, n), args.in(1, n), args.in(2, n), args.out(0, n), n, p.p, args.scratch());
}

void binary(const params::binary& p, const Args& args) {
  const BinaryWalk walk(p, args);
  const auto loop = row_of(kBinary, p.op, args).forward;
  const float *a = args.in(0, walk.a_floats), *b = args.in(1, walk.b_floats);
  float* const c = args.out(0, walk.results);
  walk.each_block(a, b, [=, &p, &args](Operand of_a, Operand of_b, ptrdiff_t start, Block block) {
    loop(of_a, of_b, c + start, block, p.p, args.scratch());
  });
}

void binary_backward(const params::binary_backward& p, const Args& args) {
  const BinaryWalk walk(p, args);
  const auto loop = row_of(kBinary, p.op, args).backward;
  const float *a = args.in(0, walk.a_floats), *b = args.in(1, walk.b_floats), *dc = args.in(2, walk.results);
  float *da = args.out(0, walk.results), *db = args.out(1, walk.results);
  walk.each_block(a, b, [=, &p, &args](Operand of_a, Operand of_b, ptrdiff_t start, Block block) {
    loop(of_a, of_b, dc + start, da + start, db + start, block, p.p, args.scratch());
  });
}

}  // namespace kernels
}  // namespace sg::cpu
