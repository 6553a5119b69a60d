"""Metrics in every collection and form."""
import probare
from probare import catalogue

names: list[str] = ["token_f1", "bleu:lowercase=true"]
rows: list[dict[str, object]] = [{"response": "a", "reference": "a"}]
probare.score(rows, names)
probare.score(rows, tuple(names))
probare.score(rows, set(names))
probare.score(rows, (name for name in names))
probare.score(rows, probare.metrics("text"))
probare.score(rows, catalogue.token_f1)
probare.score(rows, [catalogue.ndcg(k=5), {"id": "ndcg", "k": 10, "name": "deep"}, "token_f1"])
