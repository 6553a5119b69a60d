"""A stand-in for the Evals API on loopback, from which `examples/openai-evals/export.py` and the real SDK make our fixtures.

    python openai_platform_make.py DIR      # needs the package openai

The texts are ours; the shapes are those of OpenAI's API reference, which the SDK's types check on the way.
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

MAIL = [
    ("My monitor stays black since this morning.", "Hardware", "Hardware", True),
    ("The expense form rejects my receipt.", "Software", "Software", True),
    ("Is there coffee on the third floor?", "Other", "Software", False),
    ("The printer prints blank pages.", "Hardware", "Hardware, I think.", False),
]

EVAL = {
    "id": "eval_1",
    "object": "eval",
    "name": "Ticket sorting",
    "created_at": 1760000000,
    "metadata": {},
    "data_source_config": {
        "type": "custom",
        "schema": {
            "type": "object",
            "properties": {"item": {"type": "object"}, "sample": {"type": "object"}},
            "required": ["item", "sample"],
        },
    },
    "testing_criteria": [
        {
            "type": "string_check",
            "id": "Exact label-1",
            "name": "Exact label",
            "input": "{{ sample.output_text }}",
            "reference": "{{ item.correct_label }}",
            "operation": "eq",
        },
        {
            "type": "text_similarity",
            "id": "Close label-2",
            "name": "Close label",
            "input": "{{ sample.output_text }}",
            "reference": "{{ item.correct_label }}",
            "evaluation_metric": "fuzzy_match",
            "pass_threshold": 0.8,
        },
        {
            "type": "label_model",
            "id": "Tone-3",
            "name": "Tone",
            "model": "gpt-4.1-mini-2025-04-14",
            "input": [
                {
                    "type": "message",
                    "role": "developer",
                    "content": {"type": "input_text", "text": "Is the answer a plain label?"},
                },
                {
                    "type": "message",
                    "role": "user",
                    "content": {
                        "type": "input_text",
                        "text": "Ticket: {{item.ticket_text}}\nAnswer: {{sample.output_text}}",
                    },
                },
            ],
            "labels": ["plain", "wordy"],
            "passing_labels": ["plain"],
        },
        {
            "type": "python",
            "id": "Own-4",
            "name": "Own",
            "source": "def grade(sample, item):\n    return 1.0",
            "pass_threshold": 0.5,
        },
    ],
}

RUN = {
    "id": "evalrun_1",
    "object": "eval.run",
    "eval_id": "eval_1",
    "name": "first run",
    "created_at": 1760000100,
    "metadata": {},
    "model": "gpt-4.1-nano-2025-04-14",
    "status": "completed",
    "report_url": "https://platform.openai.com/evaluations/eval_1",
    "error": None,
    "result_counts": {"total": 4, "passed": 2, "failed": 2, "errored": 0},
    "per_model_usage": [],
    "per_testing_criteria_results": [{"testing_criteria": "Exact label-1", "passed": 2, "failed": 2}],
    "data_source": {
        "type": "completions",
        "source": {"type": "file_id", "id": "file-1"},
        "model": "gpt-4.1-nano-2025-04-14",
        "sampling_params": {"temperature": 0.0, "max_completion_tokens": 50},
        "input_messages": {
            "type": "template",
            "template": [
                {
                    "type": "message",
                    "role": "developer",
                    "content": {
                        "type": "input_text",
                        "text": "Sort the ticket: Hardware, Software or Other. Answer with the label alone.",
                    },
                },
                {"type": "message", "role": "user", "content": {"type": "input_text", "text": "{{item.ticket_text}}"}},
            ],
        },
    },
}


def output_item(number):
    text, label, answer, is_right = MAIL[number]
    similarity = 1.0 if is_right else 0.4
    results = [
        {"name": "Exact label-1", "type": "string_check", "passed": is_right, "score": float(is_right)},
        {"name": "Close label-2", "type": "text_similarity", "passed": is_right, "score": similarity},
        {"name": "Tone-3", "type": "label_model", "passed": "," not in answer, "score": float("," not in answer)},
        {"name": "Own-4", "type": "python", "passed": True, "score": 1.0},
    ]
    return {
        "id": f"outputitem_{number}",
        "object": "eval.run.output_item",
        "created_at": 1760000200 + number,
        "run_id": "evalrun_1",
        "eval_id": "eval_1",
        "status": "pass" if is_right else "fail",
        "datasource_item_id": number,
        "datasource_item": {"ticket_text": text, "correct_label": label},
        "results": results,
        "sample": {
            "input": [
                {
                    "role": "developer",
                    "content": "Sort the ticket: Hardware, Software or Other. Answer with the label alone.",
                },
                {"role": "user", "content": text},
            ],
            "output": [{"role": "assistant", "content": answer}],
            "finish_reason": "stop",
            "model": "gpt-4.1-nano-2025-04-14",
            "usage": {"total_tokens": 60, "completion_tokens": 2, "prompt_tokens": 58, "cached_tokens": 0},
            "error": None,
            "temperature": 0.0,
            "max_completion_tokens": 50,
            "top_p": 1.0,
            "seed": 42,
        },
    }


ROWS = "".join(json.dumps({"item": {"ticket_text": text, "correct_label": label}}) + "\n" for text, label, _, _ in MAIL)


def page(objects):
    return {
        "object": "list",
        "data": objects,
        "has_more": False,
        "first_id": objects[0]["id"],
        "last_id": objects[-1]["id"],
    }


ANSWERS = {
    "/v1/evals": page([EVAL]),
    "/v1/evals/eval_1/runs": page([RUN]),
    "/v1/evals/eval_1/runs/evalrun_1/output_items": page([output_item(number) for number in range(len(MAIL))]),
}


class Api(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        body = ROWS if path == "/v1/files/file-1/content" else json.dumps(ANSWERS.get(path))
        self.send_response(200 if body != "null" else 404)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def main(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, OPENAI_API_KEY="none", OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}/v1")
    script = pathlib.Path(__file__).resolve().parents[2] / "examples/openai-evals/export.py"
    subprocess.run([sys.executable, script, folder], env=environment, check=True)
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
