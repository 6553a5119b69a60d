"""Metrics of your own in Python: `probare score cases.jsonl -m checks.py:brand_voice`."""

import asyncio

import probare


@probare.metric(version=1)
def brand_voice(case, *, words=("we", "our", "you"), banned=("cheap", "guarantee")):
    """Share of the words of the brand that the response uses; a banned word makes it 0.

    Each word that is there is marked in the response, and each that is not is named.
    """
    evidence, found, forbidden = [], 0, 0
    for word in words:
        start = case.response.find(word)
        if start >= 0:
            found += 1
            evidence.append(probare.Evidence.matched("response", start, start + len(word)))
        else:
            evidence.append(probare.Evidence.missing(word))
    for word in banned:
        start = case.response.find(word)
        if start >= 0:
            forbidden += 1
            evidence.append(probare.Evidence("contradicted", "response", start, start + len(word), note="a banned word"))
    value = 0.0 if forbidden else found / len(words)
    return probare.Score(
        value,
        "on brand" if value >= 0.5 else "off brand",
        parts={"found": found, "banned": forbidden},
        evidence=evidence,
    )


@probare.metric(range=(0, None), better="lower")
def words(case):
    """Words of the response."""
    return len(case.response.split())


@probare.metric
def tone(case):
    """How the response greets: a label without a number."""
    return "formal" if case.response.startswith(("Dear", "Sehr geehrte")) else "casual"


@probare.metric
async def answers_the_question(case):
    """Whether the response repeats a word of the question; a function may be async."""
    await asyncio.sleep(0)
    if case.query is None:
        raise probare.NotApplicable("there is no question")
    asked = {word.strip("?.,").lower() for word in case.query.split() if len(word) > 3}
    return any(word in case.response.lower() for word in asked)


@probare.metric(name="max_length", version=2)
class MaxLength:
    """Whether the response is short enough; a class takes its options once."""

    def __init__(self, characters: int = 300) -> None:
        self.characters = characters

    def score(self, case):
        return len(case.response) <= self.characters
