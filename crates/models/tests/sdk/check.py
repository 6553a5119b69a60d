"""The vendors' own packages as judges of our requests and of what we read.

For every request in ../golden/PROVIDER.json, which Rust tests hold equal to what is written, the package of the vendor sends
the same request to a server on this machine, from the same values in the vendor's own types. A field that the package does not
know, or writes in another way, is a failure. For every reply there, the package reads the body and has to find the text that we
find. The closed lists of stop reasons (stop_reasons.json, held equal to the code by a Rust test) have to hold every word that
the package knows.

Run by `cargo x test --all`; alone: `target/sdk/bin/python crates/models/tests/sdk/check.py`.
"""

import email
import json
import pathlib
import re
import threading
import typing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parent / "golden"
STOP_REASONS = json.loads((HERE / "stop_reasons.json").read_text())

problems: list[str] = []
counts: dict[str, int] = {}


def note(what: str) -> None:
    counts[what] = counts.get(what, 0) + 1


def golden(provider: str) -> dict:
    return json.loads((GOLDEN / f"{provider}.json").read_text())


def form_fields(kind: str, body: bytes) -> dict:
    """The fields of a form with a file."""
    parsed = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    name = "content-disposition"
    return {part.get_param("name", header=name): part.get_payload(decode=True).decode() for part in parsed.get_payload()}


class Loopback(BaseHTTPRequestHandler):
    """Keeps the request and answers with what is wanted."""

    wanted: bytes = b"{}"
    seen: list[tuple[str, dict]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        kind = self.headers.get("content-type", "")
        Loopback.seen.append((self.path, form_fields(kind, body) if "form-data" in kind else json.loads(body)))
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(Loopback.wanted)))
        self.end_headers()
        self.wfile.write(Loopback.wanted)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Loopback)
threading.Thread(target=server.serve_forever, daemon=True).start()
ADDRESS = f"http://127.0.0.1:{server.server_address[1]}"


def through(reply: dict, call: typing.Callable[[], object]) -> tuple[str, dict, object]:
    """What the package sends, and what it makes of the reply."""
    Loopback.wanted = json.dumps(reply).encode()
    Loopback.seen.clear()
    result = call()
    path, body = Loopback.seen[0]
    return path, body, result


def compare(what: str, ours: object, theirs: object) -> None:
    note("requests")
    if ours != theirs:
        problems.append(f"{what}:\n  ours   {json.dumps(ours)}\n  theirs {json.dumps(theirs)}")


def compare_text(what: str, ours: str, theirs: str | None) -> None:
    note("replies")
    if ours != (theirs or ""):
        problems.append(f"{what}: we read {ours!r}, the package {theirs!r}")


def expected_text(reply: dict) -> str | None:
    content = reply.get("reply", {}).get("content", {})
    return content.get("text", content.get("truncated"))


def words(provider: str, known: typing.Iterable[str]) -> None:
    for word in known:
        note("stop reasons")
        if word not in STOP_REASONS[provider]:
            problems.append(f"{provider}: the package knows the stop reason {word!r}, our list does not")


def literals(kind: object) -> set[str]:
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    return set().union(*(literals(part) for part in typing.get_args(kind)), set())


def openai_chat() -> None:
    import openai
    from openai.types.chat import chat_completion

    client = openai.OpenAI(base_url=f"{ADDRESS}/v1", api_key="x", max_retries=0)
    whole = golden("openai")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")
    for name in ("plain", "tools", "image"):
        body = whole["requests"][name]["body"]
        path, sent, _ = through(good, lambda: client.chat.completions.create(**body))
        compare(f"openai {name}", body, sent)
        assert path == "/v1/chat/completions", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(
                reply["body"],
                lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Why?"}]),
            )
            compare_text(f"openai {reply['name']}", text, read.choices[0].message.content)
    words("openai", literals(chat_completion.Choice.model_fields["finish_reason"].annotation))


