"""Golden weights after a hundred steps of every optimiser, and the curves of every schedule."""
import math

import torch
from torch import nn

from golden_file import Golden, numbers, seed

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
        rise = s.LinearLR(optimizer, 1 / warmup, 1.0, warmup - 1)
        return s.SequentialLR(optimizer, [rise, then(optimizer)], [warmup])

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
