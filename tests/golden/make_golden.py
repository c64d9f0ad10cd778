"""Makes the golden values: what PyTorch 2 computes for every layer, loss, optimiser and schedule that this engine has.

    python3 tests/golden/make_golden.py            (needs torch and numpy; writes the *.safetensors beside itself)

golden_test.cpp builds the same cases by name and compares. All numbers are float32. A case of a layer or a loss holds
    NAME/inputs.X           what goes in (indices, lengths and masks as whole floats)
    NAME/parameters.P       the module's parameters under PyTorch's names, NAME/buffers.B its buffers before the call
    NAME/output             what comes out
    NAME/projection         fixed numbers; the scalar that is differentiated is the sum of output * projection
    NAME/d.inputs.X, NAME/d.parameters.P, NAME/after.B      gradients, and buffers after the call
"""
import json
import math
import pathlib
import struct
import zlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

HERE = pathlib.Path(__file__).parent
torch.set_num_threads(1)


class Golden:
    """One file: safetensors written by hand, so that nothing but torch and numpy is needed."""

    def __init__(self):
        self.tensors = {}

    def add(self, name, value):
        assert name not in self.tensors, name
        value = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
        self.tensors[name] = value.to(torch.float32).contiguous().numpy().copy()

    def write(self, name):
        header = {"__metadata__": {"torch": torch.__version__.split("+")[0], "made by": "tests/golden/make_golden.py"}}
        data = b""
        for key in sorted(self.tensors):
            raw = self.tensors[key].astype("<f4").tobytes()
            header[key] = {
                "dtype": "F32",
                "shape": list(self.tensors[key].shape),
                "data_offsets": [len(data), len(data) + len(raw)],
            }
            data += raw
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        (HERE / name).write_bytes(struct.pack("<Q", len(text)) + text + data)
        print(f"{name}: {len(self.tensors)} tensors, {8 + len(text) + len(data)} bytes")


def numbers(*sizes, low=-1.0, high=1.0):
    return torch.rand(sizes) * (high - low) + low


def seed(name):
    torch.manual_seed(zlib.crc32(name.encode()))


def store_case(golden, name, inputs, learnt, parameters, output):
    """Adds what went in, what came out, and the gradients of the sum of output * projection."""
    projection = numbers(*output.shape)
    (output * projection).sum().backward()
    golden.add(f"{name}/output", output)
    golden.add(f"{name}/projection", projection)
    for key, value in inputs.items():
        golden.add(f"{name}/inputs.{key}", value)
        if key in learnt:
            golden.add(f"{name}/d.inputs.{key}", value.grad)
    for key, value in parameters:
        golden.add(f"{name}/parameters.{key}", value)
        golden.add(f"{name}/d.parameters.{key}", value.grad)


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


# Layers ---------------------------------------------------------------------------------------------------------------