def openai_responses() -> None:
    import openai
    from openai.types.responses import ResponseStatus, response

    client = openai.OpenAI(base_url=f"{ADDRESS}/v1", api_key="x", max_retries=0)
    whole = golden("openai-responses")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")
    for name in ("plain", "tools", "image"):
        body = whole["requests"][name]["body"]
        path, sent, _ = through(good, lambda: client.responses.create(**body))
        compare(f"openai-responses {name}", body, sent)
        assert path == "/v1/responses", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(reply["body"], lambda: client.responses.create(model="m", input="Why?"))
            compare_text(f"openai-responses {reply['name']}", text, read.output_text)
    words("openai-responses", literals(ResponseStatus))
    words("openai-responses", literals(response.IncompleteDetails.model_fields["reason"].annotation))


def anthropic_messages() -> None:
    import anthropic
    from anthropic.types import StopReason

    client = anthropic.Anthropic(base_url=ADDRESS, api_key="x", max_retries=0)
    whole = golden("anthropic")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")
    for name in ("plain", "tools", "parallel_tools", "image", "effort"):
        body = whole["requests"][name]["body"]
        path, sent, _ = through(good, lambda: client.messages.create(**body))
        compare(f"anthropic {name}", body, sent)
        assert path == "/v1/messages", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(
                reply["body"],
                lambda: client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Why?"}]),
            )
            found = "".join(block.text for block in read.content if block.type == "text")
            compare_text(f"anthropic {reply['name']}", text, found)
    words("anthropic", literals(StopReason))


def gemini() -> None:
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=ADDRESS, api_version="v1beta"))
    whole = golden("gemini")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")

    def ask(body: dict) -> object:
        settings = dict(body.get("generationConfig", {}))
        for field in ("systemInstruction", "tools"):
            if field in body:
                settings[field] = body[field]
        # These types refuse fields that they do not know.
        config = types.GenerateContentConfig.model_validate(settings)
        contents = [types.Content.model_validate(content) for content in body["contents"]]
        return client.models.generate_content(model="m", contents=contents, config=config)

    def plain(value: object) -> object:
        """The names of fields as the reference has them: the interface takes `mime_type` for `mimeType`, and the package writes
        now one, now the other."""
        if isinstance(value, dict):
            return {re.sub("_([a-z])", lambda found: found[1].upper(), key): plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list) else value

    for name in ("plain", "tools", "image", "parallel_tools", "effort"):
        body = whole["requests"][name]["body"]
        path, sent, _ = through(good, lambda: ask(body))
        # What says nothing: the role of instructions, settings without any.
        (sent.get("systemInstruction") or {}).pop("role", None)
        if sent.get("generationConfig") == {}:
            del sent["generationConfig"]
        compare(f"gemini {name}", plain(body), plain(sent))
        assert path == "/v1beta/models/m:generateContent", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(reply["body"], lambda: client.models.generate_content(model="m", contents="Why?"))
            compare_text(f"gemini {reply['name']}", text, read.text)
    words("gemini", (reason.value for reason in types.FinishReason))


def bedrock() -> None:
    import boto3

    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=ADDRESS,
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    whole = golden("bedrock")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")

    def with_bytes(value: object) -> object:
        """Images are bytes here, which the package writes in base 64."""
        import base64

        if isinstance(value, dict):
            return {
                key: base64.b64decode(item) if key == "bytes" else with_bytes(item) for key, item in value.items()
            }
        return [with_bytes(item) for item in value] if isinstance(value, list) else value

    for name in ("plain", "tools", "image", "parallel_tools"):
        body = whole["requests"][name]["body"]
        # The package checks names and types of all fields before it sends.
        path, sent, _ = through(good, lambda: client.converse(modelId="m", **with_bytes(body)))
        compare(f"bedrock {name}", body, sent)
        assert path == "/model/m/converse", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(
                reply["body"],
                lambda: client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "Why?"}]}]),
            )
            blocks = read["output"]["message"]["content"]
            compare_text(f"bedrock {reply['name']}", text, "".join(block.get("text", "") for block in blocks))
    shape = client.meta.service_model.operation_model("Converse").output_shape.members["stopReason"]
    words("bedrock", shape.enum)


