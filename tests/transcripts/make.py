"""Makes the transcripts of this folder with the packages that write them: make.py FOLDER

All of them tell one story, in the types of each package, and the package's own code turns them into JSON: a user asks about
the weather in Rome and Oslo, the model calls `weather` twice, gets both results and answers. What a package adds of its own
(null members, ids, usage) stays. A package that is not installed is skipped, and said to be.
"""

import importlib.metadata
import json
import pathlib
import re
import sys

OUT = pathlib.Path(sys.argv[1])
QUESTION = "Rain in Rome and Oslo?"
ANSWER = "Rome is dry, Oslo is wet."
CALLS = [("c1", {"city": "Rome"}, "dry"), ("c2", {"city": "Oslo"}, "wet")]
made: list[str] = []
skipped: list[str] = []


def transcript(package: str):
    """Writes what a function gives as the fixture of its name, with package and version."""

    def wrap(function):
        try:
            version = importlib.metadata.version(package)
            row = function()
        except (ImportError, importlib.metadata.PackageNotFoundError) as error:
            skipped.append(f"{function.__name__}: {error}")
            return function
        fixture = {"from": f"{package} {version}", "row": row}
        text = json.dumps(fixture, indent=1, ensure_ascii=False, default=str) + "\n"
        # What differs from one time to the next says nothing about the shape.
        text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "00000000-0000-4000-8000-000000000000", text)
        text = re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?", "2026-01-01T00:00:00", text)
        (OUT / f"{function.__name__}.json").write_text(text)
        made.append(f"{function.__name__}: {package} {version}")
        return function

    return wrap


@transcript("openai")
def openai_chat():
    from openai.types.chat import ChatCompletionMessage

    calls = [
        {"id": id, "type": "function", "function": {"name": "weather", "arguments": json.dumps(args)}}
        for id, args, _ in CALLS
    ]
    asked = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": calls})
    said = ChatCompletionMessage.model_validate({"role": "assistant", "content": ANSWER})
    results = [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in CALLS]
    return {"messages": [{"role": "user", "content": QUESTION}, asked.model_dump(), *results, said.model_dump()]}


@transcript("openai")
def openai_chat_stream():
    from openai.types.chat import ChatCompletionChunk

    def chunk(id, **delta):
        body = {"id": id, "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return ChatCompletionChunk.model_validate(
            body | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        ).model_dump()

    chunks = [chunk("a", role="assistant", content="")]
    for index, (id, args, _) in enumerate(CALLS):
        text = json.dumps(args)
        begin = {"index": index, "id": id, "type": "function", "function": {"name": "weather", "arguments": ""}}
        chunks.append(chunk("a", tool_calls=[begin]))
        for piece in (text[:7], text[7:]):
            chunks.append(chunk("a", tool_calls=[{"index": index, "function": {"arguments": piece}}]))
    results = [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in CALLS]
    said = [chunk("b", role="assistant", content=ANSWER[:9]), chunk("b", content=ANSWER[9:])]
    return {"messages": [{"role": "user", "content": QUESTION}, *chunks, *results, *said]}


