"""Writes forecast.json beside this file: what scikit-learn, statsmodels and SciPy make of forecasts, series and windows
of a few numbers. Their versions stand in the file; the numbers are drawn from seeds, so that it is written again alike
(what is fitted, to the last digits)."""
import json
import pathlib
import warnings

import numpy as np
import scipy
import sklearn
import statsmodels
from scipy import stats
from sklearn import metrics
from sklearn.linear_model import Ridge
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.stattools import acf

out = {"versions": {m.__name__: m.__version__ for m in (np, scipy, sklearn, statsmodels)}}


def point_metrics():
    draw = np.random.default_rng(1)
    truth = draw.normal(3, 2, 200).astype(np.float32).astype(float)
    guess = (truth + draw.normal(0, 1, 200)).astype(np.float32).astype(float)
    training = np.cumsum(draw.normal(size=120))
    zeros = truth.copy()
    zeros[::20] = 0
    kept = zeros != 0
    return {
        "truth": truth.tolist(),
        "prediction": guess.tolist(),
        "mae": metrics.mean_absolute_error(truth, guess),
        "mse": metrics.mean_squared_error(truth, guess),
        "rmse": metrics.root_mean_squared_error(truth, guess),
        "r2": metrics.r2_score(truth, guess),
        "mape": metrics.mean_absolute_percentage_error(truth, guess),
        "mape_of_kept": metrics.mean_absolute_percentage_error(zeros[kept], guess[kept]),
        "smape": np.mean(2 * np.abs(guess - truth) / (np.abs(guess) + np.abs(truth))),
        "training": training.tolist(),
        "scale1": np.abs(np.diff(training)).mean(),
        "scale7": np.abs(training[7:] - training[:-7]).mean(),
    }


def quantile_metrics():
    draw = np.random.default_rng(2)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    truth = draw.normal(size=150).astype(np.float32).astype(float)
    at = (draw.normal(0, 0.5, (150, 1)) + stats.norm.ppf(levels)).astype(np.float32).astype(float)
    # CRPS from its definition, for a truth from N(0, 1) and the forecast N(m, s): closed form (Gneiting & Raftery 2007).
    m, s = 0.4, 1.5
    z = (truth - m) / s
    closed = s * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))
    return {
        "levels": levels,
        "truth": truth.tolist(),
        "quantiles": at.tolist(),
        "pinball": [metrics.mean_pinball_loss(truth, at[:, i], alpha=level) for i, level in enumerate(levels)],
        "coverage": np.mean((truth >= at[:, 0]) & (truth <= at[:, 4])),
        "width": np.mean(at[:, 4] - at[:, 0]),
        "normal": {"mean": m, "std": s, "crps": closed.mean()},
    }


def smoothing():
    draw = np.random.default_rng(3)
    n = 120
    t = np.arange(n)
    series = {
        "level": 20 + np.cumsum(draw.normal(0, 0.5, n)) * 0.3 + draw.normal(0, 1, n),
        "trend": 5 + 0.8 * t + draw.normal(0, 1, n),
        "season": 50 + 6 * np.sin(2 * np.pi * t / 12) + np.cumsum(draw.normal(0, 0.2, n)) + draw.normal(0, 1, n),
        "trend_season": 10 + 0.5 * t + 5 * np.cos(2 * np.pi * t / 12) + draw.normal(0, 0.7, n),
    }
    given, chosen = [], {}
    for trend, damped, season in [(None, False, None), ("add", False, None), ("add", True, None), (None, False, "add"),
                                  ("add", False, "add"), ("add", True, "add")]:
        y = series["trend_season"]
        first = {"initial_level": 11.0}
        at = [0.3]
        if trend:
            first["initial_trend"] = 0.4
            at.append(0.1)
        if season:
            first["initial_seasonal"] = (4 * np.cos(2 * np.pi * t[:12] / 12)).tolist()
            at.append(0.2)
        if damped:
            at.append(0.9)
        model = ETSModel(y, trend=trend, damped_trend=damped, seasonal=season, seasonal_periods=12 if season else None,
                         initialization_method="known", **first)
        fit = model.smooth(at)
        given.append({"slope": 2 if damped else 1 if trend else 0, "period": 12 if season else 0, "weights": at,
                      "first": first, "sse": fit.sse, "loglikelihood": fit.llf, "forecast": fit.forecast(30).tolist()})
    for name, y in series.items():
        fits = {}
        for trend, damped, season in [(None, False, None), ("add", False, None), ("add", True, None),
                                      (None, False, "add"), ("add", False, "add"), ("add", True, "add")]:
            model = ETSModel(y, trend=trend, damped_trend=damped, seasonal=season,
                             seasonal_periods=12 if season else None)  # first states estimated, too
            short = f"ETS(A,{'Ad' if damped else 'A' if trend else 'N'},{'A' if season else 'N'})"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fits[short] = float(model.fit(disp=False, maxiter=2000).sse)
        heuristic = ETSModel(y, initialization_method="heuristic").fit(disp=False)
        chosen[name] = {"values": y.tolist(), "sse": fits,
                        "heuristic": {"alpha": heuristic.smoothing_level, "sse": heuristic.sse}}
    return {"given": given, "fitted": chosen}


