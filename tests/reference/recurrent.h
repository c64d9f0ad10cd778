// Recurrent layers and what goes with sequences of different lengths, as PyTorch's documentation states them.
#pragma once
#include "tests/reference/array.h"

namespace sg::reference {

/// z[N, T, 4H], weight_hh[4H, H], h0 and c0[N, H] (null: zeros) -> [N, T, 2, H], hidden and cell states.
Array lstm_states(const Array& z, const Array& weight_hh, const Array* h0, const Array* c0);
/// The hidden states alone, [N, T, H].
Array lstm(const Array& z, const Array& weight_hh, const Array* h0, const Array* c0);
/// z[N, T, 3H], weight_hh[3H, H], bias_hh[3H], h0[N, H] (null: zeros) -> [N, T, H]
Array gru(const Array& z, const Array& weight_hh, const Array& bias_hh, const Array* h0);

Array reverse_sequence(const Array& x, const Array& lengths);
Array mask_sequence(const Array& x, const Array& lengths);
Array last_of_sequence(const Array& x, const Array& lengths);

}  // namespace sg::reference
