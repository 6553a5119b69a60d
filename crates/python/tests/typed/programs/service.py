"""Scoring within a service that waits for many things."""
import asyncio
from collections.abc import AsyncIterator
import probare


async def rows() -> AsyncIterator[dict[str, str]]:
    for number in range(3):
        yield {"id": str(number), "response": "a", "reference": "a"}


async def main() -> float | None:
    first, second = await asyncio.gather(
        probare.score_async(rows(), "token_f1", evidence=False, width=4),
        probare.score_async([{"response": "a", "reference": "b"}], ["token_f1"]),
    )
    return first.summary["token_f1"].mean or second.summary["token_f1"].mean


print(asyncio.run(main()))
