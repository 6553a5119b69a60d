"""Asks a server many questions with Python's `openai` client, for `cargo run -p probare-models --release --example throughput`.

`openai_client.py URL QUESTIONS CONCURRENCY` prints JSON: how many were answered, and the processor seconds that it took.
"""

import asyncio
import json
import resource
import sys
import time

import openai


async def main(url, count, concurrency):
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=60)
    numbers = iter(range(count))
    answered = 0

    async def work():
        nonlocal answered
        for number in numbers:
            reply = await client.chat.completions.create(
                model="test", messages=[{"role": "user", "content": f"python question {number}"}]
            )
            answered += bool(reply.choices[0].message.content)

    used = resource.getrusage(resource.RUSAGE_SELF)
    begin, start = used.ru_utime + used.ru_stime, time.monotonic()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime - begin
    wall = time.monotonic() - start
    print(json.dumps({"answered": answered, "seconds": seconds, "wall": wall, "version": f"openai {openai.__version__}"}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
