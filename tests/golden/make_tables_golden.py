"""Writes tables.json beside this file: a small table of mixed columns with what scikit-learn makes of it. Run with
scikit-learn 1.x; the numbers are drawn from a seed, so that it writes the same file again."""
import json
import pathlib

import numpy as np
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge

draw = np.random.default_rng(5)
ROWS, CLASSES = 240, 3
x = draw.normal(size=(ROWS, 3)).round(4)
kind = draw.integers(0, 3, ROWS)
number = (1.5 * x[:, 0] - 0.7 * x[:, 1] + 0.8 * (kind == 1) + 0.3 * draw.normal(size=ROWS)).round(4)
label = np.argmax(np.stack([x[:, 0], x[:, 1] + 0.5 * (kind == 2), 0.5 * x[:, 2]], 1) + 0.6 * draw.gumbel(size=(ROWS, 3)), 1)

# The last fifth is held out, as the split by order does; a switch for "other" and "missing" is never on.
train, held = slice(0, 192), slice(192, ROWS)
mean, std = x[train].mean(0), x[train].std(0)
inputs = np.concatenate([(x - mean) / std, np.eye(3)[kind]], 1)

ridge = Ridge(alpha=1.0).fit(inputs[train], (number[train] - number[train].mean()) / number[train].std())
guess = ridge.predict(inputs[held]) * number[train].std() + number[train].mean()
logistic = LogisticRegression(C=1.0, tol=1e-10, max_iter=10000).fit(inputs[train], label[train])
p = logistic.predict_proba(inputs[held])
truth = label[held]
given = np.round(p, 5)
given = given / given.sum(1, keepdims=True)


def scores(truth, p):
    return {
        "accuracy": metrics.accuracy_score(truth, p.argmax(1)),
        "macroF1": metrics.f1_score(truth, p.argmax(1), average="macro"),
        "logLoss": metrics.log_loss(truth, p, labels=range(CLASSES)),
    }


precision, recall, f1, support = metrics.precision_recall_fscore_support(truth, given.argmax(1), labels=range(CLASSES))
# What a float holds is what the core sees.
single = given.astype(np.float32).astype(float)
out = {
    "x": x.tolist(),
    "kind": [["red", "green", "blue"][k] for k in kind],
    "number": number.tolist(),
    "label": [["a", "b", "c"][k] for k in label],
    "ridge": {
        "mae": metrics.mean_absolute_error(number[held], guess),
        "rmse": metrics.mean_squared_error(number[held], guess) ** 0.5,
        "r2": metrics.r2_score(number[held], guess),
    },
    "logistic": scores(truth, p),
    "given": {"probabilities": given.ravel().tolist(), "truth": truth.tolist(), **scores(truth, given)},
    "byClass": {"precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(), "support": support.tolist()},
    "area": [metrics.roc_auc_score(truth == c, single[:, c]) for c in range(CLASSES)],
    "averagePrecision": [metrics.average_precision_score(truth == c, single[:, c]) for c in range(CLASSES)],
    "confusion": metrics.confusion_matrix(truth, given.argmax(1)).tolist(),
}
pathlib.Path(__file__).with_name("tables.json").write_text(json.dumps(out) + "\n")