def responses_items():
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseReasoningItem

    reasoning = ResponseReasoningItem.model_validate(
        {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Two cities."}]}
    )
    calls = [
        ResponseFunctionToolCall(
            type="function_call", id=f"fc_{id}", call_id=id, name="weather", arguments=json.dumps(args), status="completed"
        )
        for id, args, _ in CALLS
    ]
    results = [{"type": "function_call_output", "call_id": id, "output": text} for id, _, text in CALLS]
    content = [{"type": "output_text", "text": ANSWER, "annotations": []}]
    said = ResponseOutputMessage.model_validate(
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    )
    return reasoning, calls, results, said


@transcript("openai")
def openai_responses():
    reasoning, calls, results, said = responses_items()
    items = [reasoning.model_dump(), *[call.model_dump() for call in calls], *results]
    return {"input": [{"role": "user", "content": QUESTION}, *items], "output": [said.model_dump()]}


@transcript("openai")
def openai_responses_tools():
    """Items of the tools that the provider brings, beside the story."""
    from openai.types.responses import Response

    reasoning, calls, results, said = responses_items()
    search = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "rain"}}
    mcp = {
        "id": "mcp_1", "type": "mcp_call", "name": "stations", "server_label": "met", "arguments": '{"near": "Rome"}',
        "output": "LIRA", "status": "completed",
    }
    interpreter = {
        "id": "ci_1", "type": "code_interpreter_call", "code": "1 + 1", "container_id": "k", "outputs": None,
        "status": "completed",
    }
    files = {"id": "fs_1", "type": "file_search_call", "queries": ["rain"], "status": "completed", "results": None}
    custom = {"id": "ct_1", "type": "custom_tool_call", "call_id": "c9", "name": "note", "input": "look up both"}
    listed = {"id": "ml_1", "type": "mcp_list_tools", "server_label": "met", "tools": []}
    output = [listed, search, mcp, interpreter, files, custom, said.model_dump()]
    response = Response.model_validate({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": output, "tools": [],
        "parallel_tool_calls": True, "tool_choice": "auto",
    })
    items = [call.model_dump() for call in calls] + results
    return {"messages": [{"role": "user", "content": QUESTION}, *items, response.model_dump()]}


@transcript("openai-agents")
def openai_agents():
    from agents import Agent
    from agents.items import MessageOutputItem, ReasoningItem, ToolCallItem, ToolCallOutputItem

    reasoning, calls, results, said = responses_items()
    agent = Agent(name="weather agent")
    items = [ReasoningItem(agent=agent, raw_item=reasoning)]
    items += [ToolCallItem(agent=agent, raw_item=call) for call in calls]
    items += [ToolCallOutputItem(agent=agent, raw_item=result, output=result["output"]) for result in results]
    items += [MessageOutputItem(agent=agent, raw_item=said)]

    def dump(item):
        raw = item.raw_item if isinstance(item.raw_item, dict) else item.raw_item.model_dump()
        held = {"type": item.type, "agent": agent.name, "raw_item": raw}
        return held | ({"output": item.output} if hasattr(item, "output") else {})

    return {"messages": [{"role": "user", "content": QUESTION}, *map(dump, items)]}


@transcript("openai-agents")
def openai_agents_input_list():
    from agents import Agent
    from agents.items import MessageOutputItem, ToolCallItem, ToolCallOutputItem

    _, calls, results, said = responses_items()
    agent = Agent(name="weather agent")
    items = [ToolCallItem(agent=agent, raw_item=call) for call in calls]
    items += [ToolCallOutputItem(agent=agent, raw_item=result, output=result["output"]) for result in results]
    items += [MessageOutputItem(agent=agent, raw_item=said)]
    return {"messages": [{"role": "user", "content": QUESTION}, *[item.to_input_item() for item in items]]}


@transcript("anthropic")
def anthropic_messages():
    from anthropic.types import Message

    def message(content):
        body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return Message.model_validate(body | {"stop_sequence": None, "usage": usage, "content": content}).model_dump()

    thought = {"type": "thinking", "thinking": "Two cities.", "signature": "s"}
    calls = [{"type": "tool_use", "id": id, "name": "weather", "input": args} for id, args, _ in CALLS]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]} for id, _, text in CALLS
    ]
    return {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": QUESTION},
            message([thought, *calls]),
            {"role": "user", "content": results},
            message([{"type": "text", "text": ANSWER}]),
        ],
    }


@transcript("anthropic")
def anthropic_server_tools():
    """Blocks of tools that the provider and MCP servers ran, beside the story."""
    from anthropic.types.beta import BetaMessage

    calls = [{"type": "tool_use", "id": id, "name": "weather", "input": args} for id, args, _ in CALLS]
    results = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, _, text in CALLS]
    found = {
        "type": "web_search_result", "title": "Rain", "url": "https://example.org", "encrypted_content": "e", "page_age": None,
    }
    content = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "rain"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [found]},
        {"type": "mcp_tool_use", "id": "mcp_1", "name": "stations", "server_name": "met", "input": {"near": "Rome"}},
        {
            "type": "mcp_tool_result", "tool_use_id": "mcp_1", "is_error": False,
            "content": [{"type": "text", "text": "LIRA"}],
        },
        {"type": "text", "text": ANSWER},
    ]
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = BetaMessage.model_validate(body | {"stop_sequence": None, "usage": usage, "content": content})
    return {
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
            message.model_dump(),
        ]
    }


