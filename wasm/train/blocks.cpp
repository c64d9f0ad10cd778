#include "train/blocks.h"

#include <algorithm>

#include "core/check.h"

namespace sg::train {
namespace {

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
  const uint64_t most = parts.most_carried_bytes / (parts.choice.row_floats() * sizeof(float)) / span;
  if (step > most + 1)
    throw Error("config.too_large",
                "steps of " + std::to_string(step) + " windows of " + std::to_string(span) +
                    " rows find no room beside a part of this data, which is larger than memory: "
                    "choose a smaller batch, fewer batches a step, a shorter look-back or larger parts");
  return static_cast<size_t>(step - 1);
}

}  // namespace

Blocks::Blocks(Parts parts, const TrainConfig& config)
    : Supply(sum(parts.whole), config),
      parts_(std::move(parts)),
      seed_(config.seed),
      carried_room_(carried_room(parts_, config)),
      part_(parts_.pieces.room() + carried_room_ * span(), parts_.config, parts_.validation.windows().split_row,
            parts_.validation.scaler(), parts_.choice.line_jumps),
      whole_(parts_.config.look_back, parts_.config.horizon) {
  list_.reserve(std::min<uint64_t>(windows(), parts_.pieces.per_block() * parts_.pieces.starts()));
}

uint64_t Blocks::end_of(int step) const {
  return std::min((static_cast<uint64_t>(step) + 1) * batch_size(), windows());
}

/// The block with that window of the epoch.
size_t Blocks::block_of(uint64_t window) const {
  return static_cast<size_t>(std::upper_bound(before_.begin(), before_.end(), window) - before_.begin()) - 1;
}

void Blocks::order_pieces(int epoch) {
  epoch_ = epoch;
  order_.resize(parts_.pieces.count());
  const Permutation permutation(static_cast<uint32_t>(order_.size()), seed_, epoch, kPieces);
  for (size_t i = 0; i < order_.size(); ++i) order_[i] = permutation(static_cast<uint32_t>(i));
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
  if (epoch != epoch_) order_pieces(epoch);
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
    carried_.clear();
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
  handled_ += chunk.rows;
  const std::vector<uint8_t> missing = missing_in(chunk, parts_.choice);
  for (size_t r = 0; r < chunk.rows; ++r)
    if (whole_.next(missing[r] & kFeatureMissing, missing[r] & kTargetMissing))
      list_.push_back(static_cast<uint32_t>(at + r + 1 - span()));
  if (!parts_.feed.need()) finish();
}

void Blocks::finish() {
  if (list_.size() != before_[block_ + 1] - before_[block_])
    throw Error("dataset.changed", "the data has other gaps than when this run looked through it: import it again");
  // Of a series in one block it is the order of one in memory.
  order_in_block_ = Permutation(static_cast<uint32_t>(list_.size()), seed_, epoch_, static_cast<uint32_t>(block_));
  list_begin_ = before_[block_] - carried_.size();
  if (block_ < target_) {
    carry_over();
    return begin(block_ + 1);
  }
  loading_ = false;
  ++version_;
}

void Blocks::windows_at(size_t place, std::span<uint32_t> windows) const {
  const size_t from = std::min(place, carried_.size());
  const size_t waited = std::min(windows.size(), carried_.size() - from);
  std::copy_n(carried_.begin() + static_cast<std::ptrdiff_t>(from), waited, windows.begin());
  if (waited == windows.size()) return;
  const std::span<uint32_t> own = windows.subspan(waited);
  order_in_block_.fill(static_cast<uint32_t>(place + waited - carried_.size()), own);
  for (uint32_t& window : own) window = list_[window];
}

/// The last windows in the order, which are no whole step, become those that the next block begins with.
void Blocks::carry_over() {
  const auto count = static_cast<size_t>(before_[block_ + 1] % batch_size());
  const size_t here = carried_.size() + list_.size(), room = parts_.pieces.room();
  SG_CHECK(count <= here, "a block was entered without the windows that were left over before it");
  if (list_.empty() && count == carried_.size()) return;  // a block without windows: they are where they belong
  std::vector<uint32_t> carried;
  std::vector<uint64_t> rows;
  std::vector<uint32_t> left(count);
  windows_at(here - count, left);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t from = left[i];
    const size_t to = room + i * span();
    rows.push_back(part_.row_of(from));
    if (from != to) part_.copy(from, to, span());
    carried.push_back(static_cast<uint32_t>(to));
  }
  handled_ += count;
  part_.clear();
  for (size_t i = 0; i < count; ++i) part_.name(carried[i], rows[i]);
  list_.clear();
  carried_ = std::move(carried);
}

std::span<const uint32_t> Blocks::batch(int epoch, int step) {
  SG_CHECK(has(epoch, step), "the windows of a step are not here");
  const auto first = static_cast<size_t>(static_cast<uint64_t>(step) * batch_size() - list_begin_);
  batch_.resize(size_of(step));
  windows_at(first, batch_);
  handled_ += batch_.size();
  return batch_;
}

uint64_t Blocks::bytes() const {
  const size_t numbers = list_.capacity() + carried_.capacity() + order_.capacity() + batch_.capacity();
  return part_.bytes() + parts_.validation.bytes() + parts_.feed.bytes() + numbers * sizeof(uint32_t) +
         before_.capacity() * sizeof(uint64_t);
}

int Blocks::first_steps() const {
  if (!has(0, 0)) return 0;
  return static_cast<int>(block_ + 2 == before_.size() ? static_cast<uint64_t>(steps())
                                                       : before_[block_ + 1] / batch_size());
}

}  // namespace sg::train
