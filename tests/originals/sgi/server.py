"""A model server for the journey in ../sgi.sh: it speaks as OpenAI's does, and answers by what it is asked.

`server.py FOLDER` prints its port. Every request is a line in FOLDER/asked.jsonl. While FOLDER/down is there graders get status 401, while
FOLDER/slow is there the model under test takes its time, while FOLDER/empty is there it says nothing the first time it is asked something.
"""

import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(sys.argv[1])
LOCK = threading.Lock()
SEEN = set()

IDEA = {
    "Idea": "Film the cell culture under a microscope, learn how healthy cells move, and warn when the movement stops.",
    "ImplementationSteps": {"1": "film", "2": "learn the range", "3": "warn"},
    "ImplementationOrder": ["1-2", "2-3"],
    "Dataset": "films of healthy cultures",
    "EvaluationMetrics": {"lead time": "hours before it is seen by eye"},
    "ExpectedOutcome": "a warning hours earlier",
}

# What the model under test says, by words of the question.
ANSWERS = {
    "table salt": "Step 1. Two ions each.\n<answer>4</answer>",
    "right angle": "A quarter.\n<answer>25 %</answer>",
    "have rings": "<answer>4</answer>",
    "cell culture fails": json.dumps(IDEA),
    "adds the numbers": "<answer>\ndef total(values):\n    return sum(values)\n</answer>",
    "Extract protein": '<answer>\nx = <Lyse cells>(\n    cells="pellet"\n)\n\ny = <Measure protein>(\n    sample=x\n)\n</answer>',
    "Dry a salt": '<answer>\ns = <Weigh>(\n    mass="3 g"\n)\n\nd = <Heat>(\n    sample=s\n)\n</answer>',
    "no band": "Lane 2 is empty, so \\boxed{B}.",
    "curve rises": "The upper one, so \\boxed{A}.",
}

STEPS = json.dumps([{"solution_step": "first", "reason": "sound", "judge": "correct"}])


def graded(words, pictures):
    """What a grader says, by words of our prompts or of those in the folder of official ones."""
    if "into the form of an example" in words or "OFFICIAL PARSER" in words:
        return words.rsplit("| ", 1)[-1].split("\nEND")[0] if "| " in words else "none"
    if "step by step. Split the solution" in words or "OFFICIAL STEPS" in words:
        return STEPS
    if "whether the answer to a scientific question is right" in words:
        return '{"judge": 1, "reason": "25 % is 0.25"}'
    if "compare two research ideas" in words:
        return "\n".join(
            f"{respect}: [Win A] because it says more."
            for respect in ("Effectiveness", "Novelty", "Detailedness", "Feasibility", "Overall")
        )
    if "how valid the reasoning is" in words:
        return "8" if pictures else "3"
    return "I cannot say."


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model = asked["model"]
        if self.path.endswith("/embeddings"):
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            vectors = [[byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]] for text in texts]
            data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            self.note({"model": model, "texts": len(texts)})
            return self.reply(200, {"model": model, "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
        words, pictures = [], 0
        for message in asked["messages"]:
            parts = message["content"]
            for part in parts if isinstance(parts, list) else [{"type": "text", "text": parts}]:
                if part["type"] == "text":
                    words.append(part["text"])
                else:
                    pictures += 1
        words = "\n".join(words)
        self.note({"model": model, "words": words, "pictures": pictures})
        if model == "tested":
            if (FOLDER / "slow").exists():
                time.sleep(0.4)
            text = next((answer for part, answer in ANSWERS.items() if part in words), "I do not know.")
            if (FOLDER / "empty").exists() and words not in SEEN:
                SEEN.add(words)
                text = ""
        elif (FOLDER / "down").exists():
            return self.reply(401, {"error": {"message": "no such key", "code": "invalid_api_key"}})
        else:
            text = graded(words, pictures)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        self.reply(200, {"model": model, "choices": [choice], "usage": usage})

    def note(self, line):
        with LOCK, open(FOLDER / "asked.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


SERVER = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
(FOLDER / "port.partial").write_text(str(SERVER.server_port))
(FOLDER / "port.partial").rename(FOLDER / "port")
SERVER.serve_forever()
