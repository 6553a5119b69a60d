"""Writes the golden vectors of the family `retrieval`, one file per metric.

Needs `pytrec_eval-terrier` (trec_eval itself, built as a Python module). Run it in this folder:

    python make.py

trec_eval takes scores and has no duplicates: the lists here become scores that fall with the place. A cut at k of
`reciprocal_rank` is a run cut to k documents. What trec_eval cannot express (duplicates, divisors of our own, empty
lists) is worked out as an exact fraction below and says so in `from`.
"""

import importlib.metadata
import json
import random
from fractions import Fraction

import pytrec_eval

VERSION = importlib.metadata.version("pytrec_eval-terrier")
TREC = f"trec_eval, by pytrec_eval-terrier {VERSION}"
CLOSED = "closed form"


def trec(measure, retrieved, relevant):
    """Value that trec_eval gives a ranked list."""
    qrel = {"q": {document: 1 for document in relevant}}
    run = {"q": {document: float(len(retrieved) - place) for place, document in enumerate(retrieved)}}
    name = measure.replace(".", "_")
    return pytrec_eval.RelevanceEvaluator(qrel, {measure}).evaluate(run)["q"][name]


def rankings():
    """Ranked lists without duplicates: each number of relevant documents meets each length of list."""
    source = random.Random(20240501)
    pool = [f"doc-{number}" for number in range(40)] + ["https://example.org/a?b=1", "Straße", "文書"]
    for length in (1, 2, 3, 5, 8, 13, 20):
        for count in (1, 2, 3, 6, 12):
            retrieved = source.sample(pool, length)
            others = [document for document in pool if document not in retrieved]
            shared = source.randint(0, min(length, count))
            relevant = source.sample(retrieved, shared) + source.sample(others, count - shared)
            source.shuffle(relevant)
            yield retrieved, relevant
    yield ["a", "b", "c"], ["a", "b", "c"]
    yield ["c", "b", "a"], ["a"]
    yield ["x", "y"], ["a"]


def write(metric, vectors):
    with open(f"{metric}.jsonl", "w", encoding="utf-8") as file:
        for number, vector in enumerate(vectors):
            file.write(json.dumps({"id": f"{metric}-{number:03}", **vector}, ensure_ascii=False) + "\n")


def vector(origin, params, retrieved, relevant, value):
    case = {"retrieved": retrieved, "relevant": relevant}
    found = {"not_applicable": True} if value is None else {"value": float(value)}
    return {"from": origin, "tolerance": 1e-9, "params": params, "case": case, **found}


def precision_at_k():
    for retrieved, relevant in rankings():
        for k in (1, 5, 10):
            yield vector(TREC, {"k": k}, retrieved, relevant, trec(f"P.{k}", retrieved, relevant))
    yield vector(CLOSED, {"k": 4}, ["a", "a", "b", "x"], ["a", "b"], Fraction(2, 4))
    yield vector(CLOSED, {"k": 5, "divide_by": "retrieved"}, ["a", "x"], ["a"], Fraction(1, 2))
    yield vector(CLOSED, {"k": 1, "divide_by": "retrieved"}, ["a", "x"], ["a"], Fraction(1))
    yield vector(CLOSED, {}, [], ["a"], Fraction(0))
    yield vector(CLOSED, {}, ["a"], [], None)


def recall_at_k():
    for retrieved, relevant in rankings():
        for k in (1, 5, 10):
            yield vector(TREC, {"k": k}, retrieved, relevant, trec(f"recall.{k}", retrieved, relevant))
    yield vector(CLOSED, {"k": 2}, ["a", "a", "b"], ["a", "b"], Fraction(1, 2))
    yield vector(CLOSED, {}, ["a"], ["a", "a", "b"], Fraction(1, 2))
    yield vector(CLOSED, {}, [], ["a"], Fraction(0))
    yield vector(CLOSED, {}, ["a"], [], None)


def reciprocal_rank():
    for retrieved, relevant in rankings():
        yield vector(TREC, {}, retrieved, relevant, trec("recip_rank", retrieved, relevant))
        yield vector(TREC, {"k": 3}, retrieved, relevant, trec("recip_rank", retrieved[:3], relevant))
    yield vector(CLOSED, {}, ["x", "x", "a"], ["a"], Fraction(1, 3))
    yield vector(CLOSED, {}, [], ["a"], Fraction(0))
    yield vector(CLOSED, {}, ["a"], [], None)


def ndcg():
    for retrieved, relevant in rankings():
        yield vector(TREC, {}, retrieved, relevant, trec("ndcg", retrieved, relevant))
        for k in (1, 5, 10):
            yield vector(TREC, {"k": k}, retrieved, relevant, trec(f"ndcg_cut.{k}", retrieved, relevant))
    yield vector(CLOSED, {}, ["x", "x", "a"], ["a"], Fraction(1, 2))
    yield vector(CLOSED, {}, [], ["a"], Fraction(0))
    yield vector(CLOSED, {}, ["a"], [], None)


def average_precision():
    for retrieved, relevant in rankings():
        yield vector(TREC, {}, retrieved, relevant, trec("map", retrieved, relevant))
        for k in (1, 5, 10):
            yield vector(TREC, {"k": k}, retrieved, relevant, trec(f"map_cut.{k}", retrieved, relevant))
    yield vector(CLOSED, {"k": 2, "divide_by": "reachable"}, ["a", "x"], ["a", "b", "c"], Fraction(1, 2))
    yield vector(CLOSED, {"divide_by": "reachable"}, ["a", "x"], ["a", "b", "c"], Fraction(1, 3))
    yield vector(CLOSED, {}, ["a", "a", "b"], ["a", "b"], Fraction(5, 6))
    yield vector(CLOSED, {}, [], ["a"], Fraction(0))
    yield vector(CLOSED, {}, ["a"], [], None)


for made in (precision_at_k, recall_at_k, reciprocal_rank, ndcg, average_precision):
    write(made.__name__, made())
