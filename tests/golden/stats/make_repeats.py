"""Writes the vectors of runs whose cases have several outputs, or share a source.

pip install statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1
python make_repeats.py
"""

import json
import random

import numpy
import statsmodels
import statsmodels.api
from statsmodels.stats.weightstats import DescrStatsW

DRAW = random.Random(20261117)
STATSMODELS = f"statsmodels {statsmodels.__version__}"


def write(name, rows):
    assert len(rows) >= 15, name
    with open(name, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps({"from": STATSMODELS, "tolerance": 1e-9, **row}) + "\n")


def clustered(values, clusters):
    """Mean, error, interval and p value of a constant with errors that are robust to clusters (CR1, t with G - 1)."""
    model = statsmodels.api.OLS(numpy.array(values), numpy.ones(len(values)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": numpy.array(clusters)}, use_t=True)
    low, high = fit.conf_int()[0]
    return {"mean": float(fit.params[0]), "error": float(fit.bse[0]), "low": float(low), "high": float(high), "p_value": float(fit.pvalues[0])}


def repeats():
    """Values of each case: the interval is that of the means of the cases."""
    rows = []
    shapes = [(20, 10, True)] + [(n, k, same) for n in (5, 12, 20, 35) for k in (2, 3, 10) for same in (True, False)]
    for cases, times, same in shapes:
        values = []
        for _ in range(cases):
            level = DRAW.random()
            one = round(level, 4)
            spread = [one if same else round(min(1.0, max(0.0, level + DRAW.uniform(-0.3, 0.3))), 4) for _ in range(times)]
            # Not every output of a case could be scored.
            values.append(spread if same or DRAW.random() < 0.8 else spread[: max(1, times - 1)])
        means = [numpy.mean(case) for case in values]
        described = DescrStatsW(means)
        low, high = described.tconfint_mean(alpha=0.05)
        rows.append({"values": values, "mean": float(described.mean), "low": float(low), "high": float(high)})
    write("repeats.jsonl", rows)


def repeats_in_clusters():
    """The means of cases, whose sources are the clusters."""
    rows = []
    for number in range(18):
        sources = 4 + number % 7
        values, clusters = [], []
        for source in range(sources):
            level = DRAW.random()
            for _ in range(1 + DRAW.randrange(6)):
                case = [round(min(1.0, max(0.0, level + DRAW.uniform(-0.2, 0.2))), 4) for _ in range(1 + number % 3)]
                values.append(case)
                clusters.append(f"s{source}")
        rows.append({"values": values, "clusters": clusters, **clustered([numpy.mean(case) for case in values], clusters)})
    write("repeats_in_clusters.jsonl", rows)


def contrasts_in_clusters():
    """Differences of two systems on questions that share sources."""
    rows = []
    number = 0
    while len(rows) < 18:
        number += 1
        sources = 3 + number % 9
        first, second, clusters = [], [], []
        for source in range(sources):
            shift = DRAW.uniform(-0.3, 0.4)
            for _ in range(1 + DRAW.randrange(5)):
                base = DRAW.random()
                if number % 3 == 0:
                    base, other = float(base < 0.5), float(DRAW.random() < 0.5 + shift / 2)
                else:
                    base, other = round(base, 4), round(base + shift + DRAW.uniform(-0.2, 0.2), 4)
                first.append(other)
                second.append(base)
                clusters.append(source)
        differences = [a - b for a, b in zip(first, second)]
        found = clustered(differences, clusters)
        # Where all clusters agree there is no error, and the package has no p value.
        if found["error"] > 1e-9:
            rows.append({"first": first, "second": second, "clusters": clusters, **found})
    write("contrasts_in_clusters.jsonl", rows)


repeats()
repeats_in_clusters()
contrasts_in_clusters()
