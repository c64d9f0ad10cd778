// Recurrent layers over whole sequences, batch first, one fused kernel a time step. What does not depend on the step
// before (the input projection) is given from outside.
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// A whole LSTM layer over time: z[N, T, 4H] are the projected inputs with both biases, weight_hh[4H, H]; gates i, f,
/// g, o. -> the hidden states [N, T, H]. h0 and c0 [N, H] are the state before, zero where undefined.
Tensor lstm(const Tensor& z, const Tensor& weight_hh, const Tensor& h0 = {}, const Tensor& c0 = {});
/// The same with the cell states beside the hidden ones: [N, T, 2, H], for those who go on from a state.
Tensor lstm_states(const Tensor& z, const Tensor& weight_hh, const Tensor& h0 = {}, const Tensor& c0 = {});
/// A whole GRU layer over time: z[N, T, 3H] are the projected inputs with bias_ih, weight_hh[3H, H], bias_hh[3H]; gates
/// r, z, n as in PyTorch: n = tanh(z_n + r (W_hn h + b_hn)), h' = (1 - z) n + z h. -> [N, T, H].
Tensor gru(const Tensor& z, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& h0 = {});

/// Each sequence of x[N, T, F] reversed within its own length, what is beyond left in place; lengths[N] are whole
/// numbers from 1 to T. Its own inverse.
Tensor reverse_sequence(const Tensor& x, const Tensor& lengths);
/// x[N, T, F] with 0 from each sequence's length on (torch.nn.utils.rnn.pad_packed_sequence).
Tensor mask_sequence(const Tensor& x, const Tensor& lengths);
/// The last element of each sequence: x[N, T, F] -> [N, F].
Tensor last_of_sequence(const Tensor& x, const Tensor& lengths);

}  // namespace sg::ops
