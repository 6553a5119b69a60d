"""How many cases a second `probare run` gets through at several numbers of concurrent requests, beside the ideal, and its memory.

    python3 crates/bench/python/model_rates.py [PROGRAM] [LATENCY_MS]

A server of its own process answers every question after the latency. The ideal is concurrency divided by latency. Say which
build of the program was measured, and what else the machine did: server and program share its cores.
"""

import asyncio
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

REPLY = json.dumps(
    {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": "It is so."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(REPLY), REPLY)
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Model(asyncio.Protocol):
    """One connection; a client sends the next request when it has its reply."""

    latency = 0.05

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        found = LENGTH.search(head)
        if found and len(rest) >= int(found[1]):
            self.buffer = rest[int(found[1]) :]
            asyncio.get_running_loop().call_later(self.latency, self.answer)

    def answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(RESPONSE)


def serve(port: "multiprocessing.Queue[int]", latency: float) -> None:
    async def main() -> None:
        Model.latency = latency
        server = await asyncio.get_running_loop().create_server(Model, "127.0.0.1", 0, backlog=4096)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def measure(program: str, port: int, concurrency: int, cases: int, latency: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        lines = (json.dumps({"id": f"c{n}", "query": f"Question {n}?", "reference": "so"}) for n in range(cases))
        (place / "cases.jsonl").write_text("\n".join(lines))
        model = {"name": "m", "base_url": f"http://127.0.0.1:{port}/v1", "concurrency": concurrency, "max_tokens": 20}
        config = {
            "datasets": [{"path": "cases.jsonl"}],
            "models": [model],
            "generate": {"prompt": "{{query}}"},
            "metrics": ["contains"],
        }
        (place / "probare.yaml").write_text(json.dumps(config))
        start = time.monotonic()
        child = subprocess.Popen([program, "run", "probare.yaml", "--quiet"], cwd=place, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        ideal = concurrency / latency
        print(
            f"{concurrency:>5} at once: {cases / seconds:>7.0f} cases/s of {ideal:.0f} ({100 * cases / seconds / ideal:.0f} %), "
            f"{usage.ru_maxrss / 1024:.0f} MB, {usage.ru_utime + usage.ru_stime:.1f} CPU-seconds for {cases} cases, "
            f"exit code {os.waitstatus_to_exitcode(status)}"
        )


def main() -> None:
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/probare").resolve())
    latency = float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.05
    port: "multiprocessing.Queue[int]" = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port, latency), daemon=True)
    server.start()
    number = port.get()
    for concurrency in (50, 200, 1000):
        measure(program, number, concurrency, 5000, latency)
    server.terminate()


if __name__ == "__main__":
    main()
