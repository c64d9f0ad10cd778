// Cases of the recurrent layers and of sequences of different lengths.
#include "tests/op_cases.h"
#include "tests/reference/recurrent.h"

namespace sg::tests {
namespace {

/// Which states before the first step are given.
enum Given { none, h0, c0, both };

struct Size {
  int batch, steps, hidden;
};

const std::vector<Size> kSizes{{1, 1, 1}, {1, 2, 1},  {2, 1, 3},  {2, 3, 2},  {3, 2, 4},  {1, 5, 5},  {4, 3, 7},
                               {5, 4, 8}, {2, 7, 3},  {32, 5, 8}, {3, 3, 9},  {7, 2, 13}, {1, 3, 16}, {2, 2, 17},
                               {6, 3, 5}, {2, 12, 4}, {33, 2, 3}, {1, 1, 31}, {3, 5, 6},  {2, 2, 33}, {1, 9, 2}};

std::string title(const Size& s, Given given) {
  const char* names[]{"", " from h0", " from c0", " from h0 and c0"};
  return text({s.batch, s.steps, s.hidden}) + names[given];
}

/// z and weight_hh, then what is given.
std::vector<Input> lstm_inputs(const Size& s, Given given) {
  std::vector<Input> inputs{{{s.batch, s.steps, 4 * s.hidden}}, {{4 * s.hidden, s.hidden}, -0.6, 0.6}};
  for (const Given state : {h0, c0})
    if (given & state) inputs.push_back({{s.batch, s.hidden}});
  return inputs;
}

void add_lstm(std::vector<OpCase>& table, const Size& s, Given given) {
  const std::vector<Input> inputs = lstm_inputs(s, given);
  const auto h = [given](const auto& t) { return given & h0 ? &t[2] : nullptr; };
  const auto c = [given](const auto& t) { return given & c0 ? &t[given == both ? 3 : 2] : nullptr; };
  const auto state = [](const Tensor* t) { return t ? *t : Tensor(); };
  const int terms = s.steps * s.hidden;
  table.push_back({"lstm", title(s, given), inputs,
                   [=](Device&, const Tensors& t) { return ops::lstm(t[0], t[1], state(h(t)), state(c(t))); },
                   [=](const Arrays& t) { return reference::lstm(t[0], t[1], h(t), c(t)); }, terms});
  table.push_back({"lstm_states", title(s, given), inputs,
                   [=](Device&, const Tensors& t) { return ops::lstm_states(t[0], t[1], state(h(t)), state(c(t))); },
                   [=](const Arrays& t) { return reference::lstm_states(t[0], t[1], h(t), c(t)); }, terms});
}

void add_gru(std::vector<OpCase>& table, const Size& s, Given given) {
  std::vector<Input> inputs{
      {{s.batch, s.steps, 3 * s.hidden}}, {{3 * s.hidden, s.hidden}, -0.6, 0.6}, {{3 * s.hidden}, -1, 1}};
  if (given == h0) inputs.push_back({{s.batch, s.hidden}});
  table.push_back({"gru", title(s, given), inputs,
                   [given](Device&, const Tensors& t) { return ops::gru(t[0], t[1], t[2], given ? t[3] : Tensor()); },
                   [given](const Arrays& t) { return reference::gru(t[0], t[1], t[2], given ? &t[3] : nullptr); },
                   s.steps * s.hidden});
}

void add_by_length(std::vector<OpCase>& table, const Sizes& sizes) {
  const std::vector<Input> inputs{{sizes}, {{sizes[0]}, 1, static_cast<double>(sizes[1] + 1), Draw::whole, false}};
  table.push_back({"reverse_sequence", text(sizes), inputs,
                   [](Device&, const Tensors& t) { return ops::reverse_sequence(t[0], t[1]); },
                   [](const Arrays& t) { return reference::reverse_sequence(t[0], t[1]); }});
  table.push_back({"mask_sequence", text(sizes), inputs,
                   [](Device&, const Tensors& t) { return ops::mask_sequence(t[0], t[1]); },
                   [](const Arrays& t) { return reference::mask_sequence(t[0], t[1]); }});
  table.push_back({"last_of_sequence", text(sizes), inputs,
                   [](Device&, const Tensors& t) { return ops::last_of_sequence(t[0], t[1]); },
                   [](const Arrays& t) { return reference::last_of_sequence(t[0], t[1]); }});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Size& s : kSizes) {
    add_lstm(table, s, none);
    add_gru(table, s, none);
  }
  for (const Size& s : std::vector<Size>{{1, 1, 1}, {2, 3, 3}, {3, 2, 4}, {4, 1, 8}, {33, 2, 5}}) {
    for (const Given given : {h0, c0, both}) add_lstm(table, s, given);
    add_gru(table, s, h0);
  }
  const std::vector<Sizes> sequences{{1, 1, 1},  {1, 1, 4},  {1, 2, 1},   {2, 1, 3},  {3, 4, 1},  {2, 3, 2},
                                     {4, 4, 4},  {5, 7, 3},  {3, 8, 5},   {7, 2, 8},  {2, 16, 7}, {13, 5, 1},
                                     {17, 3, 2}, {4, 9, 16}, {3, 31, 4},  {65, 2, 3}, {2, 5, 65}, {6, 6, 6},
                                     {9, 1, 9},  {1, 64, 2}, {1, 17, 17}, {8, 11, 95}};
  for (const Sizes& sizes : sequences) add_by_length(table, sizes);
});

}  // namespace sg::tests