def ollama_native() -> None:
    import base64

    import ollama

    client = ollama.Client(host=ADDRESS)
    whole = golden("ollama-native")
    good = next(reply["body"] for reply in whole["replies"] if reply["name"] == "text")

    def ask(body: dict) -> object:
        # The package takes images as bytes and writes them in base 64; its own types refuse fields that they do not know.
        messages = [
            {**said, **({"images": [base64.b64decode(one) for one in said["images"]]} if "images" in said else {})}
            for said in body["messages"]
        ]
        return client.chat(**{**body, "messages": messages})

    for name in ("plain", "tools", "parallel_tools", "image", "effort"):
        body = whole["requests"][name]["body"]
        path, sent, _ = through(good, lambda: ask(body))
        # The package always names the tools, also where there are none.
        if sent.get("tools") == []:
            del sent["tools"]
        compare(f"ollama-native {name}", body, sent)
        assert path == "/api/chat", path
    body = whole["requests"]["vectors"]["body"]
    path, sent, _ = through({"model": "m", "embeddings": [[1.0], [2.0]]}, lambda: client.embed(**body))
    compare("ollama-native vectors", body, sent)
    assert path == "/api/embed", path
    for reply in whole["replies"]:
        if (text := expected_text(reply)) is not None:
            _, _, read = through(reply["body"], lambda: client.chat(model="m", messages=[]))
            compare_text(f"ollama-native {reply['name']}", text, read.message.content)


def batches() -> None:
    import anthropic
    import openai
    from anthropic.types.messages import MessageBatchResult, message_batch
    from openai.types import batch

    forms = json.loads((HERE / "batches.json").read_text())

    def known(vendor: str, found: set[str], kinds: tuple[str, ...]) -> None:
        ours = {word for kind in kinds for word in forms[vendor][kind]}
        for word in found:
            note("batch states")
            if word not in ours:
                problems.append(f"{vendor}: the package knows the word {word!r} of batches, we do not")

    client = openai.OpenAI(base_url=f"{ADDRESS}/v1", api_key="x", max_retries=0)
    form = forms["openai"]
    uploaded = {"id": "file-1", "object": "file", "bytes": 1, "created_at": 1, "filename": "t", "purpose": "batch"}
    content = form["file"].encode()
    path, sent, _ = through(uploaded, lambda: client.files.create(file=("t.jsonl", content), purpose="batch"))
    assert path == "/v1/files", path
    compare("openai file of a batch", {"purpose": "batch", "file": form["file"]}, sent)
    made = {"id": "b", "object": "batch", "endpoint": "e", "input_file_id": "f", "completion_window": "24h"}
    made |= {"created_at": 1, "status": "completed", "output_file_id": "out"}
    path, sent, read = through(made, lambda: client.batches.create(**form["batch"]))
    assert path == "/v1/batches" and read.output_file_id == "out", path
    compare("openai batch", form["batch"], sent)
    known("openai", literals(batch.Batch.model_fields["status"].annotation), ("running", "ended", "failed"))

    client = anthropic.Anthropic(base_url=ADDRESS, api_key="x", max_retries=0)
    body = forms["anthropic"]["body"]
    path, sent, _ = through({"id": "b"}, lambda: client.messages.batches.create(**body))
    assert path == "/v1/messages/batches", path
    compare("anthropic batch", body, sent)
    states = literals(message_batch.MessageBatch.model_fields["processing_status"].annotation)
    known("anthropic", states, ("running", "ended", "failed"))
    kinds = typing.get_args(typing.get_args(MessageBatchResult)[0])
    found = set().union(*(literals(kind.model_fields["type"].annotation) for kind in kinds))
    known("anthropic", found, ("results",))


def main() -> None:
    from importlib.metadata import version

    for check in (openai_chat, openai_responses, anthropic_messages, gemini, bedrock, ollama_native, batches):
        check()
    packages = ", ".join(f"{name} {version(name)}" for name in ("openai", "anthropic", "google-genai", "boto3", "ollama"))
    print(f"{packages}: {', '.join(f'{count} {what}' for what, count in counts.items())} compared")
    if problems:
        raise SystemExit("\n".join([f"{len(problems)} differences", *problems]))


if __name__ == "__main__":
    main()