def recurrent_call(module, x, lengths=None):
    if lengths is None:
        return module(x)[0]
    packed = pack_padded_sequence(x, lengths.long(), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(module(packed)[0], batch_first=True, total_length=x.shape[1])[0]


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


# Losses ---------------------------------------------------------------------------------------------------------------


def loss(golden, name, call, inputs, constant=("target",)):
    seed(name)
    given = inputs()
    learnt = [key for key in given if key not in constant]
    for key in learnt:
        given[key].requires_grad_()
    store_case(golden, name, given, learnt, [], call(**given))


def weighted(each, sample_weight):
    """The weighted mean over the first axis of the samples' means."""
    each = each.reshape(each.shape[0], -1).mean(1)
    return (each * sample_weight).sum() / sample_weight.sum()


def quantile_errors(input, target, quantiles):
    e = target.unsqueeze(-1) - input
    q = torch.tensor(quantiles)
    return torch.maximum(q * e, (q - 1) * e)


def make_losses():
    g = Golden()
    pair = lambda: {"input": numbers(4, 3, low=-2, high=2), "target": numbers(4, 3, low=-2, high=2)}
    triple = lambda: {**pair(), "sample_weight": numbers(4, low=0, high=2)}
    fixed = ("target", "sample_weight")

    errors = {
        "mse": lambda i, t, r: F.mse_loss(i, t, reduction=r),
        "l1": lambda i, t, r: F.l1_loss(i, t, reduction=r),
        "huber": lambda i, t, r: F.huber_loss(i, t, reduction=r),
        "huber, delta 0.5": lambda i, t, r: F.huber_loss(i, t, reduction=r, delta=0.5),
    }
    for name, f in errors.items():
        loss(g, name, lambda input, target: f(input, target, "mean"), pair)
        loss(
            g,
            f"{name}, weighted",
            lambda input, target, sample_weight: weighted(f(input, target, "none"), sample_weight),
            triple,
            fixed,
        )

    quantiles = [0.1, 0.5, 0.9]
    several = lambda: {"input": numbers(4, 2, 3, low=-2, high=2), "target": numbers(4, 2, low=-2, high=2)}
    loss(g, "quantile", lambda input, target: quantile_errors(input, target, quantiles).mean(), several)
    loss(
        g,
        "quantile, weighted",
        lambda input, target, sample_weight: weighted(quantile_errors(input, target, quantiles), sample_weight),
        lambda: {**several(), "sample_weight": numbers(4, low=0, high=2)},
        fixed,
    )

    spread = lambda: {**pair(), "var": numbers(4, 3, low=0.2, high=2)}
    loss(g, "gaussian_nll", lambda input, target, var: F.gaussian_nll_loss(input, target, var, full=True), spread)
    loss(
        g,
        "gaussian_nll, weighted",
        lambda input, target, var, sample_weight: weighted(
            F.gaussian_nll_loss(input, target, var, full=True, reduction="none"), sample_weight
        ),
        lambda: {**spread(), "sample_weight": numbers(4, low=0, high=2)},
        fixed,
    )

    student = lambda: {
        "loc": numbers(4, 3),
        "scale": numbers(4, 3, low=0.3, high=2),
        "df": numbers(4, 3, low=1, high=8),
        "target": numbers(4, 3, low=-2, high=2),
    }
    density = lambda loc, scale, df, target: -torch.distributions.StudentT(df, loc, scale).log_prob(target)
    loss(g, "student_t_nll", lambda loc, scale, df, target: density(loc, scale, df, target).mean(), student)
    loss(
        g,
        "student_t_nll, weighted",
        lambda loc, scale, df, target, sample_weight: weighted(density(loc, scale, df, target), sample_weight),
        lambda: {**student(), "sample_weight": numbers(4, low=0, high=2)},
        fixed,
    )

    binary = lambda: {"logits": numbers(4, 3, low=-3, high=3), "target": (numbers(4, 3) > 0).float()}
    bce = F.binary_cross_entropy_with_logits
    loss(g, "binary_cross_entropy", lambda logits, target: bce(logits, target), binary)
    loss(
        g,
        "binary_cross_entropy, pos_weight",
        lambda logits, target: bce(logits, target, pos_weight=torch.tensor(2.5)),
        binary,
    )
    loss(
        g,
        "binary_cross_entropy, weighted",
        lambda logits, target, sample_weight: weighted(bce(logits, target, reduction="none"), sample_weight),
        lambda: {**binary(), "sample_weight": numbers(4, low=0, high=2)},
        fixed,
    )

    classes = lambda: {"logits": numbers(6, 4, low=-3, high=3), "target": torch.tensor([0.0, 3, 1, 1, 2, 0])}
    ignored = lambda: {"logits": numbers(6, 4, low=-3, high=3), "target": torch.tensor([0.0, -100, 1, 3, -100, 2])}
    class_weight = lambda: {"class_weight": numbers(4, low=0.2, high=2)}
    ce = lambda logits, target, **how: F.cross_entropy(logits, target.long(), **how)
    loss(g, "cross_entropy", ce, classes)
    loss(g, "cross_entropy, smoothed", lambda logits, target: ce(logits, target, label_smoothing=0.1), classes)
    loss(g, "cross_entropy, ignored", ce, ignored)
    loss(
        g,
        "cross_entropy, class weights",
        lambda logits, target, class_weight: ce(logits, target, weight=class_weight),
        lambda: {**classes(), **class_weight()},
        ("target", "class_weight"),
    )
    loss(
        g,
        "cross_entropy, all at once",
        lambda logits, target, class_weight: ce(logits, target, weight=class_weight, label_smoothing=0.2),
        lambda: {**ignored(), **class_weight()},
        ("target", "class_weight"),
    )
    g.write("losses.safetensors")


# Optimisers -----------------------------------------------------------------------------------------------------------

STEPS = 100
KEPT = (1, 10, 100)
SHAPES = {"tall.weight": (4, 3), "wide.weight": (2, 5), "tall.bias": (5,)}


class Lion(torch.optim.Optimizer):
    """Algorithm 2 of Chen et al. 2023; PyTorch has none."""

    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                update = torch.sign(b1 * m + (1 - b1) * p.grad)
                p.sub_(group["lr"] * (update + group["weight_decay"] * p))
                m.copy_(b2 * m + (1 - b2) * p.grad)


def newton_schulz(g):
    """Jordan's zeropower_via_newtonschulz5, in float32 where he, and torch.optim.Muon, use bfloat16."""
    x = g.T if g.shape[0] > g.shape[1] else g
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if g.shape[0] > g.shape[1] else x


class Muon(torch.optim.Optimizer):
    """Jordan's Muon for matrices; `match` scales its rate as Liu et al. 2025 do."""

    def __init__(self, params, lr, momentum=0.95, nesterov=True, weight_decay=0.0, match=False):
        how = {"lr": lr, "momentum": momentum, "nesterov": nesterov, "weight_decay": weight_decay, "match": match}
        super().__init__(params, how)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta, lr = group["momentum"], group["lr"]
            for p in group["params"]:
                buffer = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
                buffer.lerp_(p.grad, 1 - beta)
                update = p.grad.lerp(buffer, beta) if group["nesterov"] else buffer
                rows, columns = p.shape
                ratio = 0.2 * math.sqrt(max(rows, columns)) if group["match"] else math.sqrt(max(1, rows / columns))
                p.mul_(1 - lr * group["weight_decay"])
                p.add_(newton_schulz(update), alpha=-lr * ratio)


class Both:
    """Muon for the matrices, AdamW for the rest."""

    def __init__(self, muon, adamw):
        self.parts = [muon, adamw]

    def step(self):
        for part in self.parts:
            part.step()


def make_optimizers():
    g = Golden()
    seed("optimizers")
    start = {name: numbers(*shape, low=-2, high=2) for name, shape in SHAPES.items()}
    # Sizes that rise and fall, with a drift, so that averages have something to average.
    size = torch.exp(2 * torch.sin(torch.arange(STEPS) / 7.0))
    gradients = {}
    for name, shape in SHAPES.items():
        drift = numbers(*shape)
        gradients[name] = torch.randn(STEPS, *shape) * size.view(-1, *[1] * len(shape)) + 0.5 * drift
        g.add(f"start.{name}", start[name])
        g.add(f"gradients.{name}", gradients[name])

    def groups(p, decay):
        """Biases do not decay."""
        return [
            {"params": [v for v in p.values() if v.ndim >= 2], "weight_decay": decay},
            {"params": [v for v in p.values() if v.ndim < 2], "weight_decay": 0.0},
        ]

    def muon(p, lr, decay, match, adamw_lr, **how):
        matrices = [v for v in p.values() if v.ndim == 2]
        vectors = [v for v in p.values() if v.ndim != 2]
        adamw = torch.optim.AdamW(vectors, lr=adamw_lr, weight_decay=0)
        return Both(Muon(matrices, lr, weight_decay=decay, match=match, **how), adamw)

    o = torch.optim
    cases = {
        "sgd": lambda p: o.SGD(p.values(), lr=0.01),
        "sgd, momentum": lambda p: o.SGD(p.values(), lr=0.01, momentum=0.9, weight_decay=0.1),
        "sgd, nesterov": lambda p: o.SGD(p.values(), lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1),
        "adam": lambda p: o.Adam(p.values(), lr=0.01),
        "adam, decay": lambda p: o.Adam(p.values(), lr=0.01, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1),
        "adamw": lambda p: o.AdamW(p.values(), lr=0.01, weight_decay=0.1),
        "adamw, groups": lambda p: o.AdamW(groups(p, 0.1), lr=0.01, betas=(0.9, 0.95)),
        "rmsprop": lambda p: o.RMSprop(p.values(), lr=0.01),
        "rmsprop, momentum": lambda p: o.RMSprop(
            p.values(), lr=0.01, alpha=0.9, eps=1e-3, momentum=0.5, weight_decay=0.1
        ),
        "adagrad": lambda p: o.Adagrad(p.values(), lr=0.1),
        "adagrad, decay": lambda p: o.Adagrad(p.values(), lr=0.1, lr_decay=0.05, weight_decay=0.1, eps=1e-3),
        "lion": lambda p: Lion(p.values(), lr=0.01),
        "lion, decay": lambda p: Lion(p.values(), lr=0.01, betas=(0.8, 0.95), weight_decay=0.1),
        "muon": lambda p: muon(p, 0.02, 0.1, True, 0.02),
        "muon, original": lambda p: muon(p, 0.02, 0.0, False, 0.005, momentum=0.5, nesterov=False),
        "adam, clipped by norm": lambda p: o.Adam(p.values(), lr=0.01),
        "sgd, clipped by norm": lambda p: o.SGD(p.values(), lr=0.01, momentum=0.9),
        "sgd, clipped by value": lambda p: o.SGD(p.values(), lr=0.01, momentum=0.9),
    }
    for name, make in cases.items():
        p = {key: value.clone().requires_grad_() for key, value in start.items()}
        optimizer = make(p)
        for t in range(STEPS):
            for key in p:
                p[key].grad = gradients[key][t].clone()
            if "by norm" in name:
                nn.utils.clip_grad_norm_(p.values(), 1.5)
            if "by value" in name:
                nn.utils.clip_grad_value_(p.values(), 0.75)
            optimizer.step()
            if t + 1 in KEPT:
                for key in p:
                    g.add(f"{name}/{t + 1}.{key}", p[key])
    g.write("optimizers.safetensors")


# Schedules ------------------------------------------------------------------------------------------------------------


def make_schedules():
    g = Golden()
    s = torch.optim.lr_scheduler
    base, steps = 0.1, 60

    def curve(name, make, lr=base):
        optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=lr)
        schedule = make(optimizer)
        rates = []
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if len(rates) < steps:
                schedule.step()
        g.add(f"{name}/rates", torch.tensor(rates, dtype=torch.float64))

    def warm(optimizer, then, warmup=10):
        return s.SequentialLR(optimizer, [s.LinearLR(optimizer, 1 / warmup, 1.0, warmup - 1), then(optimizer)], [warmup])

    curve("constant", lambda o: s.ConstantLR(o, 1.0, 1))
    curve("step", lambda o: s.StepLR(o, 7, 0.5))
    curve("exponential", lambda o: s.ExponentialLR(o, 0.9))
    curve("cosine", lambda o: s.CosineAnnealingLR(o, steps, 0.01))
    curve("one_cycle", lambda o: s.OneCycleLR(o, base, steps))
    early = {"pct_start": 0.125, "div_factor": 10, "final_div_factor": 100}
    curve("one_cycle, early peak", lambda o: s.OneCycleLR(o, base, steps, **early))
    curve("constant, warm-up", lambda o: warm(o, lambda o: s.ConstantLR(o, 1.0, 1)))
    curve("step, warm-up", lambda o: warm(o, lambda o: s.StepLR(o, 7, 0.5)))
    curve("exponential, warm-up", lambda o: warm(o, lambda o: s.ExponentialLR(o, 0.9)))
    curve("cosine, warm-up", lambda o: warm(o, lambda o: s.CosineAnnealingLR(o, steps - 10, 0.01)))

    seed("plateau")
    losses = (2 * torch.exp(-torch.arange(steps) / 10.0) + 0.3 * torch.rand(steps)).to(torch.float32)
    g.add("losses", losses)
    for name, how in {
        "reduce_on_plateau": {"factor": 0.5, "patience": 3},
        "reduce_on_plateau, cooldown": {
            "factor": 0.25,
            "patience": 2,
            "threshold": 0.05,
            "cooldown": 3,
            "min_lr": 0.0005,
        },
    }.items():
        optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=base)
        schedule = s.ReduceLROnPlateau(optimizer, **how)
        rates = []
        for value in losses:
            schedule.step(float(value))
            rates.append(optimizer.param_groups[0]["lr"])
        g.add(f"{name}/rates", torch.tensor(rates, dtype=torch.float64))
    g.write("schedules.safetensors")


if __name__ == "__main__":
    make_linear()
    make_convolutions()
    make_norms()
    make_recurrent()
    make_attention()
    make_losses()
    make_optimizers()
    make_schedules()
