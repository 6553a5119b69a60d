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


def cohen(shapes):
    rows = []
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
    return rows


def fleiss(shapes):
    rows = []
    for count, categories, raters in shapes:
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
    return rows


def alpha(shapes):
    rows = []
    for count, categories, raters, missing in shapes:
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
    return rows


kappas = cohen([(10, 2, 0.5), (25, 3, 0.7), (60, 4, 0.8), (200, 5, 0.6), (500, 2, 0.9), (37, 7, 0.2), (600, 3, 0.75)])
tables = fleiss([(10, 5, 14), (30, 2, 3), (50, 4, 6), (8, 3, 2), (120, 6, 4)])
alphas = alpha([(12, 5, 3, 0.2), (40, 3, 2, 0.0), (30, 10, 4, 0.4), (100, 2, 5, 0.1)])
# Later ones have a seed of their own, so that the first stay as they are.
DRAW = random.Random(20261116)
kappas += cohen([(8, 2, 0.9), (15, 4, 0.5), (30, 5, 0.95), (45, 3, 0.1), (80, 6, 0.6), (120, 2, 0.4), (20, 10, 0.5), (150, 4, 0.99), (64, 3, 0.66)])
tables += fleiss([(5, 2, 2), (12, 3, 5), (20, 4, 3), (25, 7, 2), (40, 2, 8), (60, 3, 4), (16, 5, 6), (90, 2, 2), (33, 4, 9), (70, 8, 3), (18, 6, 12)])
alphas += alpha([(6, 3, 2, 0.0), (10, 4, 5, 0.3), (15, 7, 3, 0.1), (20, 2, 2, 0.0), (25, 5, 6, 0.5), (35, 4, 2, 0.0), (50, 6, 3, 0.25),
                 (60, 3, 4, 0.35), (75, 9, 5, 0.2), (18, 2, 8, 0.6), (90, 5, 2, 0.0), (45, 8, 3, 0.15)])
write("cohen_kappa.jsonl", kappas)
write("fleiss_kappa.jsonl", tables)
write("krippendorff_alpha.jsonl", alphas)