def ridge():
    draw = np.random.default_rng(4)
    rows, look_back, horizon = 90, 6, 3
    x = np.cumsum(draw.normal(size=(rows, 2)), axis=0).astype(np.float32).astype(float)
    y = (x[:, :1] * 0.7 - x[:, 1:] * 0.2 + draw.normal(0, 0.1, (rows, 1))).astype(np.float32).astype(float)
    y = np.concatenate([y, x[:, 1:]], 1)
    starts = [*range(0, 30), *range(37, 60)]  # a gap between
    inputs = np.stack([x[s : s + look_back].ravel() for s in starts])
    outputs = np.stack([y[s + look_back : s + look_back + horizon].ravel() for s in starts])
    model = Ridge(alpha=2.5, solver="cholesky").fit(inputs, outputs)
    at = 75
    return {"rows": rows, "lookBack": look_back, "horizon": horizon, "x": x.ravel().tolist(), "y": y.ravel().tolist(),
            "runs": [[0, 30], [37, 60]], "alpha": 2.5, "weights": model.coef_.T.ravel().tolist(),
            "constant": model.intercept_.tolist(), "at": at,
            "forecast": model.predict(x[at : at + look_back].ravel()[None])[0].tolist()}


def autocorrelations():
    draw = np.random.default_rng(6)
    y = np.sin(2 * np.pi * np.arange(200) / 12) + draw.normal(0, 0.5, 200)
    gaps = y.copy()
    gaps[draw.integers(0, 200, 30)] = np.nan
    # Pairs with a value on both sides, around the mean of all values, by the mean of their products.
    mean, var = np.nanmean(gaps), np.nanvar(gaps)
    pairs = [np.nanmean((gaps[k:] - mean) * (gaps[: 200 - k] - mean)) / var for k in range(30)]
    return {"values": y.tolist(), "acf": acf(y, adjusted=True, nlags=29, fft=False).tolist(),
            "gaps": [None if np.isnan(v) else v for v in gaps], "acf_of_gaps": pairs}


def diebold_mariano():
    draw = np.random.default_rng(7)
    cases = []
    for n, h, shift in [(30, 1, 0.0), (30, 1, 0.6), (60, 4, 0.3), (200, 12, 0.2), (25, 3, -0.5)]:
        noise = np.convolve(draw.normal(size=n + h - 1), np.ones(h) / np.sqrt(h), "valid")
        a = np.abs(draw.normal(1, 0.2, n))
        b = a + shift + 0.5 * noise
        d = a - b
        c = d - d.mean()
        gamma = [np.sum(c[k:] * c[: n - k]) / n for k in range(h)]
        dm = d.mean() / np.sqrt((gamma[0] + 2 * sum(gamma[1:])) / n)
        dm *= np.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n)
        cases.append({"horizon": h, "a": a.tolist(), "b": b.tolist(), "statistic": dm, "p": 2 * stats.t.sf(abs(dm), n - 1)})
    # With one row ahead the test is that of a mean.
    plain = stats.ttest_1samp(np.array(cases[1]["a"]) - np.array(cases[1]["b"]), 0)
    assert np.isclose(plain.statistic, cases[1]["statistic"]) and np.isclose(plain.pvalue, cases[1]["p"])
    student = [[t, df, float(stats.t.cdf(t, df))] for df in (1, 2, 5, 29, 1000) for t in (-40, -3.2, -1, 0, 0.3, 2, 8)]
    return {"cases": cases, "student": student}


out["points"] = point_metrics()
out["quantiles"] = quantile_metrics()
out["smoothing"] = smoothing()
out["ridge"] = ridge()
out["autocorrelation"] = autocorrelations()
out["dieboldMariano"] = diebold_mariano()
pathlib.Path(__file__).with_name("forecast.json").write_text(json.dumps(out) + "\n")
