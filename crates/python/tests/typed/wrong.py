"""Mistakes that a type checker finds, each with what it says. It is checked, not run."""

import probare
from probare import catalogue

probare.score([], "token_f1", "sloppy")  # arg-type
probare.score([], "token_f1", limits=3)  # call-arg
catalogue.ndcg(k="five")  # arg-type
catalogue.ndcg(depth=5)  # call-arg
catalogue.token_f2()  # attr-defined
probare.Scorer(["token_f1"], jobs="all")  # arg-type
probare.score([], "token_f1").summary["token_f1"].median  # attr-defined
probare.score([], "token_f1").summary["token_f1"].mean + 1  # operator
probare.score([], 7)  # arg-type
probare.score([], "token_f1", evidence="yes")  # arg-type
probare.score([], "token_f1", judges=[7])  # list-item
probare.score([], "token_f1", jobs="all")  # arg-type
