#!/usr/bin/env python3
"""improved_weights.py EXCHANGES FEATURES: fits the weights of `improved_weights.yaml` and prints them. Needs Python 3 alone.

EXCHANGES are labelled exchanges, a JSON object a line: `id`, and either `first` and `second` with `pivot` (1 fine, 0 violated) or the grade
`pivot` (0 to 2); `part` on natural ones. FEATURES are what `PROBARE_EXCHANGES=EXCHANGES cargo nextest run -p probare-metrics --all-features --run-ignored
ignored-only --no-capture features_are_printed` prints of them. The fit is logistic regression with a penalty on the squares of the weights."""
import json, math, sys

PENALTY, ROUNDS = 1.0, 400
# Natural exchanges (those with `part`) count so many times, because there are more written ones and these are what they are not.
NATURAL = 3
# A sum of the fit becomes a weight by a line through two points: the shares of departures from which medium and low strictness fail.
MEDIUM, LOW = 0.3, 0.45


def logit(share):
    return math.log(share / (1 - share))


def label(row):
    """1 for a departure, 0 for none, a half where readers differ."""
    if "first" in row:
        return 1 - (row["first"]["pivot"] + row.get("second", row["first"])["pivot"]) / 2
    return row["pivot"] / 2


def fitted(rows):
    weights = [0.0] * (len(rows[0][0]) + 1)
    squares = [1e-8] * len(weights)
    for _ in range(ROUNDS):
        slope = [PENALTY * weight for weight in weights[:-1]] + [0.0]
        for features, wanted, count in rows:
            point = features + [1.0]
            error = count * (1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, point)))) - wanted)
            for at, value in enumerate(point):
                slope[at] += error * value
        for at, value in enumerate(slope):
            squares[at] += value * value
            weights[at] -= 0.3 * value / math.sqrt(squares[at])
    return weights


def main():
    labels = {}
    for row in map(json.loads, open(sys.argv[1], encoding="utf8")):
        labels[row["id"]] = label(row), NATURAL if "part" in row else 1
    printed = [json.loads(line) for line in open(sys.argv[2], encoding="utf8") if line.startswith("{")]
    rows = [(list(row["features"].values()), *labels[row["id"]]) for row in printed if row["features"] and row["id"] in labels]
    names = next(list(row["features"]) for row in printed if row["features"])
    weights = fitted(rows)
    scale = (logit(0.75) - logit(0.45)) / (logit(LOW) - logit(MEDIUM))
    bias = scale * (weights[-1] - logit(MEDIUM)) + logit(0.45)
    print(f"# {len(rows)} exchanges\nbias: {bias:.2f}")
    for name, weight in zip(names, weights):
        print(f"  {name}: {scale * weight:.2f}")


main()
