// The draws of products. A large one is made in tiles of 4 x 4, by four targets, and a second draw joins them to the
// matrix: two draws, but less than half of the fetches. Small outputs of long sums are cut into pieces, so that enough
// fragments are at work, and the second draw sums those. Convolutions with many channels are products of columns.
#include "webgl/tiles.h"

namespace sg::webgl {
namespace {

// What measured best on a GPU whose dependent draw costs 9 us and that fetches 31 texels a ns. A product of less work
// is made by one draw.
constexpr int64_t kTilesWork = 2 << 20, kStepWork = 1 << 20;
/// Fragments that a draw should have, and the fewest steps that one walks.
constexpr int kFragments = 8192, kShortestPiece = 32, kStepFragments = 4096, kShortestStepPiece = 16,
              kLongStepPiece = 128;
/// Outputs that leave a GPU idle, and a sum that takes longer than a draw.
constexpr int kFewFloats = 4096, kLongWait = 128;
/// The most floats of the columns of a convolution.
constexpr int64_t kMostColumns = 1 << 24;

/// Whether the shader may read whole texels everywhere.
bool aligned(const params::matmul& p) {
  const bool rows = p.k % 4 == 0 && (p.trans_a ? p.m : 4) % 4 == 0 && (p.trans_b ? 4 : p.n) % 4 == 0;
  const int strides = p.a0 | p.a1 | p.a2 | p.a3 | p.b0 | p.b1 | p.b2 | p.b3;
  return rows && (!p.batched || strides % 4 == 0);
}

/// The steps of a piece, where a sum of `length` steps is made by each of `tiles` fragments.
int piece_of_tiles(int length, int64_t tiles, int wanted, int shortest) {
  const int64_t pieces = std::clamp<int64_t>(wanted / tiles, 1, std::max(length / shortest, 1));
  return std::min(divide_up(divide_up(length, static_cast<int>(pieces)), 8) * 8, kLongestWalk);
}

/// The product of a step's h with the weights of all gates.
params::matmul product_of(int batch, int hidden, int gates) {
  return {.m = batch, .n = gates * hidden, .k = hidden, .trans_b = 1};
}

}  // namespace

bool Passes::tiles_pay(const params::matmul& p, int64_t products) const {
  return p.m >= 8 && p.n >= 8 && products * p.m * p.n * p.k >= kTilesWork && aligned(p) &&
         max_outputs_ >= kTileOutputs &&
         Tiles::floats_of(pool_, products * divide_up(p.k, kShortestPiece), p.m, p.n) <= INT32_MAX;
}

void Passes::run_matmul(const Pass& pass) {
  const auto p = read<params::matmul>(pass);
  const int64_t products = int64_t{pass.floats} / (int64_t{p.m} * p.n), tiles = products * tiles_of(p.m, p.n);
  if (!tiles_pay(p, products)) {
    // Few fragments that wait for one fetch after the other: a draw more costs less.
    const bool waits = pass.floats <= kFewFloats && p.k >= kLongWait;
    return run_in_pieces(pass, p.k, waits ? std::clamp(divide_up(p.k, 64) * 4, 16, kLongestSum) : kLongestWalk);
  }
  const int piece = piece_of_tiles(p.k, tiles, kFragments, kShortestPiece);
  const Tiles made(pool_, products * divide_up(p.k, piece), p.m, p.n);
  draw({Kernel::matmul, pass.inputs, made.span(), pass.parameters, made.floats(), Stage::matmul_tile}, piece);
  draw({Kernel::matmul, made.span(), pass.outputs, pass.parameters, pass.floats, Stage::matmul_join}, piece);
}

void Passes::run_addmm(const Pass& pass) {
  const auto p = read<params::addmm>(pass);
  const params::matmul product{.m = p.m, .n = p.n, .k = p.k, .trans_b = p.trans_b};
  const auto factors = pass.inputs.first(2);
  if (!tiles_pay(product, 1)) {
    const Temporary made(pool_, pass.floats);
    run_matmul({Kernel::matmul, factors, made.span(), bytes(product), pass.floats});
    const std::array<Texture, 3> inputs{made.texture(), made.texture(), pass.inputs[2]};
    return draw({Kernel::addmm, inputs, pass.outputs, pass.parameters, pass.floats}, 0);
  }
  const int piece = piece_of_tiles(p.k, tiles_of(p.m, p.n), kFragments, kShortestPiece);
  const Tiles made(pool_, divide_up(p.k, piece), p.m, p.n);
  draw({Kernel::matmul, factors, made.span(), bytes(product), made.floats(), Stage::matmul_tile}, piece);
  std::vector<Texture> inputs(made.span().begin(), made.span().end());
  inputs.push_back(pass.inputs[2]);
  draw({Kernel::matmul, inputs, pass.outputs, bytes(product), pass.floats, Stage::matmul_join_addmm}, piece);
}

bool Passes::gates_pay(int batch, int hidden) const {
  return hidden % 4 == 0 && max_outputs_ >= kTileOutputs && int64_t{4} * batch * hidden * hidden >= kStepWork;
}

void Passes::run_step(const Pass& pass, const params::matmul& product, const Texture& h, const Texture& w,
                      std::vector<Texture> inputs, Stage stage) {
  const int64_t tiles = tiles_of(product.m, product.n);
  const int piece = piece_of_tiles(product.k, tiles, kStepFragments, kShortestStepPiece);
  const Tiles made(pool_, divide_up(product.k, piece), product.m, product.n);
  const std::array<Texture, 2> factors{h, w};
  draw({Kernel::matmul, factors, made.span(), bytes(product), made.floats(), Stage::matmul_tile}, piece);
  inputs.insert(inputs.end(), made.span().begin(), made.span().end());
  draw({pass.kernel, inputs, pass.outputs, pass.parameters, pass.floats, stage}, piece);
}

void Passes::run_lstm_step(const Pass& pass) {
  const auto p = read<params::lstm_step>(pass);
  if (!gates_pay(p.batch, p.hidden)) return draw(pass, 0);
  const auto in = pass.inputs;
  run_step(pass, product_of(p.batch, p.hidden, 4), in[1], in[3], {in[0], in[2]}, Stage::lstm_cell);
}

void Passes::run_gru_step(const Pass& pass) {
  const auto p = read<params::gru_step>(pass);
  if (!gates_pay(p.batch, p.hidden)) return draw(pass, 0);
  const auto in = pass.inputs;
  run_step(pass, product_of(p.batch, p.hidden, 3), in[1], in[2], {in[0], in[1], in[3]}, Stage::gru_cell);
}

void Passes::run_step_backward(const Pass& pass, int gates, int batch, int hidden,
                               const std::array<Texture, 5>& factors, std::vector<Texture> inputs, Stage stage) {
  const int64_t tiles = gates * tiles_of(batch, hidden);
  int piece = hidden;
  const auto too_long = [&] { return piece > kLongStepPiece || tiles * (hidden / piece) < kStepFragments; };
  while (too_long() && piece % 8 == 0 && piece > kShortestStepPiece) piece /= 2;
  const Tiles made(pool_, gates * (hidden / piece), batch, hidden);
  draw({pass.kernel, factors, made.span(), pass.parameters, made.floats(), Stage::gates_tile}, piece);
  inputs.insert(inputs.end(), made.span().begin(), made.span().end());
  draw({pass.kernel, inputs, pass.outputs, pass.parameters, pass.floats, stage}, piece);
}

void Passes::run_lstm_step_backward(const Pass& pass) {
  const auto p = read<params::lstm_step_backward>(pass);
  if (!gates_pay(p.batch, p.hidden)) return draw(pass, 0);
  const auto in = pass.inputs;
  run_step_backward(pass, 4, p.batch, p.hidden, {in[9], in[10], in[11], in[12], in[8]}, {in.begin(), in.begin() + 8},
                    Stage::lstm_cell_backward);
}

void Passes::run_gru_step_backward(const Pass& pass) {
  const auto p = read<params::gru_step_backward>(pass);
  if (!gates_pay(p.batch, p.hidden)) return draw(pass, 0);
  const auto in = pass.inputs;
  run_step_backward(pass, 3, p.batch, p.hidden, {in[8], in[9], in[10], in[10], in[7]}, {in.begin(), in.begin() + 7},
                    Stage::gru_cell_backward);
}

namespace {

/// The sizes of a convolution as products, one for each sample and group.
struct Columns {
  int outputs, taps, positions, groups, batch;
  int64_t floats() const { return int64_t{batch} * groups * taps * positions; }
  int64_t products() const { return int64_t{batch} * groups; }
  /// Strides of samples and groups: of weights, columns and outputs.
  template <class Params>
  explicit Columns(const Params& p)
      : outputs(p.out_channels / p.groups),
        taps(p.channels / p.groups * p.kernel_h * p.kernel_w),
        positions(p.out_height * p.out_width),
        groups(p.groups),
        batch(p.batch) {}
  params::matmul batched(params::matmul p) const {
    p.batched = 1, p.d0 = p.d1 = 1, p.d2 = batch, p.d3 = groups;
    return p;
  }
};

}  // namespace

void Passes::draw_columns(const Pass& pass, const Texture& x, const Texture& columns, int64_t floats) {
  params::conv2d p;  // the gradient's own parameters are the first of these
  memcpy(&p, pass.parameters.data(), pass.parameters.size());
  draw({Kernel::conv2d, {&x, 1}, {&columns, 1}, bytes(p), static_cast<int32_t>(floats), Stage::conv2d_columns}, 0);
}

void Passes::run_conv2d(const Pass& pass) {
  const auto p = read<params::conv2d>(pass);
  const Columns c(p);
  const params::matmul product = c.batched({.m = c.outputs,
                                            .n = c.positions,
                                            .k = c.taps,
                                            .a3 = c.outputs * c.taps,
                                            .b2 = c.groups * c.taps * c.positions,
                                            .b3 = c.taps * c.positions});
  if (c.floats() > kMostColumns || !tiles_pay(product, c.products())) return run_in_pieces(pass, c.taps, kLongestSum);
  const Temporary columns(pool_, c.floats());
  draw_columns(pass, pass.inputs[0], columns.texture(), c.floats());
  const Tiles made(pool_, c.products(), product.m, product.n);
  const std::array<Texture, 2> factors{pass.inputs[1], columns.texture()};
  draw({Kernel::matmul, factors, made.span(), bytes(product), made.floats(), Stage::matmul_tile}, product.k);
  std::vector<Texture> inputs(made.span().begin(), made.span().end());
  if (p.has_bias) inputs.push_back(pass.inputs[2]);
  draw({Kernel::matmul, inputs, pass.outputs, bytes(product), pass.floats,
        p.has_bias ? Stage::matmul_join_bias : Stage::matmul_join},
       product.k);
}

void Passes::run_conv2d_backward_input(const Pass& pass) {
  const auto p = read<params::conv2d_backward_input>(pass);
  const Columns c(p);
  const params::matmul product = c.batched({.m = c.taps,
                                            .n = c.positions,
                                            .k = c.outputs,
                                            .trans_a = 1,
                                            .a3 = c.outputs * c.taps,
                                            .b2 = c.groups * c.outputs * c.positions,
                                            .b3 = c.outputs * c.positions});
  if (c.floats() > kMostColumns || !tiles_pay(product, c.products()))
    return run_in_pieces(pass, c.outputs * p.kernel_h * p.kernel_w, kLongestSum);
  const Temporary columns(pool_, c.floats());
  const std::array<Texture, 2> factors{pass.inputs[1], pass.inputs[0]};
  run_matmul({Kernel::matmul, factors, columns.span(), bytes(product), static_cast<int32_t>(c.floats())});
  draw({pass.kernel, columns.span(), pass.outputs, pass.parameters, pass.floats, Stage::conv2d_from_columns}, 0);
}

void Passes::run_conv2d_backward_weight(const Pass& pass) {
  const auto p = read<params::conv2d_backward_weight>(pass);
  const Columns c(p);
  const params::matmul product = c.batched({.m = c.outputs,
                                            .n = c.taps,
                                            .k = c.positions,
                                            .trans_b = 1,
                                            .a2 = c.groups * c.outputs * c.positions,
                                            .a3 = c.outputs * c.positions,
                                            .b2 = c.groups * c.taps * c.positions,
                                            .b3 = c.taps * c.positions});
  if (c.floats() > kMostColumns || !tiles_pay(product, c.products()))
    return run_in_pieces(pass, c.batch * c.positions, kLongestSum);
  const Temporary columns(pool_, c.floats());
  draw_columns(pass, pass.inputs[0], columns.texture(), c.floats());
  const Tiles made(pool_, c.products(), product.m, product.n);
  const std::array<Texture, 2> factors{pass.inputs[1], columns.texture()};
  draw({Kernel::matmul, factors, made.span(), bytes(product), made.floats(), Stage::matmul_tile}, product.k);
  // A sample's products are pieces of their sum over the samples.
  params::matmul sum = product;
  sum.k = c.batch;
  draw({Kernel::matmul, made.span(), pass.outputs, bytes(sum), pass.floats, Stage::matmul_join}, 1);
}

}  // namespace sg::webgl
