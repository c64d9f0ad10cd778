#include "train/blocks.h"

#include <algorithm>

#include "core/check.h"
#include "core/random.h"

namespace sg::train {
namespace {

constexpr uint64_t kMostCarriedBytes = uint64_t{256} << 20;

/// Fisher and Yates; `part` tells the shuffles of an epoch apart. Of a series in one block it is the same as of one in
/// memory.
void shuffle(std::span<uint32_t> values, uint64_t seed, int epoch, uint32_t part) {
  const Generator g{seed, 0};
  for (size_t i = values.size(); i > 1; --i) {
    const uint32_t bits =
        philox({static_cast<uint32_t>(i), static_cast<uint32_t>(Stream::shuffle), static_cast<uint32_t>(epoch), part},
               g.low(), g.high())[0];
    std::swap(values[i - 1], values[static_cast<size_t>((uint64_t{bits} * i) >> 32)]);
  }
}

constexpr uint32_t kPieces = 0xffffffffu;  // a part that no block is

uint64_t sum(const std::vector<uint32_t>& values) {
  uint64_t total = 0;
  for (const uint32_t v : values) total += v;
  return total;
}

/// Windows that may wait, where there is room for them.
size_t carried_room(const Blocks::Parts& parts, const TrainConfig& config) {
  const uint64_t step =
      std::min(static_cast<uint64_t>(config.batch_size) * static_cast<uint64_t>(config.accumulate), sum(parts.whole));
  const uint64_t span = parts.config.look_back + parts.config.horizon;
  const uint64_t most = kMostCarriedBytes / (parts.choice.row_floats() * sizeof(float)) / span;
  if (step > most + 1)
    throw Error("config.too_large", "steps of " + std::to_string(step) + " windows of " + std::to_string(span) +
                                        " rows find no room beside a part of this data, which is larger than memory: "
                                        "choose a smaller batch, fewer batches a step or a shorter look-back");
  return static_cast<size_t>(step - 1);
}

}  // namespace

Blocks::Blocks(Parts parts, const TrainConfig& config)
    : Supply(sum(parts.whole), config),
      parts_(std::move(parts)),
      seed_(config.seed),
      carried_room_(carried_room(parts_, config)),
      part_(parts_.pieces.room() + carried_room_ * span(), parts_.config, parts_.validation.windows().split_row,
            parts_.validation.scaler()),
      whole_(parts_.config.look_back, parts_.config.horizon) {}

uint64_t Blocks::end_of(int step) const {
  return std::min((static_cast<uint64_t>(step) + 1) * batch_size(), windows());
}

/// The block with that window of the epoch.
size_t Blocks::block_of(uint64_t window) const {
  return static_cast<size_t>(std::upper_bound(before_.begin(), before_.end(), window) - before_.begin()) - 1;
}

void Blocks::shuffle_pieces(int epoch) {
  epoch_ = epoch;
  order_.resize(parts_.pieces.count());
  for (size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<uint32_t>(i);
  shuffle(order_, seed_, epoch, kPieces);
  before_.assign(1, 0);
  for (size_t first = 0; first < order_.size(); first += parts_.pieces.per_block()) {
    uint64_t all = before_.back();
    for (size_t i = first; i < std::min(order_.size(), first + parts_.pieces.per_block()); ++i)
      all += parts_.whole[order_[i]];
    before_.push_back(all);
  }
}

bool Blocks::has(int epoch, int step) const {
  return !loading_ && epoch == epoch_ && block_ != kNone && static_cast<uint64_t>(step) * batch_size() >= list_begin_ &&
         end_of(step) <= before_[block_ + 1];
}

void Blocks::enter(int epoch, int step) {
  if (has(epoch, step)) return;
  const bool here = epoch == epoch_ && !loading_ && block_ != kNone;
  if (epoch != epoch_) shuffle_pieces(epoch);
  target_ = block_of(end_of(step) - 1);
  // The block's first windows may be those that an earlier one left over.
  const uint64_t first_window = before_[target_] / batch_size() * batch_size();
  size_t first = first_window < before_[target_] ? block_of(first_window) : target_;
  if (here && first <= block_ && block_ < target_) {
    first = block_ + 1;
    carry_over();
  } else {
    part_.clear();
    list_.clear();
    carried_ = 0;
  }
  begin(first);
}

void Blocks::begin(size_t block) {
  loading_ = true;
  block_ = block;
  ranges_.clear();
  const size_t first = block * parts_.pieces.per_block();
  for (size_t i = first; i < std::min(order_.size(), first + parts_.pieces.per_block()); ++i)
    if (parts_.whole[order_[i]] > 0) ranges_.push_back(parts_.pieces.rows(order_[i]));
  std::sort(ranges_.begin(), ranges_.end(), [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
  parts_.feed.ask(ranges_);
  range_ = range_at_ = 0;
  whole_.restart();
  if (ranges_.empty()) finish();
}

std::optional<RowFeed::Need> Blocks::need() {
  if (!loading_) return std::nullopt;
  return parts_.feed.need();
}

void Blocks::fed() {
  if (!loading_) throw Error("rows.not_asked", "no rows are wanted");
  const RowChunk chunk = parts_.feed.fed();
  if (chunk.range != range_) {
    range_at_ += static_cast<size_t>(ranges_[range_].rows);
    range_ = chunk.range;
    whole_.restart();
  }
  const size_t at = range_at_ + static_cast<size_t>(chunk.first - ranges_[range_].first);
  part_.put(chunk, parts_.choice, at);
  const std::vector<uint8_t> missing = missing_in(chunk, parts_.choice);
  for (size_t r = 0; r < chunk.rows; ++r)
    if (whole_.next(missing[r] & kFeatureMissing, missing[r] & kTargetMissing))
      list_.push_back(static_cast<uint32_t>(at + r + 1 - span()));
  if (!parts_.feed.need()) finish();
}

void Blocks::finish() {
  if (list_.size() - carried_ != before_[block_ + 1] - before_[block_])
    throw Error("dataset.changed", "the data has other gaps than when this run looked through it: import it again");
  shuffle(std::span(list_).subspan(carried_), seed_, epoch_, static_cast<uint32_t>(block_));
  list_begin_ = before_[block_ + 1] - list_.size();
  if (block_ < target_) {
    carry_over();
    return begin(block_ + 1);
  }
  loading_ = false;
  ++version_;
}

/// The list's last windows, which are no whole step, become those that the next block begins with.
void Blocks::carry_over() {
  const auto count = static_cast<size_t>(before_[block_ + 1] % batch_size());
  SG_CHECK(count <= list_.size(), "a block was entered without the windows that were left over before it");
  const size_t first = list_.size() - count, room = parts_.pieces.room();
  std::vector<uint32_t> carried;
  std::vector<uint64_t> rows;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t from = list_[first + i];
    const size_t to = room + i * span();
    rows.push_back(part_.row_of(from));
    if (from != to) part_.copy(from, to, span());
    carried.push_back(static_cast<uint32_t>(to));
  }
  part_.clear();
  for (size_t i = 0; i < count; ++i) part_.name(carried[i], rows[i]);
  list_ = std::move(carried);
  carried_ = count;
}

std::span<const uint32_t> Blocks::batch(int epoch, int step) {
  SG_CHECK(has(epoch, step), "the windows of a step are not here");
  const auto first = static_cast<size_t>(static_cast<uint64_t>(step) * batch_size() - list_begin_);
  return std::span<const uint32_t>(list_).subspan(first, size_of(step));
}

int Blocks::first_steps() const {
  if (!has(0, 0)) return 0;
  return static_cast<int>(block_ + 2 == before_.size() ? static_cast<uint64_t>(steps())
                                                       : before_[block_ + 1] / batch_size());
}

}  // namespace sg::train
