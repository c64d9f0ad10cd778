"""Golden values of every layer that has parameters or windows: outputs, gradients and running statistics."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from golden_file import Golden, numbers, seed, store_case


def layer(golden, name, make, inputs, call=None, constant=(), training=True):
    """`make` makes the module, `inputs` the inputs by name; those in `constant` get no gradient."""
    seed(name)
    module = make()
    module.train(training)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(numbers(*p.shape, low=-0.6, high=0.6))
        for key, b in module.named_buffers():
            if b.dtype.is_floating_point:
                b.copy_(numbers(*b.shape, low=0.5, high=1.5))
                golden.add(f"{name}/buffers.{key}", b)
    given = inputs()
    learnt = [key for key in given if key not in constant]
    for key in learnt:
        given[key].requires_grad_()
    output = call(module, **given) if call else module(*given.values())
    for key, b in module.named_buffers():
        if b.dtype.is_floating_point:
            golden.add(f"{name}/after.{key}", b)
    store_case(golden, name, given, learnt, module.named_parameters(), output)


def recurrent_call(module, x, lengths=None):
    if lengths is None:
        return module(x)[0]
    packed = pack_padded_sequence(x, lengths.long(), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(module(packed)[0], batch_first=True, total_length=x.shape[1])[0]


def states_call(module, x, h0, c0=None, lengths=None):
    """From given states; the outputs and the states after, one behind the other."""
    before = h0 if c0 is None else (h0, c0)
    if lengths is None:
        y, after = module(x, before)
    else:
        packed = pack_padded_sequence(x, lengths.long(), batch_first=True, enforce_sorted=False)
        y, after = module(packed, before)
        y = pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])[0]
    after = [after] if c0 is None else list(after)
    return torch.cat([t.flatten() for t in [y, *after]])


def causal_mask(steps):
    return torch.triu(torch.ones(steps, steps, dtype=torch.bool), diagonal=1)


def make_linear():
    g = Golden()
    layer(g, "linear", lambda: nn.Linear(5, 3), lambda: {"x": numbers(2, 4, 5)})
    layer(g, "linear without bias", lambda: nn.Linear(4, 7, bias=False), lambda: {"x": numbers(3, 4)})
    layer(
        g,
        "embedding",
        lambda: nn.Embedding(6, 5),
        lambda: {"indices": torch.tensor([[0.0, 3, 5], [3, 3, 1]])},
        call=lambda m, indices: m(indices.long()),
        constant=["indices"],
    )
    g.write("linear.safetensors")


class TemporalBlock(nn.Module):
    """Bai et al. 2018, without weight normalisation and dropout: kernels of 3, dilated by 2."""

    def __init__(self, channels, out):
        super().__init__()
        self.conv1 = nn.Conv1d(channels, out, 3, dilation=2)
        self.conv2 = nn.Conv1d(out, out, 3, dilation=2)
        self.downsample = nn.Conv1d(channels, out, 1) if channels != out else None

    def forward(self, x):
        y = F.relu(self.conv1(F.pad(x, (4, 0))))
        y = F.relu(self.conv2(F.pad(y, (4, 0))))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


def make_convolutions():
    g = Golden()
    layer(g, "conv1d", lambda: nn.Conv1d(3, 4, 3), lambda: {"x": numbers(2, 3, 9)})
    layer(
        g,
        "conv1d strided, dilated, padded, grouped",
        lambda: nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2),
        lambda: {"x": numbers(2, 4, 11)},
    )
    layer(
        g,
        "conv1d causal",
        lambda: nn.Conv1d(3, 5, 3, dilation=2),
        lambda: {"x": numbers(2, 3, 8)},
        call=lambda m, x: m(F.pad(x, (4, 0))),
    )
    layer(g, "conv2d", lambda: nn.Conv2d(2, 3, (3, 2)), lambda: {"x": numbers(2, 2, 6, 5)})
    layer(
        g,
        "conv2d strided, dilated, padded",
        lambda: nn.Conv2d(3, 4, 3, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
        lambda: {"x": numbers(2, 3, 7, 6)},
    )
    layer(g, "conv2d depthwise", lambda: nn.Conv2d(4, 4, 3, padding=1, groups=4), lambda: {"x": numbers(2, 4, 5, 6)})
    for name, channels in (("temporal block", (3, 3)), ("temporal block of other channels", (2, 4))):
        layer(g, name, lambda: TemporalBlock(*channels), lambda: {"x": numbers(2, channels[0], 9)})
    layer(g, "max_pool1d", lambda: nn.MaxPool1d(3, 2, 1), lambda: {"x": numbers(2, 3, 9)})
    layer(g, "max_pool2d", lambda: nn.MaxPool2d((3, 2), (2, 1), (1, 1)), lambda: {"x": numbers(2, 3, 7, 5)})
    layer(g, "avg_pool1d", lambda: nn.AvgPool1d(3, 2, 1), lambda: {"x": numbers(2, 3, 9)})
    layer(g, "avg_pool2d", lambda: nn.AvgPool2d((3, 2), (2, 1), (1, 1)), lambda: {"x": numbers(2, 3, 7, 5)})
    layer(g, "adaptive_avg_pool1d", lambda: nn.AdaptiveAvgPool1d(4), lambda: {"x": numbers(2, 3, 9)})
    layer(g, "adaptive_avg_pool2d", lambda: nn.AdaptiveAvgPool2d((3, 2)), lambda: {"x": numbers(2, 3, 7, 5)})
    layer(g, "adaptive_max_pool1d", lambda: nn.AdaptiveMaxPool1d(4), lambda: {"x": numbers(2, 3, 9)})
    layer(g, "adaptive_max_pool2d", lambda: nn.AdaptiveMaxPool2d((3, 2)), lambda: {"x": numbers(2, 3, 7, 5)})
    g.write("convolutions.safetensors")


def make_norms():
    g = Golden()
    layer(g, "layer_norm", lambda: nn.LayerNorm(7), lambda: {"x": numbers(2, 3, 7)})
    layer(g, "rms_norm", lambda: nn.RMSNorm(7, eps=1e-6), lambda: {"x": numbers(2, 3, 7)})
    layer(g, "group_norm", lambda: nn.GroupNorm(3, 6), lambda: {"x": numbers(2, 6, 5)})
    for what, training in (("training", True), ("evaluation", False)):
        for form, make, sizes in (
            ("features", lambda: nn.BatchNorm1d(4), (6, 4)),
            ("series", lambda: nn.BatchNorm1d(3), (2, 3, 5)),
            ("images", lambda: nn.BatchNorm2d(3), (2, 3, 4, 3)),
        ):
            layer(g, f"batch_norm of {form}, {what}", make, lambda: {"x": numbers(*sizes)}, training=training)
    g.write("norms.safetensors")


def make_recurrent():
    g = Golden()
    for kind, make in (("lstm", nn.LSTM), ("gru", nn.GRU)):
        layer(g, kind, lambda: make(3, 4, batch_first=True), lambda: {"x": numbers(2, 5, 3)}, call=recurrent_call)
        layer(
            g,
            f"{kind} of three layers",
            lambda: make(3, 4, num_layers=3, batch_first=True),
            lambda: {"x": numbers(2, 6, 3)},
            call=recurrent_call,
        )
        layer(
            g,
            f"{kind} in both directions over lengths",
            lambda: make(2, 3, num_layers=2, bidirectional=True, batch_first=True),
            lambda: {"x": numbers(4, 5, 2), "lengths": torch.tensor([3.0, 5, 1, 4])},
            call=recurrent_call,
            constant=["lengths"],
        )
        layer(
            g,
            f"{kind} in both directions",
            lambda: make(3, 4, bidirectional=True, batch_first=True),
            lambda: {"x": numbers(2, 5, 3)},
            call=recurrent_call,
        )
        states = ["h0", "c0"] if kind == "lstm" else ["h0"]
        for lengths in (None, torch.tensor([2.0, 5, 4])):
            layer(
                g,
                f"{kind} from states" + ("" if lengths is None else " over lengths"),
                lambda: make(2, 3, num_layers=2, bidirectional=True, batch_first=True),
                lambda: {
                    "x": numbers(3, 5, 2),
                    **{name: numbers(4, 3, 3) for name in states},
                    **({} if lengths is None else {"lengths": lengths}),
                },
                call=states_call,
                constant=["lengths"],
            )
    g.write("recurrent.safetensors")


def make_attention():
    g = Golden()
    attention = lambda: nn.MultiheadAttention(8, 2, batch_first=True)
    layer(
        g,
        "attention of a sequence to itself",
        attention,
        lambda: {"x": numbers(2, 5, 8)},
        call=lambda m, x: m(x, x, x, need_weights=False)[0],
    )
    layer(
        g,
        "attention, causal",
        attention,
        lambda: {"x": numbers(2, 5, 8)},
        call=lambda m, x: m(x, x, x, attn_mask=causal_mask(5), need_weights=False)[0],
    )
    layer(
        g,
        "attention to another sequence with padding",
        attention,
        lambda: {
            "q": numbers(2, 3, 8),
            "k": numbers(2, 5, 8),
            "padding": torch.tensor([[0.0, 0, 0, 0, 1], [0, 0, 1, 1, 1]]),
        },
        call=lambda m, q, k, padding: m(q, k, k, key_padding_mask=padding.bool(), need_weights=False)[0],
        constant=["padding"],
    )
    for order, first in (("post", False), ("pre", True)):
        for activation in ("relu", "gelu"):
            encoder = lambda: nn.TransformerEncoderLayer(8, 2, 12, 0.0, activation, batch_first=True, norm_first=first)
            layer(g, f"encoder layer, {order}-norm, {activation}", encoder, lambda: {"x": numbers(2, 4, 8)})
        encoder = lambda: nn.TransformerEncoderLayer(8, 2, 12, 0.0, "relu", batch_first=True, norm_first=first)
        layer(
            g,
            f"encoder layer, {order}-norm, causal with padding",
            encoder,
            lambda: {"x": numbers(2, 4, 8), "padding": torch.tensor([[0.0, 0, 0, 1], [0, 0, 0, 0]])},
            call=lambda m, x, padding: m(x, src_mask=causal_mask(4), src_key_padding_mask=padding.bool()),
            constant=["padding"],
        )
        decoder = lambda: nn.TransformerDecoderLayer(8, 2, 12, 0.0, "gelu", batch_first=True, norm_first=first)
        layer(
            g,
            f"decoder layer, {order}-norm",
            decoder,
            lambda: {"x": numbers(2, 4, 8), "memory": numbers(2, 6, 8)},
            call=lambda m, x, memory: m(x, memory, tgt_mask=causal_mask(4)),
        )
    g.write("attention.safetensors")


def make_functions():
    g = Golden()
    functions = {
        "relu": F.relu,
        "leaky_relu": F.leaky_relu,
        "elu": F.elu,
        "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "mish": F.mish,
        "softplus": F.softplus,
        "hardtanh": F.hardtanh,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "erf": torch.erf,
        "softmax": lambda x: F.softmax(x, -1),
        "log_softmax": lambda x: F.log_softmax(x, 0),
        "logsumexp": lambda x: torch.logsumexp(x, -1),
        "cumsum": lambda x: torch.cumsum(x, -1),
        "var": lambda x: torch.var(x, (0, 1)),
    }
    for name, f in functions.items():
        layer(g, name, nn.Identity, lambda: {"x": numbers(4, 9, low=-5, high=5)}, call=lambda m, x: f(x))

    def positions(x):
        t = torch.arange(x.shape[1]).unsqueeze(1)
        wave = t / 10000 ** (torch.arange(0, x.shape[2], 2) / x.shape[2])
        return x + torch.stack([torch.sin(wave), torch.cos(wave)], -1).flatten(1)

    layer(g, "sinusoidal positions", nn.Identity, lambda: {"x": numbers(2, 7, 6)}, call=lambda m, x: positions(x))
    g.write("functions.safetensors")
