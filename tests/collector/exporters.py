"""Sends traces with the exporters of the real packages to `probare serve --collect`, kills it in between, and looks whether
every trace is there once, whole and scored.

    python -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python exporters.py target/debug/probare --traces 10000 --kills 3

Spans are written in the words of OpenTelemetry's GenAI conventions (on the span, and as log records), of OpenInference and of
OpenLLMetry, by `opentelemetry-sdk` with its OTLP exporters over HTTP. With --clients further traces come from the OpenAI client
against a server of this script, once through the instrumentation of OpenInference and once through that of Traceloop.
"""

import argparse
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

os.environ["OTEL_BSP_SCHEDULE_DELAY"] = "200"
os.environ["OTEL_METRICS_EXPORTER"] = "none"
os.environ["TRACELOOP_TELEMETRY"] = "false"

from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

METRICS = ["answered=contains:texts=[\"is\"]", "tool_errors", "steps"]


class Server:
    """The program, restarted on the same store and port after a kill."""

    def __init__(self, program, folder):
        self.program, self.folder, self.peak = program, pathlib.Path(folder), 0
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        command = [self.program, "serve", "--collect", "--listen", f"127.0.0.1:{self.port}", "--quiet-time", "2"]
        command += ["--store", str(self.folder / "store.db")]
        for metric in METRICS:
            command += ["-m", metric]
        self.process = subprocess.Popen(command, cwd=self.folder, stderr=open(self.folder / "stderr.txt", "a"))
        for _ in range(200):
            try:
                urllib.request.urlopen(self.url + "/health", timeout=1).read()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("the server does not start: " + (self.folder / "stderr.txt").read_text())

    def kill(self):
        self.look()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def look(self):
        """Notes the most memory that it had so far, in MB."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            self.peak = max(self.peak, int(status.split("VmHWM:")[1].split()[0]) // 1024)
        except (OSError, IndexError):
            pass

    def counter(self, name):
        text = urllib.request.urlopen(self.url + "/metrics", timeout=30).read().decode()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(f"probare_collected_{name} ")))


def messages(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


class Producer:
    """Traces of an agent that calls a tool and answers; which words it writes them in depends on their number."""

    def __init__(self, url):
        resource = Resource.create({"service.name": "collector-test"})
        self.provider = TracerProvider(resource=resource)
        spans = OTLPSpanExporter(endpoint=url + "/v1/traces", timeout=60)
        self.spans = BatchSpanProcessor(spans, max_queue_size=50_000, schedule_delay_millis=200)
        self.provider.add_span_processor(self.spans)
        self.tracer = self.provider.get_tracer("collector-test")
        self.logs = LoggerProvider(resource=resource)
        logs = OTLPLogExporter(endpoint=url + "/v1/logs", timeout=60)
        self.logs.add_log_record_processor(BatchLogRecordProcessor(logs, max_queue_size=50_000))
        self.logger = self.logs.get_logger("collector-test")
        self.expected = {}

    def trace(self, number):
        question, answer = f"What is {number} and one?", f"It is {number + 1}."
        write = [self.conventions, self.events, self.openinference, self.openllmetry][number % 4]
        with self.tracer.start_as_current_span("invoke_agent adder") as root:
            root.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "adder"})
            write(number, question, answer)
            identity = format(root.get_span_context().trace_id, "032x")
        # The other two write no calls.
        results = [str(number + 1)] if write in (self.conventions, self.openinference) else []
        self.expected[identity] = (question, answer, results)

    def chat(self, attributes):
        span = self.tracer.start_span("chat small-1")
        span.set_attributes(attributes)
        return span

    def tool(self, attributes):
        with self.tracer.start_as_current_span("execute_tool add") as span:
            span.set_attributes(attributes)

    def conventions(self, number, question, answer):
        usage = {"gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 8}
        call = {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"to": number}}
        first = {"role": "assistant", "parts": [call]}
        result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": str(number + 1)}]}
        asked = json.loads(messages("user", question))
        common = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "small-1", **usage}
        self.chat({**common, "gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps([first])}).end()
        self.tool({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.call.id": "c1"})
        history = json.dumps([*asked, first, result])
        self.chat({**common, "gen_ai.input.messages": history, "gen_ai.output.messages": messages("assistant", answer)}).end()

    def events(self, _number, question, answer):
        span = self.chat({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "small-1"})
        context = trace.set_span_in_context(span)
        for name, body in [
            ("gen_ai.user.message", {"content": question}),
            ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}),
        ]:
            now = time.time_ns()
            self.logger.emit(
                LogRecord(timestamp=now, observed_timestamp=now, context=context, severity_number=SeverityNumber.INFO, event_name=name, body=body)
            )
        span.end()

    def openinference(self, number, question, answer):
        llm = {"openinference.span.kind": "LLM", "llm.model_name": "small-1", "llm.token_count.prompt": 20, "llm.token_count.completion": 8}
        before = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": question}
        call = {"tool_call.id": "c1", "tool_call.function.name": "add", "tool_call.function.arguments": json.dumps({"to": number})}
        made = {f"message.tool_calls.0.{key}": value for key, value in call.items()}
        out = {"llm.output_messages.0.message.role": "assistant"}
        self.chat({**llm, **before, **out, **{f"llm.output_messages.0.{key}": value for key, value in made.items()}}).end()
        self.tool({"openinference.span.kind": "TOOL", "tool.name": "add", "input.value": json.dumps({"to": number}), "output.value": str(number + 1)})
        history = {
            "llm.input_messages.1.message.role": "assistant",
            **{f"llm.input_messages.1.{key}": value for key, value in made.items()},
            "llm.input_messages.2.message.role": "tool",
            "llm.input_messages.2.message.tool_call_id": "c1",
            "llm.input_messages.2.message.content": str(number + 1),
        }
        self.chat({**llm, **before, **history, **out, "llm.output_messages.0.message.content": answer}).end()

    def openllmetry(self, _number, question, answer):
        self.chat(
            {
                "gen_ai.system": "OpenAI", "llm.request.type": "chat", "gen_ai.request.model": "small-1",
                "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": question,
                "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": answer,
                "gen_ai.usage.prompt_tokens": 20, "gen_ai.usage.completion_tokens": 8,
            }
        ).end()

    def flush(self):
        if not (self.spans.force_flush(120_000) and self.logs.force_flush(120_000)):
            sys.exit("the exporter gave up")


class Model(http.server.BaseHTTPRequestHandler):
    """Answers as the API for chats does."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = {
            "id": "r1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is " + asked["messages"][-1]["content"]}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def with_clients(url, count, expected):
    """Traces of the OpenAI client through two instrumentations."""
    from openai import OpenAI
    from openinference.instrumentation.openai import OpenAIInstrumentor as OfOpenInference
    from traceloop.sdk import Traceloop
    from traceloop.sdk.instruments import Instruments

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")

    def ask(tracer, name):
        for number in range(count):
            question = f"question {number} of {name}"
            with tracer.start_as_current_span("turn") as root:
                client.chat.completions.create(model="small-1", messages=[{"role": "user", "content": question}])
                identity = format(root.get_span_context().trace_id, "032x")
            expected[identity] = (question, "It is " + question, [])

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url + "/v1/traces", timeout=60)))
    OfOpenInference().instrument(tracer_provider=provider)
    ask(provider.get_tracer("clients"), "openinference")
    OfOpenInference().uninstrument()
    if not provider.force_flush(60_000):
        sys.exit("the exporter of OpenInference's spans gave up")
    Traceloop.init(app_name="clients", api_endpoint=url, api_key="none", instruments={Instruments.OPENAI})
    ask(trace.get_tracer("clients"), "traceloop")
    if not trace.get_tracer_provider().force_flush(60_000):
        sys.exit("the exporter of Traceloop gave up")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--traces", type=int, default=300)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--clients", type=int, default=0, help="traces of each instrumented client")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        producer = Producer(server.url)
        kills = {arguments.traces * number // (arguments.kills + 1) for number in range(1, arguments.kills + 1)}
        begun = time.time()
        for number in range(arguments.traces):
            producer.trace(number)
            if number % 250 == 249:
                server.look()
            # What the exporter cannot hold it drops: an application waits before that.
            if number % 2_500 == 2_499:
                producer.flush()
            if number in kills:
                time.sleep(random.random() / 2)
                server.kill()
                server.start()
        producer.flush()
        sent = time.time() - begun
        if arguments.clients:
            with_clients(server.url, arguments.clients, producer.expected)
        while server.counter("traces_waiting") or time.time() - begun < 5:
            time.sleep(0.5)
            server.look()
        took = time.time() - begun
        # A last look, in case the first one was between two arrivals.
        time.sleep(3)
        assert server.counter("traces_waiting") == 0
        server.look()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        outputs = pathlib.Path(folder) / "cases.jsonl"
        store = str(pathlib.Path(folder) / "store.db")
        subprocess.run([program, "runs", "export", "1", "--store", store, "--outputs", str(outputs)], check=True, cwd=folder)
        found = {}
        for line in outputs.read_text().splitlines():
            case = json.loads(line)
            assert case["id"] not in found, f"{case['id']} is there twice"
            said = case.get("messages", [])
            results = [message.get("text") for message in said if message["role"] == "tool"]
            found[case["id"]] = (case.get("query"), case.get("response", {}).get("text"), results)
        lost = {key: value for key, value in producer.expected.items() if found.get(key) != value}
        for key, value in list(lost.items())[:5]:
            print("expected", key, value, "found", found.get(key), file=sys.stderr)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).glob("store.db*"))
        print(
            f"{len(found)} cases of {len(producer.expected)} traces, {len(lost)} lost or other; {arguments.kills} kills; "
            f"sent in {sent:.1f} s ({arguments.traces / sent:.0f} traces/s), all scored after {took:.1f} s; "
            f"at most {server.peak} MB resident; store {size / 1e6:.1f} MB"
        )
        if lost or len(found) != len(producer.expected):
            print((pathlib.Path(folder) / "stderr.txt").read_text()[-2000:], file=sys.stderr)
            sys.exit(1)


if __name__ == "__main__":
    main()