def gemini_contents():
    from google.genai import types

    calls = [types.Part(function_call=types.FunctionCall(id=id, name="weather", args=args)) for id, args, _ in CALLS]
    results = [
        types.Part(function_response=types.FunctionResponse(id=id, name="weather", response={"result": text}))
        for id, _, text in CALLS
    ]
    thought = types.Part(text="Two cities.", thought=True)
    return [
        types.Content(role="user", parts=[types.Part(text=QUESTION)]),
        types.Content(role="model", parts=[thought, *calls]),
        types.Content(role="user", parts=results),
        types.Content(role="model", parts=[types.Part(text=ANSWER)]),
    ]


@transcript("google-genai")
def gemini_model_dump():
    return {"contents": [content.model_dump(mode="json") for content in gemini_contents()]}


@transcript("google-genai")
def gemini_rest():
    dump = [content.model_dump(mode="json", by_alias=True, exclude_none=True) for content in gemini_contents()]
    return {"contents": dump}


@transcript("boto3")
def bedrock_converse():
    import boto3
    from botocore.validate import ParamValidator

    calls = [{"toolUse": {"toolUseId": id, "name": "weather", "input": args}} for id, args, _ in CALLS]
    results = [{"toolResult": {"toolUseId": id, "content": [{"text": text}], "status": "success"}} for id, _, text in CALLS]
    messages = [
        {"role": "user", "content": [{"text": QUESTION}]},
        {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "Two cities."}}}, *calls]},
        {"role": "user", "content": [*results, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [{"text": ANSWER}]},
    ]
    # The package has no types: its model of the service says whether these are messages.
    session = boto3.Session(region_name="us-east-1", aws_access_key_id="k", aws_secret_access_key="s")
    shape = session.client("bedrock-runtime").meta.service_model.operation_model("Converse").input_shape
    report = ParamValidator().validate({"modelId": "m", "messages": messages}, shape)
    assert not report.has_errors(), report.generate_report()
    return {"messages": messages}


def langchain_messages():
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    calls = [{"name": "weather", "args": args, "id": id, "type": "tool_call"} for id, args, _ in CALLS]
    return [
        HumanMessage(QUESTION),
        AIMessage("", tool_calls=calls),
        *[ToolMessage(text, tool_call_id=id, name="weather") for id, _, text in CALLS],
        AIMessage(ANSWER),
    ]


@transcript("langchain-core")
def langchain_model_dump():
    return {"messages": [message.model_dump() for message in langchain_messages()]}


@transcript("langchain-core")
def langchain_to_dict():
    from langchain_core.messages import messages_to_dict

    return {"messages": messages_to_dict(langchain_messages())}


@transcript("langchain-core")
def langchain_dumpd():
    from langchain_core.load import dumpd

    return {"messages": [dumpd(message) for message in langchain_messages()]}


@transcript("langchain-core")
def langchain_chunks():
    from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage

    pieces = [
        AIMessageChunk("", tool_call_chunks=[{"name": "weather", "args": json.dumps(args), "id": id, "index": at}])
        for at, (id, args, _) in enumerate(CALLS)
    ]
    joined = pieces[0] + pieces[1]
    results = [ToolMessage(text, tool_call_id=id) for id, _, text in CALLS]
    said = AIMessageChunk(ANSWER[:9]) + AIMessageChunk(ANSWER[9:])
    return {"messages": [message.model_dump() for message in [HumanMessage(QUESTION), joined, *results, said]]}


