"""Writes the vectors of this folder.

pip install scikit-learn==1.9.1 statsmodels==0.15.0 krippendorff==0.9.0 numpy==2.4.6
python make.py
"""

import json
import math
import random

import krippendorff
import numpy
import sklearn
import statsmodels
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

DRAW = random.Random(20260101)


def write(name, rows):
    with open(name, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row) + "\n")


def pairs(count, categories, agreement):
    """Two raters who agree in about this share of the cases."""
    rows = []
    for _ in range(count):
        first = DRAW.randrange(categories)
        near = min(categories - 1, max(0, first + DRAW.choice([-1, 0, 1])))
        second = first if DRAW.random() < agreement else DRAW.choice([near, DRAW.randrange(categories)])
        rows.append([first, second])
    return rows


def cohen():
    rows = []
    shapes = [(10, 2, 0.5), (25, 3, 0.7), (60, 4, 0.8), (200, 5, 0.6), (500, 2, 0.9), (37, 7, 0.2), (600, 3, 0.75)]
    for count, categories, agreement in shapes:
        given = pairs(count, categories, agreement)
        first, second = [a for a, _ in given], [b for _, b in given]
        labels = list(range(categories))
        table = numpy.zeros((categories, categories))
        for a, b in given:
            table[a, b] += 1
        told = cohens_kappa(table)
        plain = cohen_kappa_score(first, second, labels=labels)
        assert math.isclose(plain, float(told.kappa), abs_tol=1e-12)
        rows.append({
            "from": f"scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}",
            "tolerance": 1e-9,
            "categories": categories,
            "pairs": given,
            "plain": float(plain),
            "linear": float(cohen_kappa_score(first, second, labels=labels, weights="linear")),
            "quadratic": float(cohen_kappa_score(first, second, labels=labels, weights="quadratic")),
            "low": float(told.kappa_low),
            "high": float(told.kappa_upp),
        })
    write("cohen_kappa.jsonl", rows)


def fleiss():
    rows = []
    for count, categories, raters in [(10, 5, 14), (30, 2, 3), (50, 4, 6), (8, 3, 2), (120, 6, 4)]:
        table = []
        for _ in range(count):
            liked = DRAW.randrange(categories)
            row = [0] * categories
            for _ in range(raters):
                row[liked if DRAW.random() < 0.6 else DRAW.randrange(categories)] += 1
            table.append(row)
        rows.append({
            "from": f"statsmodels {statsmodels.__version__}",
            "tolerance": 1e-9,
            "table": table,
            "kappa": float(fleiss_kappa(numpy.array(table))),
        })
    write("fleiss_kappa.jsonl", rows)


def alpha():
    rows = []
    for count, categories, raters, missing in [(12, 5, 3, 0.2), (40, 3, 2, 0.0), (30, 10, 4, 0.4), (100, 2, 5, 0.1)]:
        units = []
        for _ in range(count):
            liked = 1 + DRAW.randrange(categories)
            unit = []
            for _ in range(raters):
                value = liked if DRAW.random() < 0.6 else 1 + DRAW.randrange(categories)
                unit.append(None if DRAW.random() < missing else value)
            units.append(unit)
        table = numpy.array([[math.nan if v is None else float(v) for v in unit] for unit in units]).T
        row = {"from": f"krippendorff {krippendorff.__version__}" if hasattr(krippendorff, "__version__") else "krippendorff 0.9.0", "tolerance": 1e-9, "units": units}
        for level in ["nominal", "ordinal", "interval", "ratio"]:
            row[level] = float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))
        rows.append(row)
    write("krippendorff_alpha.jsonl", rows)


cohen()
fleiss()
alpha()
