"""Writes the vectors of intervals, tests and coefficients of this folder.

pip install scipy==1.17.1 statsmodels==0.15.0 numpy==2.4.6
python make_statistics.py
"""

import json
import random
import warnings

import numpy
import scipy
import statsmodels
import statsmodels.api
from scipy import stats
from scipy.special import comb
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

warnings.simplefilter("ignore")
DRAW = random.Random(20260202)
SCIPY = f"scipy {scipy.__version__}"
STATSMODELS = f"statsmodels {statsmodels.__version__}"


def write(name, origin, tolerance, rows):
    assert len(rows) >= 15, name
    with open(name, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps({"from": origin, "tolerance": tolerance, **row}) + "\n")


def scores(count, kind):
    """Values as metrics give them: shares, grades, and lists with many zeros."""
    if kind == "even":
        return [round(DRAW.random(), 4) for _ in range(count)]
    if kind == "skewed":
        return [round(DRAW.random() ** 6, 4) for _ in range(count)]
    if kind == "grades":
        return [DRAW.randrange(5) / 4 for _ in range(count)]
    return [float(DRAW.random() < 0.7) for _ in range(count)]


def proportions():
    shapes = [(0, 1), (1, 1), (0, 7), (7, 7), (1, 10), (9, 10), (0, 20), (10, 20), (19, 20), (3, 29), (81, 263), (15, 148), (250, 500), (499, 500), (1, 1000), (977, 1319), (4321, 10000)]
    rows = []
    for successes, trials in shapes:
        for level in [0.95, 0.9, 0.99]:
            low, high = proportion_confint(successes, trials, alpha=1 - level, method="beta")
            wilson = proportion_confint(successes, trials, alpha=1 - level, method="wilson")
            rows.append({
                "successes": successes, "trials": trials, "level": level,
                "clopper_pearson": [0.0 if successes == 0 else float(low), 1.0 if successes == trials else float(high)],
                "wilson": [max(0.0, float(wilson[0])), min(1.0, float(wilson[1]))],
            })
    write("proportions.jsonl", STATSMODELS, 1e-9, rows)


def bca():
    rows = []
    for number, (count, kind) in enumerate([(n, k) for n in (8, 15, 30, 60) for k in ("even", "skewed", "grades", "yes")]):
        values = scores(count, kind)
        if len(set(values)) < 2:
            values[0] = 1.0 - values[0]
        level = [0.95, 0.9, 0.8][number % 3]
        found = stats.bootstrap((values,), numpy.mean, n_resamples=300, confidence_level=level, method="BCa", rng=number, vectorized=True)
        rows.append({
            "values": values, "level": level,
            "resampled": [float(value) for value in found.bootstrap_distribution],
            "low": float(found.confidence_interval.low), "high": float(found.confidence_interval.high),
        })
    write("bca.jsonl", SCIPY, 1e-9, rows)


def means():
    rows = []
    for count in (2, 3, 5, 9, 20, 47, 150, 900):
        for kind in ("even", "skewed"):
            values = scores(count, kind)
            level = DRAW.choice([0.9, 0.95, 0.99])
            low, high = DescrStatsW(values).tconfint_mean(alpha=1 - level)
            rows.append({"values": values, "level": level, "low": float(low), "high": float(high)})
    write("means.jsonl", STATSMODELS, 1e-9, rows)


def clusters():
    rows = []
    for number in range(16):
        groups, size = DRAW.randrange(2, 30), DRAW.randrange(1, 9)
        values, names = [], []
        for group in range(groups):
            centre = DRAW.random()
            for _ in range(DRAW.randrange(1, size + 1)):
                values.append(round(min(1.0, max(0.0, centre + DRAW.gauss(0, 0.2))), 4))
                names.append(group)
        fit = statsmodels.api.OLS(values, numpy.ones(len(values))).fit(
            cov_type="cluster", cov_kwds={"groups": names, "use_correction": True, "df_correction": True}, use_t=True
        )
        low, high = fit.conf_int(0.05)[0]
        rows.append({"values": values, "clusters": names, "mean": float(fit.params[0]), "error": float(fit.bse[0]), "low": float(low), "high": float(high)})
    write("clusters.jsonl", STATSMODELS, 1e-9, rows)