@transcript("pydantic-ai-slim")
def pydantic_ai():
    from pydantic_ai import messages as m

    history = [
        m.ModelRequest(parts=[m.SystemPromptPart("Be brief."), m.UserPromptPart(QUESTION)]),
        m.ModelResponse(
            parts=[m.ThinkingPart("Two cities."), *[m.ToolCallPart("weather", args, tool_call_id=id) for id, args, _ in CALLS]]
        ),
        m.ModelRequest(parts=[m.ToolReturnPart("weather", text, tool_call_id=id) for id, _, text in CALLS]),
        m.ModelResponse(parts=[m.TextPart(ANSWER)]),
    ]
    return {"messages": json.loads(m.ModelMessagesTypeAdapter.dump_json(history))}


@transcript("cohere")
def cohere_v2():
    from cohere import types as t

    calls = [
        t.ToolCallV2(id=id, type="function", function=t.ToolCallV2Function(name="weather", arguments=json.dumps(args)))
        for id, args, _ in CALLS
    ]
    results = [
        t.ToolChatMessageV2(tool_call_id=id, content=[t.DocumentToolContent(document=t.Document(data={"sky": text}))])
        for id, _, text in CALLS
    ]
    history = [
        t.UserChatMessageV2(content=QUESTION),
        t.AssistantChatMessageV2(tool_plan="I ask about both.", tool_calls=calls),
        *results,
        t.AssistantChatMessageV2(content=[t.TextAssistantMessageV2ContentOneItem(text=ANSWER)]),
    ]
    return {"messages": [json.loads(message.json()) for message in history]}


@transcript("cohere")
def cohere_v1():
    from cohere import types as t

    calls = [t.ToolCall(name="weather", parameters=args) for _, args, _ in CALLS]
    results = [t.ToolResult(call=call, outputs=[{"sky": text}]) for call, (_, _, text) in zip(calls, CALLS)]
    history = [
        t.UserMessage(message=QUESTION),
        t.ChatbotMessage(message="I ask about both.", tool_calls=calls),
        t.ToolMessage(tool_results=results),
        t.ChatbotMessage(message=ANSWER),
    ]
    return {"chat_history": [json.loads(message.json()) for message in history]}


@transcript("autogen-agentchat")
def autogen_agentchat():
    from autogen_agentchat import messages as m
    from autogen_core import FunctionCall
    from autogen_core.models import FunctionExecutionResult

    calls = [FunctionCall(id=id, name="weather", arguments=json.dumps(args)) for id, args, _ in CALLS]
    results = [
        FunctionExecutionResult(call_id=id, name="weather", content=text, is_error=False) for id, _, text in CALLS
    ]
    history = [
        m.TextMessage(source="user", content=QUESTION),
        m.ThoughtEvent(source="agent", content="Two cities."),
        m.ToolCallRequestEvent(source="agent", content=calls),
        m.ToolCallExecutionEvent(source="agent", content=results),
        m.TextMessage(source="agent", content=ANSWER),
    ]
    return {"messages": [message.model_dump(mode="json") for message in history]}


@transcript("autogen-agentchat")
def autogen_core_models():
    from autogen_core import FunctionCall
    from autogen_core import models as m

    calls = [FunctionCall(id=id, name="weather", arguments=json.dumps(args)) for id, args, _ in CALLS]
    results = [m.FunctionExecutionResult(call_id=id, name="weather", content=text, is_error=False) for id, _, text in CALLS]
    history = [
        m.UserMessage(source="user", content=QUESTION),
        m.AssistantMessage(source="agent", content=calls, thought="Two cities."),
        m.FunctionExecutionResultMessage(content=results),
        m.AssistantMessage(source="agent", content=ANSWER),
    ]
    return {"messages": [message.model_dump() for message in history]}


@transcript("deepeval")
def deepeval_turns():
    from deepeval.test_case import ToolCall, Turn

    called = [ToolCall(name="weather", input_parameters=args, output=text) for _, args, text in CALLS]
    turns = [Turn(role="user", content=QUESTION), Turn(role="assistant", content=ANSWER, tools_called=called)]
    return {"turns": [turn.model_dump() for turn in turns]}


for line in made:
    print("made", line)
for line in skipped:
    print("skipped", line)
