"""More rows than memory."""
from typing import Any
import probare


def scored(batches: list[Any]) -> probare.Summary:
    scorer = probare.Scorer(["token_f1"], "published", mapping={"response": "model_says"}, jobs=2)
    for batch in batches:
        scorer.score_batch(batch)
    return scorer.summary