def passes():
    rows = []
    shapes = [(1, 0, 1), (1, 1, 1), (5, 2, 1), (5, 2, 3), (5, 2, 4), (5, 5, 5), (10, 1, 10), (10, 3, 2), (20, 11, 5), (100, 1, 10), (100, 37, 10), (100, 99, 50), (200, 50, 100), (200, 0, 7), (1000, 3, 100), (8, 7, 8), (16, 8, 8)]
    for outputs, passed, k in shapes:
        rows.append({
            "outputs": outputs, "passed": passed, "k": k,
            "any": 1.0 - float(comb(outputs - passed, k, exact=True) / comb(outputs, k, exact=True)),
            "all": float(comb(passed, k, exact=True) / comb(outputs, k, exact=True)),
        })
    write("passes.jsonl", SCIPY, 1e-12, rows)


def paired_yes_or_no():
    rows = []
    shapes = [(0, 0), (1, 0), (0, 5), (1, 5), (3, 3), (6, 2), (2, 12), (10, 25), (40, 40), (41, 40), (7, 30), (100, 60), (150, 149), (0, 40), (500, 430), (12, 12), (1, 1)]
    for first, second in shapes:
        found = mcnemar([[3, first], [second, 4]], exact=True)
        rows.append({"only_first": first, "only_second": second, "p_value": min(1.0, float(found.pvalue)) if first + second else 1.0})
    write("mcnemar.jsonl", STATSMODELS, 1e-9, rows)


def sign_flips():
    rows = []
    for number in range(16):
        count = 2 + number % 11
        kind = ["even", "grades", "skewed"][number % 3]
        first, second = scores(count, kind), scores(count, kind)
        found = stats.permutation_test(
            (first, second), lambda x, y, axis: numpy.mean(x - y, axis=axis), permutation_type="samples", n_resamples=numpy.inf, alternative="two-sided", vectorized=True
        )
        differences = numpy.array(first) - numpy.array(second)
        low, high = DescrStatsW(differences).tconfint_mean()
        rows.append({"first": first, "second": second, "mean": float(differences.mean()), "low": float(low), "high": float(high), "p_value": float(found.pvalue)})
    write("sign_flips.jsonl", f"{SCIPY}, {STATSMODELS}", 1e-9, rows)


def several_tests():
    rows = []
    for number in range(16):
        count = 1 + number
        values = [round(DRAW.random() ** (1 + number % 4), 5) for _ in range(count)]
        if number % 3 == 2:
            values[-1] = values[0]
        rows.append({
            "p_values": values,
            "holm": [float(value) for value in multipletests(values, method="holm")[1]],
            "benjamini_hochberg": [float(value) for value in multipletests(values, method="fdr_bh")[1]],
        })
    write("several_tests.jsonl", STATSMODELS, 1e-12, rows)


def effects():
    rows = []
    for pairs in (5, 7, 10, 20, 50, 200, 1000, 5000):
        for power, level in [(0.8, 0.95), (0.9, 0.99)]:
            # The root is asked of a function rather than of the package's search, which stops at 1e-5.
            test = TTestPower()
            def missing(effect):
                return test.power(effect, pairs, 1 - level, alternative="two-sided") - power
            high = 1e-3
            while missing(high) < 0:
                high *= 1.2
            root = scipy.optimize.brentq(missing, high / 1.3, high, xtol=1e-13)
            deviation = round(0.05 + DRAW.random(), 3)
            rows.append({"pairs": pairs, "deviation": deviation, "power": power, "level": level, "effect": float(root * deviation)})
    write("effects.jsonl", f"{STATSMODELS} (TTestPower.power), root by {SCIPY}", 1e-7, rows)


for make in [proportions, bca, means, clusters, passes, paired_yes_or_no, sign_flips, several_tests, effects]:
    make()
