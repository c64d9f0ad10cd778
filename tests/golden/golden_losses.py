"""Golden values of every loss, plain and with sample weights, and their gradients."""
import torch
import torch.nn.functional as F

from golden_file import Golden, numbers, seed, store_case


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
