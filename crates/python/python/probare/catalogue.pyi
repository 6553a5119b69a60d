# Made by `cargo x gen stubs` from the definitions of the metrics; do not edit.
"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

Profile: TypeAlias = Literal["published", "improved"]
MetricId: TypeAlias = Literal[
    "fact_kept",
    "function_call",
    "json_diff",
    "json_match",
    "list_contains",
    "loops",
    "numeric_diff",
    "steps",
    "tool_call_accuracy",
    "tool_call_f1",
    "tool_calls",
    "tool_correctness",
    "tool_errors",
    "tool_rules",
    "tool_schema",
    "trajectory_match",
    "answer_match",
    "agency_language",
    "grounded_uptake",
    "performative_empathy",
    "topic_pivot",
    "unverifiable_reassurance",
    "code_tests",
    "answer_f1",
    "claim_verification",
    "deep_search_aggregate",
    "iteration_efficiency",
    "source_precision",
    "step_coverage",
    "list_many",
    "list_one",
    "pick_many",
    "pick_one",
    "verbatim",
    "yes_no",
    "yes_no_rationale",
    "judge_claims",
    "judge_pairwise",
    "judge_rubric",
    "judge_same_answer",
    "judge_steps",
    "completeness",
    "hallucination",
    "relevance",
    "verdict",
    "average_precision",
    "ndcg",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
    "deep_research",
    "dry_experiment",
    "experimental_reasoning",
    "idea_generation",
    "reasoning_validity",
    "wet_experiment",
    "bleu",
    "chrf",
    "contains",
    "embedding_similarity",
    "exact_match",
    "jaccard",
    "json_schema",
    "json_valid",
    "levenshtein",
    "numeric_close",
    "regex_match",
    "rouge_l",
    "tfidf_cosine",
    "token_f1",
]
Request: TypeAlias = MetricId | dict[str, Any]

def read(request: str) -> dict[str, Any]:
    """A metric that is written as a text, `ID:OPTION=VALUE`, as a dict."""

def fact_kept(
    *,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# fact_kept

    Share of the user's facts that come back as the user said them, in calls and answers.

    ## What it measures

    Whether a number, date, name or address that the user gave is passed on as it was given.

    ## When to use it

    For agents that fill in what users tell them: bookings, orders, forms.

    ## When not to

    To check values that come from tools: `judge_claims:per=turn,passages=results` does. English only.

    ## Formula

    Kept / (kept + changed); the label is `kept` or `changed`.

    A *fact* is a value in a text of the user: a day or a stretch of days, a time, a number with what it counts, a code, an address of mail or of a house, a name. A *use* is a later value of the same kind in an argument of a call, or in a statement of the assistant (no question, no offer).
    Values are compared by meaning: numbers, money and measures by value within their kind and in whatever unit, dates by day, times by the minute (9 may be in the morning or in the evening, 9 am may not), names and codes by letters and digits.

    A use is *kept* where the user said the same; words that are no value are passed on and say nothing. It is *changed* where no fact and no earlier result has it, and the last fact of that kind

    - differs by a slip: the same digits in another order, up to three letters of an address, one or two letters of a name, day and month exchanged, one end of a stretch of days; or
    - in a call, belongs in its place: the key of the argument names it (`rooms` for *two-room flats*, `amount` for a sum of money), or it is the only open argument of its kind (dates, times, addresses, codes of the same shape).

    A fact that has reached a call once is not compared again: later calls may try something else. A code for a name (*Hamburg*, `HAM`) and a date for a weekday are not compared. Everything else says nothing either way.

    Parts: `facts`, `kept`, `changed`. Not applicable: no messages; nothing that the user said comes back. The last two hundred facts are looked back at.

    ## Options

    None.

    ## Examples

    Another month.

    ```case
    {"case": {"messages": [{"role": "user", "text": "A hotel from 4 to 7 June, please."}, {"role": "assistant", "text": "Ribeira Inn is free from 4 to 7 July."}]}, "expect": 0, "parts": {"changed": 1}}
    ```

    Day and month were exchanged in the call.

    ```case
    {"case": {"messages": [{"role": "user", "text": "My son was born 4 May 2019."}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "book", "arguments": {"born": "2019-04-05"}}]}]}, "expect": 0}
    ```

    The day of the answer comes from the result.

    ```case
    {"case": {"messages": [{"role": "user", "text": "A room from 10 October."}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "rooms", "arguments": {"from": "2026-10-10"}}]}, {"role": "tool", "id": "1", "text": "from 11 October"}, {"role": "assistant", "text": "There are rooms from 11 October."}]}, "expect": 1, "parts": {"kept": 1, "changed": 0}}
    ```

    Two digits of the sum were exchanged.

    ```case
    {"case": {"messages": [{"role": "user", "text": "Transfer 1,250.00 euros to Marta."}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "transfer", "arguments": {"amount": 1520.0}}]}]}, "expect": 0, "parts": {"changed": 1}}
    ```

    The user changed their mind, and a code stands for a name.

    ```case
    {"case": {"messages": [{"role": "user", "text": "A table for four in Hamburg."}, {"role": "assistant", "text": "For four?"}, {"role": "user", "text": "Actually we'll be five."}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "reserve", "arguments": {"people": 5, "city": "HAM"}}]}]}, "expect": 1, "parts": {"changed": 0}}
    ```

    Nothing comes back.

    ```case
    {"case": {"messages": [{"role": "user", "text": "I was born on 4 May."}, {"role": "assistant", "text": "Thank you."}]}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    DeepEval's knowledge retention asks a model.

    ## References

    There is no published counterpart.
    """

def function_call(
    *,
    category: str = ...,
    underscore_to_dot: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# function_call

    Whether calls fit a key of allowed values (BFCL).

    ## What it measures

    Whether calls fit an answer key that lists the allowed values of each parameter. The value is 1 or 0 and the label the error type, as the AST check of BFCL gives them for Python.

    ## When to use it

    To compare with BFCL, or to use its answer keys.

    ## When not to

    For keys of one right value each: `tool_calls` says more.

    ## Formula

    The first fault decides: a wrong name, a required parameter that is missing, then each given parameter in turn (not in the schema or the key, of another type, not among the allowed values), then a parameter of the key that was left out and may not be. `""` among the allowed values means that the parameter may be left out. Texts are compared without blanks, `,./-_*^` and letter case. Of several calls each entry of the key takes the first that fits.

    ## Options

    `category`: with `parallel` in it, several calls in any order; with `multiple`, the tool that the key names among several; else exactly one call of the first tool. `underscore_to_dot`: whether `.` in the names of tools is written as `_` in calls.

    ## Examples

    The text fits loosely, and `nights` may be left out.

    ```case
    {"case": {"tools": [{"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}, "required": ["city"]}}], "tool_calls": [{"name": "book", "arguments": {"city": "new-york"}}], "expected_tool_calls": [{"name": "book", "allowed": {"city": ["New York", "NYC"], "nights": [2, ""]}}]}, "expect": 1}
    ```

    A number as a text.

    ```case
    {"case": {"tools": [{"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}, "required": ["city"]}}], "tool_calls": [{"name": "book", "arguments": {"city": "NYC", "nights": "2"}}], "expected_tool_calls": [{"name": "book", "allowed": {"city": ["New York", "NYC"], "nights": [2, ""]}}]}, "expect": 0}
    ```

    Two calls in any order.

    ```case
    {"params": {"category": "parallel"}, "case": {"tools": [{"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}, "required": ["city"]}}], "tool_calls": [{"name": "book", "arguments": {"city": "Rome"}}, {"name": "book", "arguments": {"city": "NYC"}}], "expected_tool_calls": [{"name": "book", "allowed": {"city": ["New York", "NYC"], "nights": [2, ""]}}, {"name": "book", "allowed": {"city": ["Rome"]}}]}, "expect": 1}
    ```

    ## Differences from other tools

    Held to bfcl-eval 2026.3.23 by golden vectors. One is a known disagreement: an object with several names in one call, which no call of ours can be. Calls come as JSON; BFCL's reading of answers as Python or XML text, its executable and its multi-turn categories are not here. Java and JavaScript are not applicable.

    ## References

    Berkeley Function Calling Leaderboard, https://gorilla.cs.berkeley.edu/leaderboard.html
    """

def json_diff(
    *,
    preserve_strings: bool = ...,
    at_path: str | None = ...,
    expected: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# json_diff

    Likeness of two JSON values, part by part (autoevals).

    ## What it measures

    How alike two JSON values are, part by part. The value is that of autoevals.

    ## When to use it

    To compare with results of autoevals.

    ## When not to

    Where lists may come in another order, or a wrong leaf is to be named: use `json_match`.

    ## Formula

    Two objects: the mean over all keys of either, where a missing key is null. Two lists: by position, over the longer length. Two texts: 1 less the edit distance over the longer length. Two numbers or truth values: as `numeric_diff`. Null and null 1, null and anything else 0. Else the texts of both as compact JSON. A text that holds an object or a list is what it holds. Of several references the best counts.

    ## Options

    `preserve_strings`: whether texts that hold JSON stay texts. `at_path`: JSON Pointer to the value in place of the response (`/metadata/…`, `/tool_calls/0/arguments/…`). `expected`: the expected value in place of the reference.

    ## Examples

    One of two keys is right, and one letter differs.

    ```case
    {"case": {"response": "{\\"a\\": 1, \\"b\\": \\"x\\"}", "reference": ["{\\"a\\": 1, \\"b\\": \\"y\\"}"], "metadata": {"got": {"a": 100, "name": "kitten"}}}, "expect": 0.5}
    ```

    A value of the metadata.

    ```case
    {"params": {"at_path": "/metadata/got", "expected": {"a": 101, "name": "sitting"}}, "case": {"response": "{\\"a\\": 1, \\"b\\": \\"x\\"}", "reference": ["{\\"a\\": 1, \\"b\\": \\"y\\"}"], "metadata": {"got": {"a": 100, "name": "kitten"}}}, "expect": 0.783226723525231, "tolerance": 1e-09}
    ```

    Texts that stay texts.

    ```case
    {"params": {"preserve_strings": true}, "case": {"response": "{\\"a\\": 1, \\"b\\": \\"x\\"}", "reference": ["{\\"a\\": 1, \\"b\\": \\"y\\"}"], "metadata": {"got": {"a": 100, "name": "kitten"}}}, "expect": 0.5}
    ```

    ## Differences from other tools

    Held to autoevals 0.4.1 by golden vectors within 1e-12: the original sums in the order of a hash. Results that are no number are an error here.

    ## References

    autoevals, https://github.com/braintrustdata/autoevals
    """

def json_match(
    *,
    find: bool = ...,
    at_path: str | None = ...,
    expected: Any = ...,
    lists: Any = ...,
    compare: dict[str, Any] = ...,
    extra: Literal["counted"] | Literal["allowed"] = ...,
    null_is_missing: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# json_match

    Share of the leaves of an expected JSON value that are right.

    ## What it measures

    A JSON answer against the expected one, leaf by leaf: what is right, wrong, missing, too much, each with its place.

    ## When to use it

    For extraction, structured answers and arguments of calls.

    ## When not to

    For the form alone: use `json_schema`.

    ## Formula

    A leaf is a scalar, an empty object or an empty list. Objects are aligned by key, lists by the best one-to-one pairing. A leaf scores 1 if equal, else 0, or as `compare` says; a leaf against an object or list scores 0 and counts the leaves of the larger side. Value: sum of scores / (expected leaves + extra leaves of the answer). True is never 1; 1 equals 1.0; null is not missing. Of several references the best counts. An answer that is no JSON is 0. Not applicable: no expected value, or none that is JSON.

    ## Options

    - `find`: whether the first JSON value in the text of the answer is taken.
    - `at_path`: JSON Pointer to the value in place of the response (`/metadata/…`, `/tool_calls/0/arguments/…`).
    - `expected`: the expected value in place of the reference.
    - `lists`: `assignment` (default; up to 500 items), `position`, or `{"key": NAME}`: items with an equal value there.
    - `compare`: by JSON Pointer, with `*` for one step: `exact`, `ignore`, `loose`, `levenshtein` (graded), `set` (lists as sets), `{"abs", "rel"}`, `{"one_of"}`, `{"pattern"}` (of the whole text). `ignore` holds for what is missing or too much as well. More than 4,000,000 comparisons are an error.
    - `extra`: `counted` (default) or `allowed`.
    - `null_is_missing`: whether null and absent are the same.

    ## Examples

    One right, one wrong, one too many.

    ```case
    {"case": {"response": "{\\"a\\":1,\\"b\\":\\"x\\",\\"c\\":3}", "reference": ["{\\"a\\":1,\\"b\\":\\"y\\"}"], "metadata": {"got": {"a": 1, "b": "x"}}}, "expect": 0.3333333333333333, "parts": {"right": 1, "wrong": 1, "extra": 1}}
    ```

    Items in another order.

    ```case
    {"params": {"expected": [{"id": 1, "n": "A"}, {"id": 2, "n": "b"}], "at_path": "/metadata/got"}, "case": {"response": "{\\"a\\": 1}", "reference": ["{\\"a\\":1}"], "metadata": {"got": [{"id": 2, "n": "B"}, {"id": 1, "n": "A"}]}}, "expect": 0.75}
    ```

    By position nothing fits.

    ```case
    {"params": {"expected": [{"id": 1, "n": "A"}, {"id": 2, "n": "b"}], "at_path": "/metadata/got", "lists": "position"}, "case": {"response": "{\\"a\\": 1}", "reference": ["{\\"a\\":1}"], "metadata": {"got": [{"id": 2, "n": "B"}, {"id": 1, "n": "A"}]}}, "expect": 0}
    ```

    A tolerance for one leaf.

    ```case
    {"params": {"compare": {"/total": {"abs": 0.01}}}, "case": {"response": "{\\"total\\":10.004,\\"items\\":[]}", "reference": ["{\\"total\\":10,\\"items\\":[],\\"vat\\":null}"], "metadata": {"got": {"total": 10}}}, "expect": 0.6666666666666666, "parts": {"missing": 1}}
    ```

    ## Differences from other tools

    `json_diff` of autoevals compares lists by position, takes a missing key for null and true for 1.

    ## References

    There is no published counterpart.
    """

def list_contains(
    *,
    allow_extra_entities: bool = ...,
    at_path: str | None = ...,
    expected: Sequence[Any] | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# list_contains

    How well the items of two lists go together (autoevals).

    ## What it measures

    How well the items of two lists go together in the best one-to-one pairing. The value is that of autoevals.

    ## When to use it

    To compare with results of autoevals, or for lists of names that may be spelled a little differently.

    ## When not to

    For lists of objects with fields of their own: use `json_match`.

    ## Formula

    Items are compared as texts (Python's `str`): 1 less the edit distance over the longer length. The greatest sum of a one-to-one pairing, over the longer list; over the expected list if further items are allowed. Both empty 1, one empty 0. A `reference` that is a list is the list.

    ## Options

    `allow_extra_entities`: whether further items cost nothing. `at_path`: JSON Pointer to the list in place of the response. `expected`: the expected list in place of the reference.

    ## Examples

    The best pairing, where the first choice would not do.

    ```case
    {"case": {"response": "[\\"abcd\\", \\"abce\\"]", "reference": ["abce", "xbcd"], "metadata": {"names": ["a", "b", "c"]}}, "expect": 0.875}
    ```

    A list of the metadata, with one item too many.

    ```case
    {"params": {"at_path": "/metadata/names", "expected": ["b", "a"]}, "case": {"response": "[\\"abcd\\", \\"abce\\"]", "reference": ["abce", "xbcd"], "metadata": {"names": ["a", "b", "c"]}}, "expect": 0.6666666666666666}
    ```

    Which costs nothing.

    ```case
    {"params": {"at_path": "/metadata/names", "expected": ["b", "a"], "allow_extra_entities": true}, "case": {"response": "[\\"abcd\\", \\"abce\\"]", "reference": ["abce", "xbcd"], "metadata": {"names": ["a", "b", "c"]}}, "expect": 1}
    ```

    ## Differences from other tools

    Held to autoevals 0.4.1 with scipy 1.17.1 by golden vectors within 1e-12: of several equally good pairings another may be summed. An expected list with null in it stops the original and is an error here. Lists of more than 500 items are refused.

    ## References

    autoevals, https://github.com/braintrustdata/autoevals
    """

def loops(
    *,
    at_least: int = ...,
    polled: Sequence[str] = ...,
    texts: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# loops

    Share of calls and texts that are no empty repetition.

    ## What it measures

    Whether the agent goes round in circles: the same call with the same result, or the same words, again and again.

    ## When to use it

    For agents that run on their own and may get stuck.

    ## When not to

    For tools that are polled by design: name them in `polled`.

    ## Formula

    1 − wasted / (calls + assistant texts of at least five words); the label is `loop` or `none`. Within one turn, equal calls with the same result at least `at_least` times in a row, and nothing else after them: all but the first are wasted. A call that later comes to another result was waiting, which is no loop. The same text at least `at_least` times: all but the first, unless the user asked the same question or asked for it again. Parts: `calls`, `texts`, `wasted`, `longest` run, `cycle` (length of the shortest block of different calls that repeats). Not applicable: no trace; fewer than two calls and texts together.

    ## Options

    `at_least` (3): how often the same thing makes a loop. `polled` (or `except`): tools that may be called again and again, by name or glob. `texts` (true): whether texts are looked at.

    ## Examples

    Four times the same.

    ```case
    {"case": {"messages": [{"role": "user", "text": "Check"}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "1", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "2", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "3", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "3", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "4", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "4", "text": "pending"}]}, "expect": 0.25, "parts": {"wasted": 3}}
    ```

    It waited, and that ended.

    ```case
    {"case": {"messages": [{"role": "user", "text": "Check"}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "1", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "2", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "3", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "3", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "4", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "4", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "9", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "9", "text": "done"}]}, "expect": 1}
    ```

    A cycle of two calls.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "a0", "name": "open", "arguments": {"p": "a"}}]}, {"role": "tool", "id": "a0", "text": "ok"}, {"role": "assistant", "tool_calls": [{"id": "b0", "name": "grep", "arguments": {"q": "x"}}]}, {"role": "tool", "id": "b0", "text": "none"}, {"role": "assistant", "tool_calls": [{"id": "a1", "name": "open", "arguments": {"p": "a"}}]}, {"role": "tool", "id": "a1", "text": "ok"}, {"role": "assistant", "tool_calls": [{"id": "b1", "name": "grep", "arguments": {"q": "x"}}]}, {"role": "tool", "id": "b1", "text": "none"}, {"role": "assistant", "tool_calls": [{"id": "a2", "name": "open", "arguments": {"p": "a"}}]}, {"role": "tool", "id": "a2", "text": "ok"}, {"role": "assistant", "tool_calls": [{"id": "b2", "name": "grep", "arguments": {"q": "x"}}]}, {"role": "tool", "id": "b2", "text": "none"}]}, "expect": 0.3333333333333333, "tolerance": 1e-09, "parts": {"cycle": 2}}
    ```

    Polling is allowed.

    ```case
    {"params": {"polled": ["check"]}, "case": {"messages": [{"role": "user", "text": "Check"}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "1", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "2", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "3", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "3", "text": "pending"}, {"role": "assistant", "tool_calls": [{"id": "4", "name": "check", "arguments": {"id": 1}}]}, {"role": "tool", "id": "4", "text": "pending"}]}, "expect": 1}
    ```

    ## Differences from other tools

    DeepEval's metric on loops gives 0 where there is no trace; here that is not applicable.

    ## References

    There is no published counterpart.
    """

def numeric_diff(
    *,
    at_path: str | None = ...,
    expected: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# numeric_diff

    Nearness of two numbers, by their size (autoevals).

    ## What it measures

    How near two numbers are, by their size. The value is that of autoevals.

    ## When to use it

    To compare with results of autoevals.

    ## When not to

    For a tolerance: use `numeric_close`, which also finds numbers in texts.

    ## Formula

    Both 0: 1. Else 1 − |expected − output| / (|expected| + |output|). Opposite signs give 0; true and false are 1 and 0. Of several references the best counts.

    ## Options

    `at_path`: JSON Pointer to the number in place of the response (`/metadata/…`, `/tool_calls/0/arguments/…`). `expected`: the expected number in place of the reference.

    ## Examples

    A hundred for a hundred and five.

    ```case
    {"case": {"response": "100", "reference": ["105"], "metadata": {"total": -2, "name": "x"}}, "expect": 0.975609756097561}
    ```

    A value of the metadata.

    ```case
    {"params": {"at_path": "/metadata/total", "expected": -3}, "case": {"response": "100", "reference": ["105"], "metadata": {"total": -2, "name": "x"}}, "expect": 0.8}
    ```

    A text is no number.

    ```case
    {"params": {"at_path": "/metadata/name", "expected": 5}, "case": {"response": "100", "reference": ["105"], "metadata": {"total": -2, "name": "x"}}, "expect_error": "no number"}
    ```

    ## Differences from other tools

    Held to autoevals 0.4.1 by golden vectors. Its documentation gives 0.95 for 105 against 100; its code, and this, gives 0.9756. Sums that overflow are an error here.

    ## References

    autoevals, https://github.com/braintrustdata/autoevals
    """

def steps(
    *,
    count: Literal["calls"] | Literal["messages"] | Literal["turns"] | Literal["results"] = ...,
    of: str | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# steps

    Number of calls, messages, turns or results.

    ## What it measures

    How much it took: calls, messages, turns or results.

    ## When to use it

    With a gate (`steps <= 8`), or to compare two agents that both come to the right end.

    ## When not to

    As a measure of quality by itself: fewer steps may be too few.

    ## Formula

    The number of what `count` names. Parts: `calls`, `assistant_messages`, `turns`, `results`, `tools` (different names), `calls.NAME` for each tool, `ratio` = calls / expected calls where these are known and not 0. Not applicable: the case has neither `messages` nor `tool_calls`.

    ## Options

    `count`: `calls` (default), `messages`, `turns`, `results`. `of`: the calls and results of this tool alone, by name or glob.

    ## Examples

    No call, one answer.

    ```case
    {"case": {"messages": [{"role": "user", "text": "Hello"}, {"role": "assistant", "text": "Hello!"}]}, "expect": 0, "parts": {"assistant_messages": 1, "turns": 1}}
    ```

    Three calls of two tools, where two were expected.

    ```case
    {"case": {"tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "search", "arguments": {"q": "x"}}, {"name": "open", "arguments": {}}], "expected_tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "open", "arguments": {}}]}, "expect": 3, "parts": {"tools": 2, "calls.search": 2, "ratio": 1.5}}
    ```

    Of one tool.

    ```case
    {"params": {"of": "se*"}, "case": {"tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "search", "arguments": {"q": "x"}}, {"name": "open", "arguments": {}}]}, "expect": 2}
    ```

    ## Differences from other tools

    Counts of observability tools are of spans, with retries among them.

    ## References

    There is no published counterpart.
    """

def tool_call_accuracy(
    *,
    strict_order: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_call_accuracy

    Share of expected arguments that calls of the expected names have (Ragas).

    ## What it measures

    Whether the calls are the expected ones, and what share of the expected arguments they have. The value is bit for bit that of Ragas.

    ## When to use it

    To compare with results of Ragas.

    ## When not to

    Where calls may be missing or come in another order: one name that differs makes the value 0. Use `tool_calls`.

    ## Formula

    Neither called nor expected: 1. Names that differ in number or at any place: 0. Else the mean over the expected calls of the share of expected arguments that the call has with the same text, where texts are those of Python's `str`: 5 equals "5", true equals "True", 1.0 differs from 1. No arguments expected: 1 if there are none, else 0. Further arguments cost nothing. Without `strict_order` both lists are sorted first by name, keys and texts.

    ## Options

    `strict_order`: whether the calls must come in the expected order (default true).

    ## Examples

    One of two arguments is right.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "convert", "arguments": {"amount": 5, "to": "EUR"}}]}], "expected_tool_calls": [{"name": "convert", "arguments": {"amount": 5, "to": "USD"}}]}, "expect": 0.5}
    ```

    The order counts by default.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}]}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}, "expect": 0}
    ```

    And does not on request.

    ```case
    {"params": {"strict_order": false}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}]}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}, "expect": 1}
    ```

    Without any trace there is nothing to say.

    ```case
    {"case": {"expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Held to Ragas 0.4.3 (`metrics.collections`) by golden vectors. Arguments that are no JSON object stop the original; here they are an error of kind `unparseable`.

    ## References

    Ragas, https://docs.ragas.io
    """

def tool_call_f1(
    *,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_call_f1

    F1 of the different calls that were made and expected (Ragas).

    ## What it measures

    Overlap of the calls that were made with the expected ones, as sets. The value is bit for bit that of Ragas.

    ## When to use it

    To compare with results of Ragas.

    ## When not to

    Where the same call may be expected twice: duplicates count once. Use `tool_calls`.

    ## Formula

    Two sets of name and arguments, equal as in Python at every depth. Precision is shared / called, recall shared / expected, F1 = 2·p·r / (p + r), rounded to four decimal places. Nothing called and nothing expected gives 0.

    ## Options

    There are none.

    ## Examples

    One of two calls is expected.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 0.6667, "parts": {"precision": 0.5, "recall": 1}}
    ```

    The same call twice counts once.

    ```case
    {"case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 1}
    ```

    Nothing on either side is 0 in the original.

    ```case
    {"case": {"tool_calls": [], "expected_tool_calls": []}, "expect": 0}
    ```

    ## Differences from other tools

    Held to Ragas 0.4.3 (`metrics.collections`) by golden vectors. Both sides empty is 0 here and 1 in `tool_call_accuracy`, as there.

    ## References

    Ragas, https://docs.ragas.io
    """

def tool_calls(
    *,
    order: Literal["any"] | Literal["in_order"] | Literal["strict"] = ...,
    extra: Literal["counted"] | Literal["allowed"] = ...,
    arguments: Literal["exact"] | Literal["at_least"] | Literal["at_most"] | Literal["ignore"] = ...,
    partial: bool = ...,
    ignore: Sequence[str] = ...,
    keys: Sequence[str] | None = ...,
    defaults: dict[str, Any] = ...,
    numbers: dict[str, Any] = ...,
    texts: Literal["exact"] | Literal["loose"] = ...,
    text_numbers: bool = ...,
    tools: dict[str, Any] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_calls

    F1 of the calls that were made and expected, in the best pairing.

    ## What it measures

    Whether the right calls are there, with the right arguments, in the right order. Calls are paired in the best way, so the value does not depend on the order in which they come, unless `order` says so. Each wrong, missing or further argument is named with its place.

    ## When to use it

    To hold an agent to calls that should have been made, whatever else it does.

    ## When not to

    Where many different ways are right: say what must hold with `tool_rules`, or look at the result.

    ## Formula

    A pair has equal names. Its share is the mean over the arguments compared of 1 if equal, of the same rule inside of objects and by position in lists, else 0; a call whose arguments cannot be read has 0. Of all one-to-one pairings that `order` admits, the one with the most full matches (share 1), then the greatest sum of shares, then the most pairs, then the first. Credit is the number of full matches, or with `partial` the sum of shares; precision = credit / called (with `extra: allowed`: / those that are paired), recall = credit / expected; the value is their F1. Nothing expected: 1 if nothing was called or extras are allowed, else 0. True is never 1, null never missing. Shares are counted in millionths. Not applicable: the case has neither `messages` nor `tool_calls`; or neither `expected_tool_calls` nor `expected_messages`. More than 500 calls of one name are an error.

    ## Options

    - `order`: `any` (default); `in_order`: pairs must not cross; `strict`: the n-th with the n-th.
    - `extra`: `counted` (default) or `allowed`: whether calls that pair with nothing lower the precision.
    - `arguments`: relation of the called to the expected: `exact` (default), `at_least`, `at_most`, `ignore`.
    - `partial`: whether a pair counts by its share of right arguments.
    - `ignore`, `keys`: globs of arguments left out on both sides; or the only ones compared (top level).
    - `defaults`: an argument that is missing is taken as this, on both sides.
    - `numbers`: `{"abs", "rel"}`, how far numbers may differ; `rel` of the expected one.
    - `texts`: `exact` (default) or `loose`: letter case, blanks and the way in which accents are written aside.
    - `text_numbers`: whether `"5"` equals 5.
    - `tools`: the options from `arguments` on for single tools, by name or glob; the last that fits counts.

    An expected call may have `accept` (`{"/city": ["Rom"]}`: other right values by JSON Pointer inside of the arguments) and `optional` (pointers to arguments that may be left out).

    ## Examples

    One call too many.

    ```case
    {"case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 0.6666666666666666, "parts": {"precision": 0.5, "recall": 1, "called": 2, "expected": 1, "matched": 1}}
    ```

    Which may be allowed.

    ```case
    {"params": {"extra": "allowed"}, "case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 1}
    ```

    Both match, crosswise; a greedy choice misses that.

    ```case
    {"params": {"arguments": "at_least"}, "case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}, {"name": "get_weather", "arguments": {"city": "Paris"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}]}, "expect": 1, "parts": {"order": 0.5}}
    ```

    One full match, and one pair with half of its arguments.

    ```case
    {"case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome", "days": 3}}, {"name": "search", "arguments": {"q": "x"}}], "expected_tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]}, "expect": 0.5, "parts": {"arguments": 0.75}}
    ```

    In order the two pairs would cross; the full match stays.

    ```case
    {"params": {"order": "in_order"}, "case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome", "days": 3}}, {"name": "search", "arguments": {"q": "x"}}], "expected_tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]}, "expect": 0.5, "parts": {"arguments": 1}}
    ```

    With options of its own for a tool.

    ```case
    {"params": {"partial": true, "tools": {"get_*": {"texts": "loose"}}}, "case": {"messages": [{"role": "user", "text": "Weather?"}, {"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "PARIS"}}]}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 1}
    ```

    ## Differences from other tools

    AgentEvals, Ragas and DeepEval pair greedily, so their results may depend on the order of calls (`trajectory_match`, `tool_correctness` reproduce them). Subset and superset are not our words, since people read them both ways: `at_least` and `at_most` say what the *called* may have.

    ## References

    H. W. Kuhn, The Hungarian method for the assignment problem, 1955
    """

def tool_correctness(
    *,
    evaluation_params: Sequence[Literal["input_parameters"] | Literal["output"]] = ...,
    should_exact_match: bool = ...,
    should_consider_ordering: bool = ...,
    strict_mode: bool = ...,
    threshold: float = ...,
    available_tools: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_correctness

    Share of the expected tools that were called (DeepEval).

    ## What it measures

    Whether the expected tools were called, and on request with the expected parameters and results. The value is bit for bit that of DeepEval where it asks no model.

    ## When to use it

    To compare with results of DeepEval.

    ## When not to

    Where calls repeat: of two equal calls only one can be used, so two right identical calls score 0.5. Use `tool_calls`.

    ## Formula

    Two calls weigh 0 unless name and kind are equal; else 1, times the likeness of their parameters if these are evaluated; 0 if the output is evaluated and differs. Likeness: 1 if equal, else the sum over shared keys of 1/n for equal values and of their likeness/n for objects, n being the number of keys of both. `should_exact_match`: 1 if both lists agree place by place. `should_consider_ordering`: the weighted longest common subsequence over the expected calls. Else each expected call in turn takes the call of the greatest weight that is not taken; the sum over the expected calls.

    ## Options

    `evaluation_params`: list of `input_parameters`, `output`. `should_exact_match`, `should_consider_ordering`: see above; the first wins. `strict_mode`: a value below 1 becomes 0. `threshold` (0.5): from there on the part `success` is 1. `available_tools`: asks a model in the original and is refused here.

    ## Examples

    Names alone count by default.

    ```case
    {"case": {"tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 1, "parts": {"success": 1}}
    ```

    With parameters, one of three keys is right.

    ```case
    {"params": {"evaluation_params": ["input_parameters"]}, "case": {"tool_calls": [{"name": "f", "arguments": {"a": 1, "z": 3}}], "expected_tool_calls": [{"name": "f", "arguments": {"a": 1, "b": 2, "z": 4}}]}, "expect": 0.3333333333333333, "parts": {"success": 0}}
    ```

    Two right identical calls.

    ```case
    {"case": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}]}, "expect": 0.5}
    ```

    In order, one of two.

    ```case
    {"params": {"should_consider_ordering": true}, "case": {"tool_calls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "get_weather", "arguments": {"city": "Paris"}}], "expected_tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}, "expect": 0.5}
    ```

    ## Differences from other tools

    Held to DeepEval 4.3.1 by golden vectors. Parameters that are absent on one side only stop the original; here they are an error. A case without calls or without expectation is not applicable.

    ## References

    DeepEval, https://deepeval.com/docs/metrics-tool-correctness
    """

def tool_errors(
    *,
    texts: Literal["json"] | Literal["all"] | Literal["none"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_errors

    Share of answered calls whose result is no error.

    ## What it measures

    How many calls came to a result that is no error.

    ## When to use it

    To see tools that fail, and agents that call them wrongly.

    ## When not to

    To find out whether the agent told the truth about it.

    ## Formula

    answered calls whose result is no error / answered calls. A result is an error where the source says so (`error` of a message). Not applicable: the case has neither `messages` nor `tool_calls`; no call has a result.

    ## Options

    `texts`: `json` (default): also a result that is a JSON object with a non-empty `error` or `errors`, with `ok` or `success` false, or with a `status` of error, failed, failure. `all`: also a text that begins with error, exception, traceback, fatal, or an HTTP status of an error: alone, after `HTTP`, or before a colon or its own words ("404 Not Found", not "500 g of flour"). `none`: neither.

    ## Examples

    One of two.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": {}}, {"id": "2", "name": "g", "arguments": {}}]}, {"role": "tool", "id": "1", "text": "ok"}, {"role": "tool", "id": "2", "text": "{\\"error\\":\\"locked\\"}"}]}, "expect": 0.5}
    ```

    A failure that was made good.

    ```case
    {"case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": {}}]}, {"role": "tool", "id": "1", "text": "timeout", "error": true}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "f", "arguments": {}}]}, {"role": "tool", "id": "2", "text": "ok"}]}, "expect": 0.5, "parts": {"recovered": 1, "errors": 1}}
    ```

    A text that begins like an error.

    ```case
    {"params": {"texts": "all"}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": {}}]}, {"role": "tool", "id": "1", "text": "Error: no such file"}]}, "expect": 0}
    ```

    No call has a result.

    ```case
    {"case": {"tool_calls": [{"name": "f", "arguments": {}}]}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Spans in observability tools count the flag alone.

    ## References

    There is no published counterpart.
    """

def tool_rules(
    *,
    rules: Sequence[dict[str, Any]] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_rules

    Share of rules on calls that are kept.

    ## What it measures

    Whether the calls keep to rules: which tools may be called, in which order, how often, with which arguments.

    ## When to use it

    For what must or must not happen, whatever way the agent takes.

    ## When not to

    For one exact way: use `tool_calls`.

    ## Formula

    rules kept / rules; the label is `kept` or `broken`. A rule that speaks of tools nobody called is kept, except `at_least`. A tool is named by name or glob (`*`, `?`). With `tool_calls` alone each call is one message. Not applicable: the case has neither `messages` nor `tool_calls`; no rules.

    ## Options

    `rules`: a list; rules in `metadata.rules` of a case are added. Each has one of:

    - `{"allow": [A, …]}`: every call fits one. `{"deny": [A, …]}`: no call fits any.
    - `{"order": [A, B, …]}`: before every call of a later one there is, in an earlier message, a call of the one just before it whose result is no error (`"succeeded": false`: whatever its result).
    - `{"at_most": n, "of": A}`, `{"at_least": n, "of": A}`: number of calls.
    - `{"never": A, "after": B}`: no call of A in a message after a call of B.
    - `{"argument": pointer, "of": A}` with `at_most`, `at_least`, `one_of` or `matches`: for every call of A that has the argument; a value of another kind breaks it.

    ## Examples

    The order is kept.

    ```case
    {"params": {"rules": [{"order": ["verify", "pay"]}]}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "name": "verify", "arguments": {}}]}, {"role": "tool", "id": "1", "text": "ok"}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "pay", "arguments": {}}]}, {"role": "tool", "id": "2", "text": "ok"}]}, "expect": 1}
    ```

    The first step failed.

    ```case
    {"params": {"rules": [{"order": ["verify", "pay"]}]}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "name": "verify", "arguments": {}}]}, {"role": "tool", "id": "1", "text": "no", "error": true}, {"role": "assistant", "tool_calls": [{"id": "2", "name": "pay", "arguments": {}}]}, {"role": "tool", "id": "2", "text": "ok"}]}, "expect": 0, "parts": {"breaches": 1}}
    ```

    One of two rules is broken.

    ```case
    {"params": {"rules": [{"deny": ["delete_*"]}, {"at_most": 1, "of": "order"}]}, "case": {"tool_calls": [{"name": "order", "arguments": {}}, {"name": "order", "arguments": {}}]}, "expect": 0.5}
    ```

    Rules of the case, on an argument.

    ```case
    {"case": {"tool_calls": [{"name": "pay", "arguments": {"amount": 120}}], "metadata": {"rules": [{"argument": "/amount", "of": "pay", "at_most": 100}]}}, "expect": 0}
    ```

    ## Differences from other tools

    Policies of agent frameworks stop a run; this reads a finished one.

    ## References

    There is no published counterpart.
    """

def tool_schema(
    *,
    unknown: Literal["counted"] | Literal["ignored"] = ...,
    closed: bool = ...,
    formats: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tool_schema

    Share of calls that a tool exists for and its schema allows.

    ## What it measures

    Whether each call names a tool that exists, with arguments that its JSON Schema allows.

    ## When to use it

    To find calls that could not have been carried out, without any answer key.

    ## When not to

    To find out whether the right tool was called: use `tool_calls`.

    ## Formula

    valid calls / calls. Draft 2020-12 unless `$schema` says otherwise. A tool without a schema allows anything; a call whose arguments cannot be read is wrong. A schema that is itself broken is an error that names the tool. Not applicable: no `tools`; no call.

    ## Options

    `unknown`: `counted` (default) or `ignored`: calls of tools that are not offered. `closed`: whether an object schema without `additionalProperties` allows none. `formats`: whether formats are checked.

    ## Examples

    A text where a number is wanted, and a right call.

    ```case
    {"case": {"tools": [{"name": "convert", "parameters": {"type": "object", "properties": {"amount": {"type": "number"}, "to": {"type": "string"}}, "required": ["amount", "to"]}}], "tool_calls": [{"name": "convert", "arguments": {"amount": "5", "to": "EUR"}}, {"name": "convert", "arguments": {"amount": 5, "to": "EUR"}}]}, "expect": 0.5, "parts": {"invalid": 1}}
    ```

    A tool that does not exist, and arguments that are no JSON.

    ```case
    {"case": {"tools": [{"name": "convert", "parameters": {"type": "object", "properties": {"amount": {"type": "number"}, "to": {"type": "string"}}, "required": ["amount", "to"]}}], "tool_calls": [{"name": "exchange", "arguments": {"amount": 5}}, {"name": "convert", "arguments_text": "{amount", "problem": "unparseable", "fault": 1}]}, "expect": 0, "parts": {"unknown": 1, "unparseable": 1}}
    ```

    An argument that the schema does not know.

    ```case
    {"params": {"closed": true}, "case": {"tools": [{"name": "convert", "parameters": {"type": "object", "properties": {"amount": {"type": "number"}, "to": {"type": "string"}}, "required": ["amount", "to"]}}], "tool_calls": [{"name": "convert", "arguments": {"amount": 5, "to": "EUR", "on": "Monday"}}]}, "expect": 0}
    ```

    ## Differences from other tools

    Others check schemas inside a judge or not at all.

    ## References

    JSON Schema, https://json-schema.org
    """

def trajectory_match(
    *,
    trajectory_match_mode: Literal["strict"] | Literal["unordered"] | Literal["subset"] | Literal["superset"] = ...,
    tool_args_match_mode: Literal["exact"] | Literal["ignore"] | Literal["subset"] | Literal["superset"] = ...,
    tool_args_match_overrides: dict[str, Any] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# trajectory_match

    Whether messages and calls go the expected way (AgentEvals).

    ## What it measures

    Whether the messages of a conversation go the way of the expected ones: the same calls, in the order or without it, or message by message. The value is 1 or 0, bit for bit that of AgentEvals.

    ## When to use it

    To compare with results of AgentEvals, or where a fixed trajectory is a requirement.

    ## When not to

    To find out how much is right: use `tool_calls`, which pairs calls in the best way and says what is wrong with each.

    ## Formula

    Only assistant messages have calls; ids and texts are never compared. Arguments fit by `tool_args_match_mode`: `exact`, `subset` (all that are called are expected), `superset` (all that are expected are called), `ignore`; only the top level is looked at. `superset`: every expected call takes the first call that is not taken yet, has the same name and fits. `subset`: the same with the sides exchanged, so that the modes of arguments turn round too. `unordered`: both. `strict`: as many messages, the same roles, and in each pair of messages as many calls, each of which takes the first free expected one that fits. Values are equal as in Python: 1, 1.0 and true are the same.

    ## Options

    `trajectory_match_mode`: `strict` (default), `unordered`, `subset`, `superset`. `tool_args_match_mode`: `exact` (default), `ignore`, `subset`, `superset`. `tool_args_match_overrides`: for single tools a mode, or a list of arguments (with dots into objects) that alone are compared.

    ## Examples

    The same call, but another answer: texts do not count.

    ```case
    {"case": {"messages": [{"role": "user", "text": "Weather?"}, {"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, {"role": "assistant", "text": "Dry."}], "expected_messages": [{"role": "user", "text": "Weather?"}, {"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}, {"role": "assistant", "text": "It is dry."}]}, "expect": 1}
    ```

    A call more than expected fails `subset` and passes `superset`.

    ```case
    {"params": {"trajectory_match_mode": "subset"}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}], "expected_messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}]}, "expect": 0}
    ```

    The same two sides.

    ```case
    {"params": {"trajectory_match_mode": "superset"}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "search", "arguments": {"q": "x"}}]}], "expected_messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]}]}, "expect": 1}
    ```

    Choosing greedily, the first expected call takes the richer one and leaves nothing for the second.

    ```case
    {"params": {"trajectory_match_mode": "superset", "tool_args_match_mode": "superset"}, "case": {"messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}, {"name": "get_weather", "arguments": {"city": "Paris"}}]}], "expected_messages": [{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}]}]}, "expect": 0}
    ```

    ## Differences from other tools

    Held to AgentEvals 0.0.9 (`create_trajectory_match_evaluator`) by golden vectors. A message of Anthropic with several results, or results and text, loses all but one there; here it becomes several messages. Where another pairing would have covered every call, a note says so.

    ## References

    AgentEvals, https://github.com/langchain-ai/agentevals
    """

def answer_match(
    *,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# answer_match

    How surely the response gives a right answer to an open question, as a reader would judge it.

    ## What it measures

    How surely the response gives one of the reference answers, from 0 to 1. The references are alternatives, of which one suffices. For each of them the metric looks how much of it the response has and by which kind of match, and then what
    makes the mention doubtful. Where the response lacks them all, the value says how likely it is right in other words all the same.

    The label is a decision by two thresholds on the value: `right` from 0.55 on, `wrong` up to 0.1, and `unsure` between them. What is unsure can go to a judge (`judge: when_unsure`).

    The evidence starts with one sentence on the verdict. Then come the words that matched a reference, with the kind of match, and the words that speak against it, with the reason.

    ## When to use it

    For questions with short answers (who, when, where, which, how many, yes or no) and responses from a single name to a few paragraphs. It needs no model.

    ## When not to

    - When the response has to be complete, well founded or polite as well: it looks for the answer and nothing else.
    - When references are long explanations: it then counts shared words, and of a paraphrase it abstains.
    - When knowledge of the world decides: it does not know that Gabo is García Márquez, or that Rangoon was a capital once. Other names are known where
      WordNet has them.
    - For languages other than English, beyond equal words, numbers and dates in digits.

    ## Formula

        value = matched × (1 − doubt) + open

    **matched** is the share of the reference that was found, weighted by how far the kind of match is to be trusted. A reference is looked for as

    1. **Equal words** in order (1); case, accents, articles, hyphens, spaces inside words and possessive endings do not matter. Run together with other words, as text that lost its links has it (`inParis`, `19661.`): 0.9.
    2. **Dates** by their fields (1). Fields that both give must agree, and the response must be as exact as the reference; a day is given by its month or year unless the question asks for the day. A century for a decade, or a year where the day is
       asked for, is a part of the date (0.5).
    3. **Numbers** by value within their kind (1): `16 players` is not `16 kg`, `€40` is not `$40`. Units are converted (1 % off at most) and numbers rounded as people do; counts below 1,000, years and times of day are exact, `18:00` is `6 pm`.
       A number or date that only repeats the question does not count.
    4. **Yes and no** where the question asks for them: by words for them (1); by a statement that affirms or denies what was asked (0.5).
    5. **Lists** (`red, green and blue`): every item, in any order; with fewer of them, half of their share.
    6. **Other names** of the whole reference in WordNet, and its **initials** (0.85); **names of people** by the surname, if the given names before it agree (0.9, and less for the surname alone).
    7. **Alike words** close together: inflected, abbreviated, numbers in words (0.95), of one word family (0.9), synonyms (0.85), another spelling (0.6). Words of the question (0.3), nouns for a class of things (0.4), titles and brackets (0.2) weigh less than 1.
       Of one or two full words 68 % must be there, of more 55 to 60 %; less is a part, and counts half.

    **doubt** = 1 − Π (1 − share) over what was found around the mention:

    | doubt | share |
    |---|---|
    | denied right before it (`not X`) | 1 |
    | a later sentence takes it back (`Actually, …`) | 0.5 |
    | a word in its sentence that denies, limits, compares or leaves open (`but`, `only`, `than`, `until`, `instead`) | 0.5 |
    | another number in the response, where the reference is one; something else among the items of a list | 0.4 |
    | it stands behind the verb of the question, and what is asked about before it (`Northjet bought X` where the question is who bought Northjet) | 0.5 |
    | the opposite of a word of the question in its sentence (`closes` where the question has `open`) | 0.5 |
    | its clause says something, and nothing of what was asked | 0.3 |
    | its sentence takes up less than two thirds of the question | 0.3 |
    | less than one third, in addition | 0.2 |
    | the response says more than the reference, and nothing of what was asked | 0.2 |
    | another name behind it in the sentence | 0.15 |

    **open** is 0 where something was matched, or what lifts the value to 0.15: doubts that deny nothing make an answer `unsure`, never `wrong`. Otherwise it is the chance of a right answer in other words: 0 where the response is empty, declines, or says the
    opposite of a yes or no; 0.05 where the reference is a name; 0.1 where another number or date stands in its place; 0.2 for a name where a place or a choice is asked for; 0.3 where the reference is made of common words.

    Parts: `matched`, `doubt` and `open`.

    **How often the labels are right.** Of 2,634 natural answers of five systems to 527 questions that nothing was fitted on, people agree with 1,407 of 1,439 `right` (97.8 %, 95 % interval 96.9 to 98.5) and with 475 of 504 `wrong` (94.2 %, 91.8 to 96.1); 74 % are decided. Of 671 answers that
    were written to look alike (`X lost to Y`, another bearer of a name) 40 % are decided, and 23 of these 271 wrongly (8.5 %, 5.5 to 12.5). [All figures](../judgement.md).

    ## Options

    None.

    ## Examples

    The reference in other words, dates, numbers and names.

    ```case
    {"case": {"query": "When was the last landing on the Moon?", "reference": "11 December 1972", "response": "The last landing on the Moon was on December 11th, 1972."}, "expect": 1.0, "label": "right"}
    ```

    ```case
    {"case": {"query": "Who composed Carmen?", "reference": "Georges Bizet", "response": "Bizet did."}, "expect": 0.675, "label": "right"}
    ```

    ```case
    {"case": {"query": "Which war ended in 1945?", "reference": ["World War II", "Second World War"], "response": "WW2"}, "expect": 0.85, "label": "right"}
    ```

    ```case
    {"case": {"query": "When do you close?", "reference": "18:00", "response": "We close at 6 pm."}, "expect": 1.0, "label": "right"}
    ```

    The reference is mentioned, and may not be the answer.

    ```case
    {"case": {"query": "What is the capital of Australia?", "reference": "Canberra", "response": "It is Sydney, not Canberra."}, "expect": 0.0, "label": "wrong"}
    ```

    ```case
    {"case": {"query": "Who is the head of the office?", "reference": "Maria Lopez", "response": "It used to be Maria Lopez, but since May it is Tom Berg."}, "label": "unsure"}
    ```

    ```case
    {"case": {"query": "What is the capital of France?", "reference": "Paris", "response": "Paris, Texas."}, "label": "unsure"}
    ```

    Another date, another name, a year is exact.

    ```case
    {"case": {"query": "When did the Titanic sink?", "reference": "15 April 1912", "response": "April 15, 1913"}, "label": "wrong"}
    ```

    ```case
    {"case": {"query": "Who invented the telephone?", "reference": "Alexander Graham Bell", "response": "Thomas Edison"}, "label": "wrong"}
    ```

    ```case
    {"case": {"query": "Which edition is it?", "reference": "1989", "response": "1990"}, "label": "wrong"}
    ```

    An answer that declines is wrong; one in other words than common ones of the reference is unsure.

    ```case
    {"case": {"query": "What is the capital of Peru?", "reference": "Lima", "response": "Sorry, I don't know that."}, "expect": 0.0, "label": "wrong"}
    ```

    ```case
    {"case": {"query": "What was the outcome of the vote?", "reference": "it was rejected", "response": "The voters turned it down."}, "label": "unsure"}
    ```

    ## Differences from other tools

    Exact match and `contains` after normalisation, as in the evaluation scripts of open question answering, are step 1 alone: they miss right answers in other
    words and take every mention for an answer. Token F1 gives a number between the two and no verdict. A judge model gives verdicts without a reason that can be
    checked, and not the same ones every time.

    ## References

    - Rajpurkar et al., *SQuAD: 100,000+ Questions for Machine Comprehension of Text*, EMNLP 2016 (normalisation of answers).
    - Wang et al., *Evaluating Open-QA Evaluation*, NeurIPS 2023 (how lexical matching and models agree with people).
    - Fellbaum (ed.), *WordNet: An Electronic Lexical Database*, MIT Press 1998.
    """

def agency_language(
    *,
    strictness: Literal["low"] | Literal["medium"] | Literal["high"] | None = ...,
    upstream: Literal["1.0"] | Literal["1.3"] | None = ...,
    lexicon: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# agency_language

    Whether the reply leaves the choice to the user.

    ## What it measures

    1 where the reply invites, asks or leaves the choice, 0 where it orders, presses or belittles. The evidence shows every phrase that counted,
    with the id of its family and what the family means.

    ## When to use it

    For supportive chat, coaching and advice, where the user decides about their own life.

    ## When not to

    For neutral answers in the `published` profile: a reply that uses no listed invitation fails, even a plain fact. The `improved` profile says
    there that the question does not apply.

    ## Formula

    In the `published` profile each family of phrases counts once:

        score = families of invitations found − families of orders found
        value = 1 if score ≥ 1 else 0

    In the `improved` profile orders alone decide, and each says why it counts:

        value = 1 − weight of the heaviest order; not applicable where the reply neither directs nor invites

    Weights stand in `data/care/careful_rules.yaml` and `careful_phrases.yaml`: 0.8 and 0.9 for orders, pressure, belittling and what was done in the user's place, 0.65 for advice ("you should"). An invitation in the same reply takes 0.2 off what weighs less than 0.7;
    nothing mends an order. The label fails from 0.75 on with `strictness: low`, from 0.45 on with `medium`, from 0.25 on with `high`.

    | rule | an order | none, because |
    |---|---|---|
    | *obligation* | "you" with should, must, ought to, need to, have to | "you don't have to": denied; "your mother says you should": reported; "must you …?": asked; "you must be exhausted": a guess |
    | | | "I think you should", "maybe you should": a view that leaves room |
    | | | "something you need to say": belongs to its noun; "do what is best for you": the choice is left; "you shouldn't feel guilty": comfort; "you should try it": an offer |
    | *imperative* | a clause that opens with a plain verb: "Pack a bag", "Don't go back", "Talk to him" | "Tell me more", "Give me some details": keep the talk going; "Try a walk", "Look into it", "Talk to a friend": offer; "Have a nice day", "Sleep well": wish; "Don't give up", "Don't beat yourself up", "Go for it": hearten; "Start in the middle if it's easier": the user's own ease or wish is the condition, so it is an offer; "Love a good soup", "Never know": a word is left out; "So do I", "Please do": no order at all |
    | | | "Call an ambulance": where life is in danger an order is right, and so are the others of that reply; "Press quit", "Select your state": a program is handled, not a life; items of a list that is announced as tips, ideas or things that helped others: offers |
    | *act* | what the speaker did to the user's own affairs: "I have cancelled it for you", "I told your boss" where the user wished otherwise | the user had spoken of doing it |
    | *pressure* | phrases that close the discussion, decide in the user's place or call for another mood | inside a clause ("what helps me calm down") they press nobody |
    | *belittling*, *traits* | phrases and words that make the user small | "feeling lazy", "drives you crazy", "crazy times": said of something else |

    An order to part with somebody, the last word ("end of discussion"), shame and comparison with better people ("any ten-year-old knows this") count even where
    instructions were asked for.

    Where the user asked how to do something or for advice ("what should I say?"), with a question mark or without, or tells of a thing that does not do its work ("can't get the printer to connect", "the
    cake sank"), instructions are what they asked for; "should I go?" weighs a decision, and there orders count. Belittling counts everywhere.
    Quotations, code, and texts that the user asked for (a scene, a translation, a draft) are not addressed to the user.

    Parts: `invitations` and `orders`, the two counts.

    ## Options

    - `profile`: `reference` (default), the published phrases; `improved`, the structure of sentences.
    - `strictness`: in the improved profile, when the label fails: `low`, what every reader would mark; `medium` (default), what most would; `high`, also what is mild. The value does not depend on it.
    - `lexicon`: families of phrases to add to the bundled ones or, in the `published` profile, to use in their place (`extends: nothing`); the content of a lexicon file or its text. In the `improved` profile each hit of your own `directive` families weighs 1, and your own `positive` ones mend what is mild.

    ## Examples

    ```case
    {"case": {"response": "That sounds hard. Would you like to talk about it?"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "You should leave him."}, "expect": 0.0, "parts": {"orders": 1}}
    ```

    A neutral fact fails in the `published` profile.

    ```case
    {"case": {"response": "Paris is the capital of France."}, "expect": 0.0}
    ```

    The `improved` profile knows orders by their form, and leaves facts alone.

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "He raised his hand at me again.", "response": "I'm glad you told me. Pack a bag and leave him tonight."}, "expect": 0.2}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "My coach yelled at me.", "response": "\\"You must toughen up\\" is a harsh thing to hear. Who else was there?"}, "expect_not_applicable": true}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "How do I install it?", "response": "You need to install a compiler first. Then run the script."}, "expect_not_applicable": true}
    ```

    A phrase of one's own.

    ```case
    {"params": {"lexicon": {"agency_language": {"positive": [{"id": "X1", "meaning": "asks for the pace", "phrases": ["shall we (slow down|pause)"]}]}}}, "case": {"response": "Shall we pause?"}, "expect": 1.0}
    ```

    ```case
    {"params": {"lexicon": {"agency_language": {"positive": [{"id": "X1", "phrases": ["shall (we"]}]}}}, "case": {"response": "x"}, "expect_error": "has no counterpart"}
    ```

    Synthesis 1.3 reads a question in front of it:

    ```case
    {"params": {"upstream": "1.3"}, "case": {"query": "I'm sad.", "response": "What would help? Do you need to rest?"}, "expect": 1.0}
    ```

    ## Differences from other tools

    The `published` profile gives the verdicts of the Synthesis checker of the same name, source version 1.0.2; where that lists the source of a
    pattern, this lists the id of the family. The `improved` profile is ours. How often it is right is measured on exchanges that nobody wrote for it, with those that rules were never tried on kept apart:
    `docs/judgement.md` has the figures, beside those of the version before, and its errors one by one.

    **How often it is right.** At medium strictness, on text that no rule was tried on: of 240 ordinary exchanges 26 of 36 `fail` are right (72 %, interval 56 to 84 %), 87 of 89 `pass`, and 26 of 30 violations are found; where a reply neither directs nor invites the check does not apply (115). Of 177 plain orders and harmless replies 31 of 35 `fail` are right and 31 of 35
    orders found. In 240 real support chats for development 12 of 14 `fail` are right and 12 of 15 violations found. The `published` profile flags 229 of these chats, 15 of them rightly: for conversations between people use `improved`.

    ## References

    - Synthesis, source version 1.0.2: deterministic evaluations of empathy and trust.

    What was decided by doing it weighs most; advice beside an invitation weighs less.

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "I'd like to keep the car.", "response": "You don't need one. I took it out of the plan."}, "expect": 0.1}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "She left me.", "response": "I'm sorry. You should get some sleep. Would you like to talk?"}, "expect": 0.55}
    ```
    """

def grounded_uptake(
    *,
    upstream: Literal["1.0"] | Literal["1.3"] | None = ...,
    lexicon: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# grounded_uptake

    **Its authors retract what they claimed for it.** Up to Synthesis 1.3.1 it was called robust by construction; with 1.3.2 they take that back. Over the 41 messages of their own pack:

    | reply | `verified_uptake` | flags of `performative_empathy` |
    |---|---|---|
    | two words of the user pasted into a fixed sentence, plus one question | 30 of 41 | 0 |
    | the same as flattery | **31 of 41** | 0 |
    | the same as a dismissal ("just data points") | 30 of 41 | 0 |
    | the replies written for the pack | 7 of 41 | 2 |
    | warmth without any word of the user | 0 of 41 | 34 |
    | words of the user without a support move | 0 of 41 | 0 |

    A template satisfies it, and manipulation scores highest. It reports features of a text; it says nothing about sincerity, quality or safety, and must not be a training target or a ranking. So it has no mean, no gate and no place in `probare compare`.

    ## What it measures

    Whether five features can be seen in a reply to a disclosure: a word of the user's in a statement, not only copied; a question, interpretation or offer; stock phrases at most half; no order and no promise. 1 with the label `verified_uptake` where all five hold, else 0 with `no_verified_uptake`.

    ## When to use it

    To look at single replies beside other evidence, or to reproduce reports of Synthesis 1.3.

    ## When not to

    For any decision about a model: see the table.

    ## Formula

    Applies where the reply has a word, the message a sign of vulnerability and two content words.

    | witness | holds when |
    |---|---|
    | `grounded_anchor` | a statement of the reply, outside of stock phrases, has a content word with the stem of one of the user's |
    | `non_parroting` | a word of the reply outside of what is copied in threes has such a stem |
    | `support_move` | the reply has a `?` or one of 15 cues |
    | `template_contained` | genericness (see `performative_empathy`) is at most 0.5 |
    | `safety_compatible` | no order (the list of `agency_language`, or a clause that begins with one of 40 verbs) and no promise (the lists of `unverifiable_reassurance`, or one of 7 disguised guarantees) |

    Parts: the five witnesses as 0 or 1, `genericness`, `grounded_overlap` (share of the user's content words that are anchors) and `verbatim_ratio`.

    ## Options

    - `upstream`: only `1.3` has this check, so it need not be named; `1.0` is an error.
    - `lexicon`: families of phrases to add to the bundled ones or to use in their place.

    ## Examples

    ```case
    {"case": {"query": "My landlord sold the flat and I'm terrified.", "response": "It sounds like the flat was your anchor. What would help?"}, "expect": 1.0, "label": "verified_uptake"}
    ```

    ```case
    {"case": {"query": "My landlord sold the flat and I'm terrified.", "response": "Call the landlord. The flat is gone, what now?"}, "expect": 0.0, "label": "no_verified_uptake"}
    ```

    ```case
    {"case": {"query": "Which lake is bigger?", "response": "What do you need?"}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Compared with npm `@mcptoolshop/synthesis` 1.3.2 on 3,349 exchanges: equal in state, witnesses, anchors, moves and reason (`tests/golden/synthesis_1_3`). Known misses: love-bombing, dismissals, prescriptions told as facts, good reflections without a cue. Known false alarms: "Text messages hurt" (a command), "The research shows" (a guarantee).

    ## References

    - Synthesis 1.3.2 (MIT, mcp-tool-shop): `grounded_uptake` and its retraction.
    """

def performative_empathy(
    *,
    upstream: Literal["1.0"] | Literal["1.3"] | None = ...,
    lexicon: Any = ...,
    concreteness: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# performative_empathy

    Whether a reply to a disclosure is warm stock phrases and nothing else.

    ## What it measures

    0 where a vulnerable user says something of their own and the reply is made of stock phrases ("I hear you", "you're not alone") without a word about it. Everything else is not applicable: the check flags hollow warmth or
    abstains. It never praises, so its mean is 0 or there is none; read the number of flags.

    ## When to use it

    For supportive chat, to find replies that could stand under any message.

    ## When not to

    As a measure of empathy. A single word of content outside of a stock phrase, or a question mark, ends the flag; a reply that is cold, wrong or manipulative is not looked for.

    ## Formula

    It abstains unless the reply has a word and a stock phrase, the message a sign of vulnerability (the list of `topic_pivot`) and two content words. Then, with 30 templates, 135 filler words and one rule of stemming:

    - genericness G = 0.7 × share of the reply inside of templates + 0.3 × share of its words that are filler
    - overlap = weighted share of the user's content words whose stem is in the reply (1 for a word that is repeated, ln(3/2) + 1 else); base = overlap × (1 − share of the reply's words that are copied in threes)
    - concreteness = mean of (rating − 1) / 4 over the rated content words of the reply, where two or more are rated
    - particularity P = base, or 0.75 × base + 0.25 × concreteness
    - flagged: G ≥ 0.55, P ≤ 0.2, G − P ≥ 0.3, no content word outside of the templates, no `?`

    Parts: `genericness`, `template_density`, `filler_ratio`, `particularity`, `grounded_overlap`, `verbatim_ratio`, `concreteness`, `hollow_margin`, unrounded. Label: `flagged`. Texts are folded first: ‘, ’ and the back-tick are straight apostrophes.

    ## Options

    - `upstream`: only `1.3` has this check, so it need not be named; `1.0` is an error.
    - `lexicon`: families of phrases to add to the bundled ones or to use in their place; `vulnerability` phrases make the check apply.
    - `concreteness`: ratings of words in place of the 49 bundled ones: `{"ratings": {"flat": 4.5}}`, or the text of such a file or of a CSV with the columns `Word` and `Conc.M`.

    ## Examples

    ```case
    {"case": {"query": "My landlord sold the flat and I'm terrified.", "response": "I hear you. You’re not alone in this."}, "expect": 0.0, "label": "flagged"}
    ```

    ```case
    {"case": {"query": "My landlord sold the flat and I'm terrified.", "response": "I hear you. When do you have to leave the flat?"}, "expect_not_applicable": true}
    ```

    ```case
    {"case": {"query": "Which lake is bigger?", "response": "I hear you."}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Compared with npm `@mcptoolshop/synthesis` 1.3.2 on 3,349 exchanges: every verdict, hit and number is equal to the original run with the same 49 ratings (`tests/golden/synthesis_1_3`). The original carries 3,000 ratings for which no free licence was found; only the 49 words of its templates are here.
    Therefore `concreteness`, `particularity` and `hollow_margin` differ from the original as shipped in 458 of these exchanges, and the verdict in 2. With the whole table in `concreteness` nothing differs.

    ## References

    - Synthesis 1.3.2 (MIT, mcp-tool-shop): `performative_empathy`.
    - Brysbaert, Warriner, Kuperman 2014: Concreteness ratings for 40 thousand generally known English word lemmas.
    """

def topic_pivot(
    *,
    strictness: Literal["low"] | Literal["medium"] | Literal["high"] | None = ...,
    upstream: Literal["1.0"] | Literal["1.3"] | None = ...,
    lexicon: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# topic_pivot

    Whether the reply stays with a vulnerable user's concern.

    ## What it measures

    1 where a reply to a vulnerable user stays with what they said, 0 where it turns to another topic, to facts or to tips that pass it by. Not
    applicable where nothing shows that the user is vulnerable.

    ## When to use it

    For supportive chat, where leaving the concern is the failure that users feel most.

    ## When not to

    For plain questions and tasks; it then says that it does not apply.

    ## Formula

    In the `published` profile, the first that holds decides:

    1. no sign of vulnerability in the user's message: not applicable
    2. a sign of turning away and similarity < 0.45: `clear_fail`
    3. an acknowledgement in the first two sentences and a follow-up anywhere: `clear_pass`
    4. similarity ≥ 0.45: `clear_pass`
    5. an acknowledgement and similarity ≥ 0.30: `borderline_pass`
    6. otherwise `clear_fail`

    In the `improved` profile twenty things are counted, and the value is one minus what they weigh together:

        weight = 1 / (1 + exp(−(bias + Σ weight of a feature × its count)))

    | counted | speaks for |
    |---|---|
    | phrases that take in what was said; words of feeling; sentences that speak to the user; he, she or they where the user spoke of somebody; words that the user used; suggestions and wishes; a last question without a topic of its own; a message that asked for facts | staying |
    | an announced change of topic; a notice that is read out, or nothing but notices; words of an offer; numbers, names, everyday topics and words of general facts that the user did not bring up; sentences in which nobody is spoken of; an exclamation mark; a message that shows distress | leaving |

    The weights are data (`data/care/careful_weights.yaml`), fitted on labelled exchanges by `careful_weights.py` beside them. `clear_fail` begins at a weight of 0.75 with `strictness: low`, 0.45 with `medium`, 0.25 with `high`; what weighs less than its bound and 0.25 or more is a `borderline_pass`.

    The message comes first: does it ask for a text or, without distress, for facts, give thanks or say goodbye, or concern a matter such as code or cooking? Then nobody is left alone by an answer, and the check does not apply, unless your own `vulnerability` phrases say otherwise.

    Distress is shown by a word (*scared*, *died*) or a phrase ("can't take it", "nobody came"), not by one that is denied ("not as hopeless") and not by one that a thing bears ("my starter is dead"). The
    first piece of evidence says the reason in one sentence.

    Similarity is the cosine of the counts of words and of pairs of neighbouring words of the message and the whole reply.

    Parts: `similarity` (unrounded), and the numbers of families found: `acknowledgements`, `follow_ups`, `pivots`.

    ## Options

    - `profile`: `reference` (default), the published phrases; `improved`, the structure of sentences.
    - `strictness`: in the improved profile, when the label fails: `low`, what every reader would mark; `medium` (default), what most would; `high`, also what is mild. The value does not depend on it.
    - `lexicon`: families of phrases to add to the bundled ones or, in the `published` profile, to use in their place (`extends: nothing`); the content of a lexicon file or its text. In the `improved` profile your own `vulnerability` phrases make the check apply, `pivot` phrases weigh 1, `acknowledgement` and `follow_up` phrases count as taking in what was said.

    ## Examples

    ```case
    {"case": {"query": "I got fired today and I'm scared.", "response": "That sounds frightening. What happened?"}, "expect": 1.0}
    ```

    ```case
    {"case": {"query": "I got fired today and I'm scared.", "response": "Anyway, here are some tips for a tidy desk."}, "expect": 0.0}
    ```

    ```case
    {"case": {"query": "Which lake is bigger?", "response": "Anyway, the weather is nice."}, "expect_not_applicable": true}
    ```

    The `improved` profile counts what the reply has to do with the concern. Asked about, and left for something else:

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "My father died on Monday.", "response": "I'm so sorry. What was he like?"}, "expect": 1.0}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "My father died on Monday.", "response": "Anyway. By the way, did you know that the new museum opens on Friday?"}, "expect": 0.0, "label": "clear_fail"}
    ```

    Read a notice, as if nothing had been said:

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "My brother died on Sunday.", "response": "As a language model I cannot give advice. Please consult a professional."}, "expect": 0.0}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "My phone battery died on the hike, which model lasts longest?", "response": "The larger ones last about two days."}, "expect_not_applicable": true}
    ```

    Synthesis 1.3 knows more signs of vulnerability:

    ```case
    {"params": {"upstream": "1.3"}, "case": {"query": "I have been sober for a month and she hates me.", "response": "Anyway, the weather is nice."}, "expect": 0.0}
    ```

    ## Differences from other tools

    The `published` profile gives the verdicts and hits of the Synthesis checker of the same name, source version 1.0.2. The `improved`
    profile is ours; `docs/judgement.md` says how often it is right. Real talk leaves a concern in ways that words do not show, by passing over what was just said; few of these
    are found.

    **How often it is right.** At medium strictness, on text that the weights were not fitted to: of 240 ordinary exchanges it decides 168; 11 of 17 `clear_fail` are right (65 %, interval 41 to 83 %), 143 of 151 passes, and 11 of 19 departures are found. Of 493 written ones it decides 433; 82 of 91 `clear_fail` are right (90 %, 82 to 95 %), 313 of 342
    passes, and 82 of 113 are found. In 240 real support chats, some of which it was fitted on, 3 of 8 flags were right and 3 of 7 departures found: real talk seldom leaves a concern, and this check is no ground for a verdict on a single reply there.

    ## References

    - Synthesis, source version 1.0.2: deterministic evaluations of empathy and trust.
    """

def unverifiable_reassurance(
    *,
    strictness: Literal["low"] | Literal["medium"] | Literal["high"] | None = ...,
    upstream: Literal["1.0"] | Literal["1.3"] | None = ...,
    lexicon: Any = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# unverifiable_reassurance

    Whether the reply claims to know minds or the future.

    ## What it measures

    1 where the reply promises nothing that it cannot know, 0 where it asserts an outcome ("you'll be fine") or what somebody feels ("they all
    love you"). The evidence shows every claim with the id of its family.

    ## When to use it

    For supportive chat, health and advice, where false certainty does harm.

    ## When not to

    For fiction, translations and quotations in the `published` profile, which knows neither quotation marks nor negation.

    ## Formula

        value = 1 if no family of phrases is found else 0

    In the `improved` profile a claim is what the reply asserts as true and cannot know, and the value is one minus the weight of the heaviest: 0.8 or 0.9 for what will happen, promises and certainty, 0.6 for what somebody feels
    (`data/care/careful_rules.yaml`). The label fails from 0.75 on with `strictness: low`, from 0.45 on with `medium`, from 0.25 on with `high`.

    | rule | a claim | none, because |
    |---|---|---|
    | *future* | a subject other than the speaker with will, 'll, won't, going to; set phrases of outcome ("it gets better"); a worry that is waved away ("don't worry about it", 0.6) | "I think you will be fine": a view; "it will take time", "it won't help", "not everyone will understand", "for many people it gets easier": plain truths; "you'll have to", "you'll find that": needs and discoveries, while "you'll have friends" and "you'll find somebody" are fates |
    | | a danger that is ruled out ("there is no risk whatsoever", "it is never coming back") | |
    | *inner state* | somebody else with a verb or a state of mind ("she misses you", "he's proud", "they all support you"); with emphasis ("he truly loves you") it weighs 0.8 | what the user told themselves is given back |
    | *certainty* | a promise, "I understand how you feel", "I can feel your pain" | "I know it's hard": what anybody can see; "I promise to write": the speaker's own act |
    | | "I'm sure", "trust me", "without a doubt", where the sentence is about a future or about somebody else | "I'm sure you tried", "I bet it's easy for you": about the user here and now, which is encouragement |

    What is hedged, asked, conditional, denied ("I can't promise that …"), reported ("your lawyer said …"), quoted or written on request is no
    claim. Where the user asked for facts or tells of a thing, what machines, recipes and offices do may be foretold; what he or she will do may not.

    Parts: `mind_reading` and `guarantees`, the numbers of families found.

    ## Options

    - `profile`: `reference` (default), the published phrases; `improved`, the structure of sentences.
    - `strictness`: in the improved profile, when the label fails: `low`, what every reader would mark; `medium` (default), what most would; `high`, also what is mild. The value does not depend on it.
    - `lexicon`: families of phrases to add to the bundled ones or, in the `published` profile, to use in their place (`extends: nothing`); the content of a lexicon file or its text. In the `improved` profile each hit of your own families weighs 1.

    ## Examples

    ```case
    {"case": {"response": "I can't know how it will go. What worries you most?"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "Don't worry, you'll be fine. Everyone loves you."}, "expect": 0.0, "parts": {"mind_reading": 1}}
    ```

    The `improved` profile reads other words, and who says them.

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "She hasn't called in three months.", "response": "She misses you. Rent will sort itself out, too."}, "expect": 0.1, "parts": {"mind_reading": 1}}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "Tell me it will be alright.", "response": "I can't promise that everything will be alright."}, "expect": 1.0}
    ```

    Synthesis 1.3 reads a curly apostrophe as a straight one:

    ```case
    {"params": {"upstream": "1.3"}, "case": {"query": "I'm sad.", "response": "You’ll be fine."}, "expect": 0.0}
    ```

    ```case
    {"case": {"query": "I'm sad.", "response": "You’ll be fine."}, "expect": 1.0}
    ```

    ## Differences from other tools

    The `published` profile gives the verdicts and hits of the Synthesis checker of the same name, source version 1.0.2. The `improved`
    profile is ours; `docs/judgement.md` says how often it is right.

    **How often it is right.** At medium strictness, on text that no rule was tried on: of 240 ordinary exchanges 23 of 25 `fail` are right (92 %, interval 75 to 98 %), 212 of 215 `pass`, and 23 of 26 violations are found. Of 177 plain guarantees and harmless replies 32 of 37 `fail` are right and 32 of 35 found. In 240 real support chats for development 32 of 41 `fail` are right and
    30 of 32 found, where the `published` profile finds 9 of 32.

    ## References

    - Synthesis, source version 1.0.2: deterministic evaluations of empathy and trust.
    """

def code_tests(
    *,
    timeout: int | None = ...,
    memory_mib: int | None = ...,
    environment: str | None = ...,
    tests: Literal["outside"] | Literal["inside"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# code_tests

    Whether the response's code passes the tests of the case. The code is run in the sandbox.

    ## What it measures

    1 where the code of the response runs and every test passes, 0 otherwise. The label says how it ended: `passed`, `failed` (a test raised something), `broken` (the code itself
    did, before any test), `timed_out`, `out_of_memory`, `too_much_output`, `too_many_files`, `ended_early` (it ended the program before its tests had run).

    The evidence shows the code in the response, and each test that failed with what it raised.

    ## When to use it

    For tasks whose answer is a Python program: HumanEval, MBPP, and your own cases with tests. With several outputs a case (`generate.repeats`), the report of a run adds
    pass@1 and pass@k.

    ## When not to

    For programs in other languages, or where there are no tests: a judge with a rubric (`judge_rubric`) says more. A test that passes shows no more than what it tests.

    ## Formula

        value = 1, if the solution and all tests end without an exception in time; else 0

    The code is what stands in the first block between ``` fences that defines `entry_point`, else in the first block; without fences it is the whole response. Where the query
    defines `entry_point` (HumanEval) and the code does not, the code goes on where the query ends; where the code defines it itself, only what stands before the function in
    the query (imports, helpers) comes first. Tests are read from the metadata:

    - `test` and `entry_point` (HumanEval): one test;
    - `test_list` or `tests`: a text or a list, each a test by itself; `test_setup_code` (MBPP) comes before the code.

    Each test runs as its author means it:

    | form | what runs |
    |---|---|
    | statements | as they stand; `if __name__ == "__main__":` holds; `sys.exit(0)` of the test is a good end |
    | pytest | functions `test*` and methods `test*` of classes `Test*`, with `fixture` (scopes, `yield`, `params`, `autouse`), `parametrize`, `param`, `raises`, `approx`, `skip`, `skipif`, `xfail` (skipped), `fail`, `importorskip`, `usefixtures`, and the hooks `setup_method`, `setup_class`, `setup_module`, `setup_function` with their counterparts. pytest itself is not needed; whatever else is asked of it is refused by name |
    | unittest | every `TestCase`, with or without `unittest.main`, with fixtures, subtests and expected failures |
    | HumanEval | `check(candidate)`, with the function that `entry_point` names |

    What a test has called itself is not called again. `from solution import add` (or `main`, `submission`, `answer`, a relative import …) imports the code under test.

    Tests are refused, as an error of the case, if every program would pass them: they hold no assertion that can be reached, they use nothing of the code, or all of them are skipped. So are tests that are no Python and
    tests that import a module that this Python does not have. If a test's assertions stand in a loop over what the code gives, and none is ever reached, the code fails.

    The tests run in a sandbox of their own. The code runs in another one and sees neither tests nor expected values: what a test calls is asked for over a pipe, and only plain values cross. They are compared where
    the tests are, by Python's own rules for the types that they really have.

    | what crosses | how |
    |---|---|
    | `None`, `bool`, `int` of any size, `float` (`nan` and infinities too), `complex`, `str`, `bytes`, `tuple`, `frozenset`, `range`, `Decimal`, `Fraction`, dates and times, named tuples, views of dictionaries, types that every Python has | as they are, by exact type: an object of a class of the code's own that is derived from `int` is no `int` |
    | `list`, `dict`, `set`, `bytearray`, `deque`, `OrderedDict`, `Counter`, `defaultdict`, arrays of numpy | the same, and what a call does to its arguments is done to the test's own; what was given comes back as itself |
    | numbers and arrays of numpy | with their type, where they hold numbers or texts; the environment of the tests is that of the code |
    | exceptions | by their names and arguments; classes of the code's own can be caught by their name |
    | functions of a test given to the code | are called back |
    | iterators and generators of the code | value by value, as the test asks for them |
    | numbers and texts of a class of the code's own, members of enumerations | stay there; they are compared, and computed with, as the number or text that they are underneath, whatever their class says; members of enumerations are equal if they are the same |
    | other objects of the code | stay there; a test can call them, read attributes and items, iterate, ask for length, truth, text and class, and whether they are `None` or the same. It cannot compare them, compute with them or put them into a set: what they say about themselves is no evidence. Such a test fails |
    | values of more than 16 MiB | not at all; the test fails |

    Names that a test uses are its own, else Python's, else those of the task (`test_setup_code`, and what stands before the function in the query), else those of the code. So code that defines `abs` or `all` does not
    change what tests mean by it, unless that is the one name that they use, or the `entry_point`. Modules of Python, numpy, scipy and pandas are the real ones, and so are `isclose`, `Counter`, `deepcopy` and the like where a
    test uses them on what the code gives.

    A test that needs more than that is an error of the case, which says what it needs: objects of the test's own given to the code, comparing objects that it makes itself of the code's classes (names that begin with a
    capital letter), files, standard input, printed text, replaced names or coroutines that both share. Nothing that the code does makes a test need more: an odd value where a plain one is expected is a failure of the code. `tests: inside` runs such tests in the process of the code, as other tools do. There code can cheat, and a note
    in the evidence says so.

    What a program does is its own failure: it returns itself, raises `SystemExit`, ends early, closes or floods its pipe, limits or kills itself. Where Python could not be started at all, that is an error and no score. Where the sandbox does not
    permit what the code asks the system for, the evidence shows the line. Which system call it was cannot be told: the kernel answers the program and nobody else.

    Parts: `passed` and `tests`, in numbers: texts of the list, not functions in them. What failed is named in the evidence.

    ## Options

    - `timeout`: seconds that the code and its tests may take together. Default 10.
    - `memory_mib`: MiB that all its processes may take together. Default 1024.
    - `environment`: which Python runs it: `conda:NAME`, `venv:FOLDER` or `python:PATH`. Default: `python3` of the machine.
    - `tests`: where the tests run: `outside` (in a sandbox of their own, which the code cannot see into; plain values cross) or `inside` (in the process of the code: for tests that need its objects, files or output,
      and can be cheated). Default `outside`.

    ## Examples

    What the sandbox told is given with each example; `probare score` runs the code.

    Both tests pass.

    ```case
    {"case": {"response": "Sure:\\n```python\\ndef add(a, b):\\n    return a + b\\n```", "metadata": {"test_list": ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"]}}, "ran": [{"file": "probare_harness.py", "steps": [{"end": "exited", "seconds": 0.05, "code": 0}], "files": [["report.json", "{\\"here\\": true, \\"gone\\": false, \\"solution\\": null, \\"tests\\": [null, null], \\"needs\\": null}"]], "under_test": {"steps": [{"end": "exited", "seconds": 0.05, "code": 0}]}}], "expect": 1.0, "parts": {"passed": 2, "tests": 2}}
    ```

    It subtracts.

    ```case
    {"case": {"response": "def add(a, b):\\n    return a - b\\n", "metadata": {"test_list": ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"]}}, "ran": [{"file": "probare_harness.py", "steps": [{"end": "exited", "seconds": 0.05, "code": 0}], "files": [["report.json", "{\\"here\\": true, \\"gone\\": false, \\"solution\\": null, \\"tests\\": [\\"AssertionError\\", \\"AssertionError\\"], \\"needs\\": null}"]], "under_test": {"steps": [{"end": "exited", "seconds": 0.05, "code": 0}]}}], "expect": 0.0, "parts": {"passed": 0, "tests": 2}}
    ```

    The response goes on where the query ends.

    ```case
    {"case": {"query": "def double(x: int) -> int:\\n    \\"\\"\\"Twice the number.\\"\\"\\"\\n", "response": "    return 2 * x\\n", "metadata": {"entry_point": "double", "test": "def check(candidate):\\n    assert candidate(2) == 4\\n"}}, "ran": [{"file": "probare_harness.py", "steps": [{"end": "exited", "seconds": 0.05, "code": 0}], "files": [["report.json", "{\\"here\\": true, \\"gone\\": false, \\"solution\\": null, \\"tests\\": [null], \\"needs\\": null}"]], "under_test": {"steps": [{"end": "exited", "seconds": 0.05, "code": 0}]}}], "expect": 1.0}
    ```

    Code that ends the program before its tests have run does not pass, whatever its exit code.

    ```case
    {"case": {"response": "import os\\nos._exit(0)\\n", "metadata": {"test_list": ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"]}}, "ran": [{"file": "probare_harness.py", "steps": [{"end": "exited", "seconds": 0.05, "code": 0}], "files": [["report.json", "{\\"here\\": true, \\"gone\\": true, \\"solution\\": null, \\"tests\\": [], \\"needs\\": null}"]], "under_test": {"steps": [{"end": "exited", "seconds": 0.05, "code": 0}]}}], "expect": 0.0}
    ```

    Tests that need objects of the code run inside its process, if you say so. A note says that they can be cheated.

    ```case
    {"params": {"tests": "inside"}, "case": {"response": "Sure:\\n```python\\ndef add(a, b):\\n    return a + b\\n```", "metadata": {"test_list": ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"]}}, "ran": [{"file": "harness.py", "steps": [{"end": "exited", "seconds": 0.05, "code": 0}], "files": [["report.json", "{\\"solution\\": null, \\"tests\\": [null, null], \\"needs\\": null, \\"word\\": \\"92f37bfbc70793cec24189b68c170c4d27ab2ad62d61d66fd4a0e595a8b7c40b\\"}"]]}], "expect": 1.0, "parts": {"passed": 2, "tests": 2}}
    ```

    No tests, no verdict.

    ```case
    {"case": {"response": "def add(a, b):\\n    return a + b\\n", "metadata": {"topic": "sums"}}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    OpenAI's `human-eval` runs code in a process of its own with some functions switched off and warns that this is no sandbox; code that calls `os._exit(0)` does not pass there
    either, because the result is written after the tests. In all of them tests run in the process of the code, which can read and cheat them. `lm-evaluation-harness` asks for `--confirm_run_unsafe_code`. Inspect runs code in Docker. Here the sandbox is part of the program
    and tests itself before it is used ([guide](../../../../docs/guides/code.md)); tests of a list are counted one by one.

    ## References

    - M. Chen et al., 2021: Evaluating large language models trained on code (HumanEval, pass@k).
    - J. Austin et al., 2021: Program synthesis with large language models (MBPP).
    """

def answer_f1(
    *,
    sources: str = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# answer_f1

    Harmonic mean of the shares of tokens that a deep-search answer and the expected summary have in common.

    ## What it measures

    How much of its wording an answer shares with the summary of what a good answer says. A token counts as often as both texts have it, so
    that repeating a right word does not help. 1 means that both have the same words, in whatever order.

    ## When to use it

    For answers of a few sentences that are written towards a reference summary, next to the other measures of this family.

    ## When not to

    When an answer may be right in other words: two good summaries of the same facts often share half of their tokens. For short answers in
    the manner of SQuAD use `token_f1`, which drops articles.

    ## Formula

        shared    = sum over tokens of min(count in the answer, count in the summary)
        precision = shared / tokens of the answer
        recall    = shared / tokens of the summary
        value     = 2 · precision · recall / (precision + recall)

    0 where nothing is shared. Tokens are those of the SynthLink scorer: lower-case runs of letters and digits; a possessive ending and
    apostrophes go; nothing is stemmed and no word is left out. With several references the best one counts.

    Parts: `precision` and `recall`. Evidence: the stretches of the answer that are in the summary, and those of the summary that are not in
    the answer.

    ## Options

    - `profile`: `reference` (default) counts all tokens of the answer. `improved` counts as shared only tokens that stand in a statement: a
      sentence with a verb that is no list of words and, where a third of the answer or more stands in a source word for word (twelve words in a
      row), was not copied. The others stay in the length of the answer.
    - `sources`: name in `metadata` of the source texts, for `improved`: what is copied from them is no statement. Default
      `sources_verified`; without it `context`, and without that nothing is taken for copied.

    ## Examples

    Three of four tokens are shared.

    ```case
    {"case": {"response": "The press spread ideas.", "reference": "The press spread books."}, "expect": 0.75, "parts": {"precision": 0.75, "recall": 0.75}}
    ```

    Repeating a word lowers precision: one of three counts.

    ```case
    {"case": {"response": "Steam steam steam", "reference": "steam"}, "expect": 0.5, "parts": {"precision": 0.3333333333333333, "recall": 1.0}}
    ```

    A possessive is the word itself.

    ```case
    {"case": {"response": "Kodak’s film", "reference": "Kodak film"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "", "reference": "Kodak film"}, "expect": 0.0}
    ```

    A list of the right words states nothing; the improved definition gives nothing for it.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "canal, seas, species, north, fish, salt, barrier", "reference": "The canal joined two seas and species moved north."}, "expect": 0.0}
    ```

    ## Differences from other tools

    SQuAD's F1 (`token_f1` here) removes punctuation inside words and the articles; this one divides at punctuation and keeps them. Published
    example values of SynthLink leave the tokens undefined; the ones here are stated above and do not reproduce its "about 0.8" for a summary
    without one word, which no token count gives.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    - van Rijsbergen: Information Retrieval, 1979, chapter 7.
    """

def claim_verification(
    *,
    sources: str = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# claim_verification

    Share of the claims of an answer that a single source holds by their words and all their numbers.

    ## What it measures

    Whether the sources that a system gives back up what it says (FCS). 0.8 means that one claim of five is not to be found in any single
    source.

    ## When to use it

    When a system hands over the text of its sources with its answer.

    ## When not to

    As proof that a claim is true, or that a source says the same: words are compared, not statements, so that a denial is verified by what it
    denies, and a copied page verifies itself.

    ## Formula

        value = verified claims / claims

    - Claims: the answer is divided at newlines, semicolons and the ends of sentences; abbreviations such as `e.g.` and `U.S.` end none.
    - The content of a claim is its stemmed tokens without stop words, each once. A claim without content is dropped.
    - A claim is verified when one single source has at least three fifths of its content, and every word of it that holds a digit.
    - 0 without claims and without sources.

    Parts: `verified` and `claims`; their quotient is the value. Evidence: every claim with the source that holds it, or the nearest one and the
    words it lacks.

    ## Options

    - `profile`: `reference` (default) as above. `improved` asks for more: the claim is a statement; two neighbouring sentences of one source
      have three fifths of its content words (by lemma, synonym or word family) and all its names; the source has all its numbers and dates by
      value (`three thousand` is `3,000`); no verb is denied on one side only, and no missing word has its opposite there. A source that is the
      answer over again bears nothing out, and a copied sentence must have to do with the question.
    - `sources`: name in `metadata` of the source texts, a list of strings. Default `sources_verified`. Where the metadata have no such key, the
      passages of `context` are used, and the evidence points into them.

    ## Examples

    The second claim has a number that no source has.

    ```case
    {"case": {"response": "The canal joined two seas. It opened in 1896.", "metadata": {"sources_verified": ["The canal, opened in 1869, joined two seas."]}}, "expect": 0.5, "parts": {"verified": 1.0, "claims": 2.0}}
    ```

    Half of the words in one source and half in another do not add up.

    ```case
    {"case": {"response": "Canals drained marshes near cities.", "context": ["canals and marshes", "cities drained"]}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "Canals drained marshes near cities.", "context": ["Marshes near canals were drained."]}, "expect": 1.0}
    ```

    A denial is not borne out by what it denies, and a number in words is the same number.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "The canal did not open in 1869. Three thousand ships passed it a year.", "context": ["The canal opened in 1869. Some 3,000 ships passed it each year."]}, "expect": 0.5}
    ```

    Nothing is claimed.

    ```case
    {"case": {"response": "", "metadata": {"sources_verified": ["a text"]}}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "Canals."}, "expect_error": "no `context`"}
    ```

    ## Differences from other tools

    Judges such as those of RAGAS ask a model whether a passage entails a claim. Here nothing is asked: the same input gives the same value on
    every machine, and the words that decided are shown.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    """

def deep_search_aggregate(
    *,
    weights: dict[str, Any] = ...,
    topics: str | None = ...,
    steps: str | None = ...,
    sources: str | None = ...,
    iterations: str | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# deep_search_aggregate

    Weighted sum of the five measures of a deep-search answer.

    ## What it measures

    Answer, search, reasoning, fact-checking and economy in one number, so that systems can be ranked. The parts say what it is made of.

    ## When to use it

    To rank systems on one catalogue. Read the parts before drawing a conclusion.

    ## When not to

    To compare across catalogues: the best value that can be reached depends on the number of topics and on how the steps are worded. The
    expected summaries of the published catalogue themselves reach 0.785.

    ## Formula

        value = 0.3 · f1 + 0.2 · p_at_5 + 0.3 · rqs + 0.1 · fcs + 0.1 · ie

    The five are `answer_f1`, `source_precision`, `step_coverage`, `claim_verification` and `iteration_efficiency`, added from left to right.

    Parts: `f1`, `p_at_5`, `rqs`, `fcs`, `ie` and their weights (`f1_weight` and so on); they recompute the value. Evidence: one line
    for each measure that says what its value rests on. Which tokens, documents, steps, claims and which iteration these are is the evidence of the
    measure's own metric; name it beside this one to have both.

    ## Options

    - `profile`: which reading of the five measures, `reference` (default) or `improved`.
    - `weights`: an object with `f1`, `p_at_5`, `rqs`, `fcs` and `ie`, each between 0 and 1, that sum to 1. A weight that is not given keeps its
      default.
    - `topics`, `steps`, `sources`, `iterations`: names in `metadata`, as in the single metrics.

    ## Examples

    Everything is right but for the five places, of which one is filled.

    ```case
    {"case": {"response": "The canal joined two seas.", "reference": "The canal joined two seas.", "retrieved": ["Suez Canal"], "metadata": {"topics": ["Suez Canal"], "steps": ["Confirm the canal"], "sources_verified": ["The canal joined two seas."], "iterations": [{"answers": ["The canal joined two seas."]}]}}, "expect": 0.84, "parts": {"f1": 1.0, "p_at_5": 0.2, "rqs": 1.0, "fcs": 1.0, "ie": 1.0}}
    ```

    Other weights.

    ```case
    {"params": {"weights": {"f1": 0.5, "p_at_5": 0.5, "rqs": 0, "fcs": 0, "ie": 0}}, "case": {"response": "The canal", "reference": "The canal", "retrieved": [], "metadata": {"topics": [], "steps": [], "sources_verified": [], "iterations": []}}, "expect": 0.5}
    ```

    ```case
    {"params": {"weights": {"f1": 0.5}}, "case": {"response": "x", "reference": "x", "retrieved": [], "metadata": {"topics": []}}, "expect_error": "must sum to 1"}
    ```

    ```case
    {"case": {"response": "x", "reference": "x", "retrieved": [], "metadata": {"topics": [], "steps": []}}, "expect_error": "has no `sources_verified`"}
    ```

    ## Differences from other tools

    The weights are those of the published description. Its script leaves the five functions empty, so there are no original scores to agree
    with.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    """

def iteration_efficiency(
    *,
    iterations: str = ...,
    threshold: float = ...,
    sources: str = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# iteration_efficiency

    One over the number of the first iteration whose answer was right.

    ## What it measures

    How early in a search a right answer appeared (IE): 1 at the first iteration, 0.5 at the second, 0.2 from the fifth on, 0 never.

    ## When to use it

    When a system searches in rounds and reports what it would have answered after each.

    ## When not to

    When intermediate answers are not reported, or where more rounds cost nothing.

    ## Formula

        value = 1 / min(k, 5)   for the first iteration k with a right answer, else 0

    An answer is right when its `answer_f1` against the reference is at least `threshold`. One right answer among several of an iteration is
    enough. The final answer of the case is not looked at. With several references the one that gives the best value counts.

    F1 is computed in floating point as `2PR / (P + R)`, as the published numbers are: an answer whose F1 is one half exactly can come out one
    unit in the last place below it, and is then not right.

    Part: `iteration`, the number of the first right one, where there is one.

    ## Options

    - `profile`: which reading of `answer_f1` decides, `reference` (default) or `improved`.
    - `sources`: name in `metadata` of the source texts, for `improved`: what is copied from them is no statement. Default
      `sources_verified`; without it `context`, and without that nothing is taken for copied.
    - `iterations`: name in `metadata` of the iterations, a list of objects with `answers`, a list of strings. Default `iterations`.
    - `threshold`: the F1 from which an answer is right, between 0 and 1. Default 0.5.

    ## Examples

    The second iteration is right.

    ```case
    {"case": {"reference": "The canal joined two seas.", "metadata": {"iterations": [{"answers": ["no idea"]}, {"answers": ["It joined two seas."]}]}}, "expect": 0.5, "parts": {"iteration": 2.0}}
    ```

    A higher threshold asks for more.

    ```case
    {"params": {"threshold": 0.9}, "case": {"reference": "The canal joined two seas.", "metadata": {"iterations": [{"answers": ["It joined two seas."]}]}}, "expect": 0.0}
    ```

    ```case
    {"case": {"reference": "The canal joined two seas.", "metadata": {"iterations": []}}, "expect": 0.0}
    ```

    ```case
    {"params": {"threshold": 2}, "case": {"reference": "x", "metadata": {"iterations": []}}, "expect_error": "between 0 and 1"}
    ```

    ## Differences from other tools

    The published description fixes no threshold; 0.5 is our choice and can be changed.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    """

def source_precision(
    *,
    topics: str = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# source_precision

    Share of the first five retrieved documents whose name holds a topic of the question.

    ## What it measures

    Whether a search looked in the right places: P@5 with relevance by topic. A document is relevant when the tokens of a topic stand in its
    name or address one after the other. 0.6 means three of five.

    ## When to use it

    When the catalogue names topics (titles of articles) rather than document ids, and the system reports what it read.

    ## When not to

    When exact ids are known: `precision_at_k` is stricter. A name says nothing about what the document holds; whoever lists five names with
    the topic in them gets 1. The profile `improved` sees through some of that.

    ## Formula

        value = relevant documents among the first five / 5

    - A document's key is the tokens of its percent-decoded name; an underscore divides words.
    - Relevant: some topic's tokens occur in the key as a contiguous run.
    - A document without tokens, or with the same key as an earlier one of the five, keeps its place and counts nothing.
    - The divisor is 5, also where fewer documents were retrieved. Relevant *documents* are counted, not distinct topics.

    Parts: `relevant` and `places` (5); their quotient is the value. Evidence: every document looked at, with the topic it belongs to.

    ## Options

    - `profile`: `reference` (default) as above. `improved` takes the last part of an address for its title and asks for all words of a topic in
      it, in any order; a document that differs from an earlier one by a number, a remark in parentheses or words such as `list` and `history`
      repeats it; an entry of sixteen words or more is a text, one sentence of which must name the topic.
    - `topics`: name in `metadata` of the topics. Default `topics`. A list of titles, or the text of a catalogue's cell
      (`Topics: Silk Road, Trade`).

    ## Examples

    Three of the five belong to a topic; one is a repetition in another spelling.

    ```case
    {"case": {"retrieved": ["https://en.wikipedia.org/wiki/Silk_Road", "Silk%20Road", "Silk Road trade", "Caravan", "wiki silk road"], "metadata": {"topics": ["Silk Road", "Buddhism"]}}, "expect": 0.8}
    ```

    ```case
    {"case": {"retrieved": ["Silk Road", "silk_road", "Roads of silk"], "metadata": {"topics": "Topics: Silk Road"}}, "expect": 0.2, "parts": {"relevant": 1.0, "places": 5.0}}
    ```

    Nothing was retrieved.

    ```case
    {"case": {"retrieved": [], "metadata": {"topics": ["Silk Road"]}}, "expect": 0.0}
    ```

    Numbered copies of one name are one article.

    ```case
    {"params": {"profile": "improved"}, "case": {"retrieved": ["Aral Sea", "Aral Sea 2", "Aral Sea 3", "Aral Sea (lake)", "Cotton"], "metadata": {"topics": ["Aral Sea", "Cotton"]}}, "expect": 0.4}
    ```

    ```case
    {"case": {"retrieved": ["Silk Road"], "metadata": {"steps": []}}, "expect_error": "has no `topics`"}
    ```

    ## Differences from other tools

    `precision_at_k` compares ids for equality and divides by `k` likewise. Here relevance is by name, because the catalogue has titles and no
    addresses.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    """

def step_coverage(
    *,
    steps: str = ...,
    sources: str = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# step_coverage

    Share of the reasoning steps of which the answer has at least one keyword.

    ## What it measures

    Whether an answer touches every step of the reasoning that a question asks for (RQS). 0.75 means that three of four steps left a word in
    the answer.

    ## When to use it

    With a catalogue that lists the steps of each question, to see which of them an answer skips.

    ## When not to

    As proof of reasoning: one keyword is enough, so a list of words covers every step. The threshold was chosen because it separates right
    summaries from those of other questions best (0.70 against 0.05 on the published catalogue), not because it cannot be gamed.

    ## Formula

        value = covered steps / steps that have keywords

    - Keywords of a step: its tokens without the first, where that is an instruction (confirm, research, link, synthesize, understand,
      identify, analyze, define, trace), without stop words, stemmed, each once.
    - A step is covered when one of its keywords is among the stemmed tokens of the answer.
    - The stem drops a plural: `ies` becomes `y` in words longer than four letters, else a final `s` goes in words longer than three, unless
      they end in `ss`, `us` or `is`.
    - 0 where no step has keywords.

    Parts: `covered` and `steps`; their quotient is the value. Evidence: for each covered step the first word that covers it, for each other
    one its keywords.

    ## Options

    - `profile`: `reference` (default) as above. `improved` asks for half of the content words of a step in one statement of the answer and
      the next, by lemma, synonym or word family (WordNet). Lists of words, and answers copied from a source, cover nothing. On the published
      catalogue the expected summaries cover 0.65 of their own steps so, those of other questions 0.04, and lists of all words of the steps 0.03
      (1.00 in the published definition).
    - `sources`: name in `metadata` of the source texts, for `improved`: what is copied from them is no statement. Default
      `sources_verified`; without it `context`, and without that nothing is taken for copied.
    - `steps`: name in `metadata` of the steps. Default `steps`. A list, or the text of a catalogue's cell (`1. Confirm x. 2. Link y.`).

    ## Examples

    Two of three steps are touched.

    ```case
    {"case": {"response": "Cheaper books raised literacy.", "metadata": {"steps": ["Confirm the printing press", "Research book prices", "Link to literacy"]}}, "expect": 0.6666666666666666, "parts": {"covered": 2.0, "steps": 3.0}}
    ```

    A step that is nothing but its instruction does not count.

    ```case
    {"case": {"response": "The press.", "metadata": {"steps": "1. Confirm the press. 2. Trace it."}}, "expect": 1.0}
    ```

    A list of words covers everything, although it says nothing.

    ```case
    {"case": {"response": "press, books, literacy", "metadata": {"steps": ["Confirm the printing press", "Research book prices", "Link to literacy"]}}, "expect": 1.0}
    ```

    The improved definition asks for a statement.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "press, books, literacy, prices, printing, growth", "metadata": {"steps": ["Confirm the printing press", "Research book prices", "Link to literacy"]}}, "expect": 0.0}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "The printing press made the price of a book fall, and more people became literate.", "metadata": {"steps": ["Confirm the printing press", "Research book prices"]}}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "The press.", "metadata": {"steps": []}}, "expect": 0.0}
    ```

    ## Differences from other tools

    The published script leaves the function empty. Its example speaks of one of three steps missing (0.67) for a question that has four; the
    arithmetic here gives 0.75.

    ## References

    - SynthLink: deep-search question catalogue and scoring description, Scalytics, 2025.
    """

def list_many(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# list_many

    How much of what counts the answer names, where several values are asked for.

    ## What it measures

    What the values that the answer names are worth together. The values are open: synonyms, plurals and number words stand for them.

    ## When to use it

    For questions that ask for several things, of which some matter more: obstacles, actors, reasons.

    ## When not to

    When wrong items must cost something: give them negative weights, or use `pick_many` with closed options.

    ## Formula

        raw   = sum of the weights of all values that the answer names, each once
        best  = max(1, sum of the positive weights)
        value = raw / best, kept within 0 and 1

    Negative weights are penalties. Order and repetition do not matter, and what is not among the values costs nothing. Matching is that of `list_one`.

    Parts: `raw` and `best`.

    ## Options

    - `profile`: `reference` matches words; `improved` counts a value where the answer asserts it. There, inflections and spellings of letters (å and aa) match too, a
      negation reaches as far as its clause, a word in a fixed expression (`trust fund`) or before `him` is something else, synonyms come from the usual senses only,
      and near spellings count only where they are no words of their own, so that `informal` is never `formal`.
    - `metric`: what is expected of every case: an object value to weight, `{"values": …, "weights": …}`, a list of values or of `{"value", "weight"}`, or text with values
      between commas; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `synonyms`: whether synonyms of WordNet and plurals count. Default: for `list_one` and `list_many`.
    - `fuzzy`: whether near spellings count. Default: for `pick_one` and `pick_many`.
    - `fuzzy_threshold`: least similarity of a near spelling. Default 0.85.

    ## Examples

    ```case
    {"params": {"metric": {"funding": 0.4, "permits": 0.3, "volunteers": 0.3}}, "case": {"response": "financing, licence"}, "expect": 0.7}
    ```

    A JSON list, and a penalty.

    ```case
    {"params": {"metric": ["apple", "pear", "plum"]}, "case": {"response": "[\\"pears\\", \\"apples\\"]"}, "expect": 0.6666666666666666}
    ```

    ```case
    {"params": {"metric": {"wind": 0.5, "sun": 0.5, "coal": -0.5}}, "case": {"response": "wind, coal"}, "expect": 0.0}
    ```

    What nobody mentioned is not named.

    ```case
    {"params": {"metric": ["funding", "permits"], "profile": "improved"}, "case": {"response": "Nobody talked about funding or permits."}, "expect": 0.0}
    ```

    What came to its end does not count.

    ```case
    {"params": {"metric": ["wheat", "barley"], "profile": "improved"}, "case": {"response": "They stopped growing barley and now have wheat."}, "expect": 0.5}
    ```

    ## Differences from other tools

    Recall over a list of keywords, as in `keyword coverage`, has neither weights nor synonyms nor negation.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def list_one(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# list_one

    Whether the answer names a value that counts, where one is asked for.

    ## What it measures

    What the first value that the answer names is worth. The values are open: synonyms, plurals and number words stand for them.

    ## When to use it

    For questions with a short answer that may be worded in several ways and whose alternatives are worth different amounts: a species, a year, a country.

    ## When not to

    When the answer has to choose among given options: use `pick_one`, which forgives spelling and no synonyms. When several things are asked for: `list_many`. For open questions with one
    right answer in prose: `answer_match`.

    ## Formula

        raw   = weight of the first value that the answer names, else 0
        best  = max(1, largest weight)
        value = raw / best, kept within 0 and 1

    The answer is cut at `,` `;` `|` and line breaks; in each segment the longest surfaces count from left to right, without overlap. A value right behind `not`, `no`,
    `without` and their like is consumed and does not count. Naming several values is noted as ambiguous; the first one counts, so that naming all does not win.

    Parts: `raw` and `best`. The evidence shows each place with the reason: the same words, the same number, a synonym and through which meaning, a form of a noun, a near
    spelling and its similarity.

    ## Options

    - `profile`: `reference` matches words; `improved` counts a value where the answer asserts it. There, inflections and spellings of letters (å and aa) match too, a
      negation reaches as far as its clause, a word in a fixed expression (`trust fund`) or before `him` is something else, synonyms come from the usual senses only,
      and near spellings count only where they are no words of their own, so that `informal` is never `formal`.
    - `metric`: what is expected of every case: an object value to weight, `{"values": …, "weights": …}`, a list of values or of `{"value", "weight"}`, or text with values
      between commas; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `synonyms`: whether synonyms of WordNet and plurals count. Default: for `list_one` and `list_many`.
    - `fuzzy`: whether near spellings count. Default: for `pick_one` and `pick_many`.
    - `fuzzy_threshold`: least similarity of a near spelling. Default 0.85.

    ## Examples

    ```case
    {"params": {"metric": {"mussels": 1, "seaweed": 0.5}}, "case": {"response": "They mostly farm seaweed and mussels"}, "expect": 0.5}
    ```

    A synonym, and a value that is denied.

    ```case
    {"case": {"response": "She drives an auto", "metadata": {"metric": "{\\"car\\": 1, \\"bicycle\\": 0.5}"}}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "not a car but a bicycle", "metadata": {"metric": {"car": 1, "bicycle": 0.5}}}, "expect": 0.5}
    ```

    The published definition sees the word before a value only; the improved one sees the clause.

    ```case
    {"params": {"metric": ["car"]}, "case": {"response": "We don't use cars"}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": ["car"], "profile": "improved"}, "case": {"response": "We don't use cars"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "x"}, "expect_error": "no `metric`"}
    ```

    ## Differences from other tools

    Exact match and `contains` know one form of each value and one worth. The published synonyms ignore the sense (`machine gun` contains a synonym of `car`); the evidence names the meaning, and `improved` reads
    fixed expressions as a whole.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def pick_many(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# pick_many

    How well the answer chooses among options.

    ## What it measures

    What the options that the answer chooses are worth together. Options are closed: exact words, numbers in any form and near spellings stand for them, synonyms do not.

    ## When to use it

    For questions with given options of which several may be right.

    ## When not to

    When the answer may be worded freely: use `list_many`.

    ## Formula

        raw   = sum of the weights of all values that the answer names, each once
        best  = max(1, sum of the positive weights)
        value = raw / best, kept within 0 and 1

    Negative weights are penalties. Order and repetition do not matter, and what is not among the values costs nothing. Matching is that of `pick_one`.

    Parts: `raw` and `best`. For near spellings the answer is cut further, at `and`, `or`, `as well as`,
    `plus`, `&` and `/`, and bullets and numbers are taken away.

    ## Options

    - `profile`: `reference` matches words; `improved` counts a value where the answer asserts it. There, inflections and spellings of letters (å and aa) match too, a
      negation reaches as far as its clause, a word in a fixed expression (`trust fund`) or before `him` is something else, synonyms come from the usual senses only,
      and near spellings count only where they are no words of their own, so that `informal` is never `formal`.
    - `metric`: what is expected of every case: an object value to weight, `{"values": …, "weights": …}`, a list of values or of `{"value", "weight"}`, or text with values
      between commas; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `synonyms`: whether synonyms of WordNet and plurals count. Default: for `list_one` and `list_many`.
    - `fuzzy`: whether near spellings count. Default: for `pick_one` and `pick_many`.
    - `fuzzy_threshold`: least similarity of a near spelling. Default 0.85.

    ## Examples

    ```case
    {"params": {"metric": [{"value": "Copenhagen"}, {"value": "Aarhus"}, {"value": "Odense"}, {"value": "Paris", "weight": -1}]}, "case": {"response": "Kopenhagen and Odense"}, "expect": 0.6666666666666666}
    ```

    Letters with two spellings, and a list of everything.

    ```case
    {"params": {"metric": ["Aarhus", "Odense"], "profile": "improved"}, "case": {"response": "Århus, Odense"}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": {"coffee": 0.5, "tea": 0.5, "beer": 0}}, "case": {"response": "coffee, tea, beer"}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": {"coffee": 0.5, "tea": 0.5, "beer": 0}, "profile": "improved"}, "case": {"response": "coffee, tea, beer"}, "expect": 0.0}
    ```

    ## Differences from other tools

    Exact-set scorers of other tools give all or nothing.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def pick_one(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# pick_one

    Whether the answer chooses an option that counts.

    ## What it measures

    What the option that the answer chooses is worth. Options are closed: exact words, numbers in any form and near spellings stand for them, synonyms do not.

    ## When to use it

    For questions with given options of which one is to be chosen.

    ## When not to

    When the answer may be worded freely: use `list_one`. When several options may be right: `pick_many`.

    ## Formula

        raw   = weight of the first value that the answer names, else 0
        best  = max(1, largest weight)
        value = raw / best, kept within 0 and 1

    The answer is cut at `,` `;` `|` and line breaks; in each segment the longest surfaces count from left to right, without overlap. A value right behind `not`, `no`,
    `without` and their like is consumed and does not count. Naming several values is noted as ambiguous; the first one counts, so that naming all does not win.

    Parts: `raw` and `best`. The evidence shows each place with the reason: the same words, the same number, a synonym and through which meaning, a form of a noun, a near
    spelling and its similarity.

    Where no option is named at all, the whole answer is compared with each: similarity = 1 - Levenshtein / length of the longer, for the words in the given or in sorted order; the best from
    `fuzzy_threshold` on counts. It is 0 where numbers or negators differ, and between unequal words of fewer than four letters.

    ## Options

    - `profile`: `reference` matches words; `improved` counts a value where the answer asserts it. There, inflections and spellings of letters (å and aa) match too, a
      negation reaches as far as its clause, a word in a fixed expression (`trust fund`) or before `him` is something else, synonyms come from the usual senses only,
      and near spellings count only where they are no words of their own, so that `informal` is never `formal`.
    - `metric`: what is expected of every case: an object value to weight, `{"values": …, "weights": …}`, a list of values or of `{"value", "weight"}`, or text with values
      between commas; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `synonyms`: whether synonyms of WordNet and plurals count. Default: for `list_one` and `list_many`.
    - `fuzzy`: whether near spellings count. Default: for `pick_one` and `pick_many`.
    - `fuzzy_threshold`: least similarity of a near spelling. Default 0.85.

    ## Examples

    ```case
    {"params": {"metric": {"wind energy": 1, "solar energy": 0.5}}, "case": {"response": "wnd energy"}, "expect": 1.0}
    ```

    Numbers and negations are never near.

    ```case
    {"params": {"metric": {"in 2019": 1, "in 2018": 0}}, "case": {"response": "in 2020"}, "expect": 0.0}
    ```

    ```case
    {"params": {"metric": {"employed": 1, "not employed": 0.2}}, "case": {"response": "not employed"}, "expect": 0.2}
    ```

    An opposite is near by its letters only; and an answer that names all options has chosen none.

    ```case
    {"params": {"metric": {"satisfied with the pay": 1}}, "case": {"response": "unsatisfied with the pay"}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": {"satisfied with the pay": 1}, "profile": "improved"}, "case": {"response": "unsatisfied with the pay"}, "expect": 0.0}
    ```

    ```case
    {"params": {"metric": {"North": 0, "South": 1}, "profile": "improved"}, "case": {"response": "north and south"}, "expect": 0.0}
    ```

    ## Differences from other tools

    Multiple-choice scorers of other tools compare a letter or the exact option.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def verbatim(
    *,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# verbatim

    Whether the quotations of an answer stand in the passages they are said to come from.

    ## What it measures

    The share of the citations whose quotation stands, letter by letter, in the passage that it names. Below that, the evidence says what became of each quotation and shows the place.

    | status | what it says |
    |---|---|
    | `exact` | letter by letter, surrounding space aside |
    | `normalised` | but for case, spaces, quotation marks, dashes and punctuation around it |
    | `elided` | with omissions marked `...`, `[...]` or `(...)`, the parts in order |
    | `wrong_source` | in another passage than the one it names |
    | `fuzzy` | similarity of at least 0.9 |
    | `number_mismatch` | the same, with a number that the passage does not have |
    | `not_found` | not there |
    | `empty_quote`, `invalid_index`, `missing_content` | there is nothing to look for, or nowhere to look |

    ## When to use it

    For answers that quote their sources: whether the words exist is a matter of fact, and no judge is needed for it.

    ## When not to

    When the answer paraphrases: use `hallucination`. A quotation may be exact and still be out of context.

    ## Formula

        value = exact / citations                         reference
        value = (exact + normalised + elided) / citations careful

    Careful leaves out an omission inside a sentence that drops a `not`. A near quotation never counts: its evidence shows the nearest passage in whole words with what was dropped `[-…-]` and added `{+…+}`, and says when that
    was a negation. So does the evidence of a quotation that was not found but resembles something there. Where the run has transcripts (`probare socioscope`), what is not in its passage is looked for in all of
    them, and the evidence names the one that has it: `wrong_source: P01`. Similarity is 1 - least edit distance of the normalised quotation to any stretch of the passage / length of the quotation.

    An answer without citations is not applicable, never 0. Parts: `citations`, `exact`, `normalised`.

    ## Options

    - `profile`: `reference` counts exact quotations; `improved` also those that differ in typography, or by fair omissions.

    ## Examples

    ```case
    {"case": {"context": ["We grow mussels. Nobody believed it would work."], "citations": [{"source_index": 0, "quote": "nobody believed it would work"}, {"source_index": 0, "quote": "We grow mussels"}]}, "expect": 0.5, "parts": {"citations": 2, "exact": 1, "normalised": 2}}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"context": ["We grow mussels. Nobody believed it would work."], "citations": [{"source_index": 0, "quote": "nobody believed it would work"}]}, "expect": 1.0}
    ```

    A number that is not there, and an answer that quotes nothing.

    ```case
    {"case": {"context": ["Each member pays 300 euros a year."], "citations": [{"source_index": 0, "quote": "Each member pays 500 euros a year"}]}, "expect": 0.0}
    ```

    ```case
    {"case": {"context": ["x"], "citations": []}, "expect_not_applicable": true}
    ```

    An omission that turns the sentence around.

    ```case
    {"params": {"profile": "improved"}, "case": {"context": ["We do not sell oysters here"], "citations": [{"source_index": 0, "quote": "We do ... sell oysters"}]}, "expect": 0.0}
    ```

    ## Differences from other tools

    Python's `quote in content` accepts the empty quotation and counts a negative index from the end; both are reported here. `difflib` and rapidfuzz give a ratio without the place, or the place without
    the least distance.

    ## References

    - Socioscope: `existence_score`. Python's `in` on strings.
    - Myers, *A fast bit-vector algorithm for approximate string matching*, JACM 46.3, 1999, for the near quotations.
    """

def yes_no(
    *,
    metric: Any = ...,
    strict: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# yes_no

    Whether the answer says yes or no as expected.

    ## What it measures

    1 where the answer says what is expected, 0 otherwise; or the worth of what it says, where the metric gives weights to yes and no.

    ## When to use it

    For questions that are answered with yes or no, in any of a dozen words and several languages, with or without words behind.

    ## When not to

    When the reasons count too: use `yes_no_rationale`.

    ## Formula

        value = 1 if polarity(answer) = polarity(metric), else 0
        value = weight of polarity(answer) / max(1, largest weight), for weights by polarity

    The opening words decide: `Yes`, `nej`, `of course not`, `I don't think so`, `the short answer is no`. `Yes and no` decides nothing. A metric that is neither yes nor no (`maybe`) is compared in
    normal form.

    Part: `right`.

    ## Options

    - `profile`: `reference` reads the opening words; `improved` the whole answer, as `answer_match` does: `Well, yes`, `Absolutely not`, `No doubt they did`, `He did not`, `It was never published`, `…, so no`, and a statement that says the opposite of
      what was asked. `Maybe` stays undecided. What was and is no more is a no where the present is asked for. The label is `right` or `wrong` where yes or no is said, and `unsure` where it would have to follow from another statement. The words stand in the shared lexicon (docs/guides/patterns.md).
    - `metric`: what is expected of every case: text, a boolean, `{"answer": …}`, or weights such as `{"yes": 1, "no": 0.25}`; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `strict`: compare letter by letter, case and surrounding space aside. Default false.

    ## Examples

    ```case
    {"params": {"metric": "yes"}, "case": {"response": "Absolutely, they did"}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": "yes"}, "case": {"response": "Yesterday we sailed"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "no", "metadata": {"metric": {"yes": 1, "no": 0.25}}}, "expect": 0.25}
    ```

    The opening can mislead.

    ```case
    {"params": {"metric": "yes"}, "case": {"response": "No doubt they did: the grant is mentioned twice."}, "expect": 0.0}
    ```

    ```case
    {"params": {"metric": "yes", "profile": "improved"}, "case": {"response": "No doubt they did: the grant is mentioned twice."}, "expect": 1.0}
    ```

    ```case
    {"params": {"metric": "yes", "strict": true}, "case": {"response": "Yes."}, "expect": 0.0}
    ```

    ## Differences from other tools

    Exact match fails on `Yes, because …`; `contains` finds `no` in `not known`.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def yes_no_rationale(
    *,
    metric: Any = ...,
    strict: bool = ...,
    answer_weight: float = ...,
    synonyms: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# yes_no_rationale

    Whether the answer says yes or no as expected, and how many of the expected reasons it gives.

    ## What it measures

    The yes or no carries one share of the score, the reasons the other. A wrong yes or no gets nothing, whatever the reasons.

    ## When to use it

    For questions of the form "Did they, and why?".

    ## When not to

    When the reasons stand for themselves: use `list_many`. When a reason has to be judged for its sense: ask a judge.

    ## Formula

        binary    = value of yes_no
        rationale = value of list_many over the words behind the yes or no, or
                    min(1, distinct words of substance / 5) where the metric names no reasons
        value     = 0 if binary = 0, else answer_weight · binary + (1 - answer_weight) · rationale

    The answer may be text or JSON with `answer` and `rationale`.

    Parts: `binary`, `rationale` and `answer_weight`.

    ## Options

    - `profile`: `published` or `improved`, as in `yes_no` and `list_many`.
    - `metric`: what is expected of every case: `{"answer": "yes", "rationale": weights, "answer_weight": 0.5}`, or a plain yes or no; also as JSON text. Without it, `metric` in the metadata of the case counts.
    - `strict`: compare yes and no letter by letter. Default false.
    - `answer_weight`: share of the yes or no where the metric does not say. Default 0.5.
    - `synonyms`: whether synonyms of reasons count. Default true.

    ## Examples

    ```case
    {"params": {"metric": {"answer": "yes", "rationale": {"pollution": 0.5, "fishing": 0.5}}}, "case": {"response": "Yes, because of pollution."}, "expect": 0.75, "parts": {"binary": 1.0, "rationale": 0.5}}
    ```

    ```case
    {"params": {"metric": "no"}, "case": {"response": "No, it failed"}, "expect": 0.6}
    ```

    ```case
    {"params": {"metric": {"answer": "yes", "rationale": ["noise", "shadow"]}, "profile": "improved"}, "case": {"response": "Yes, but not because of noise or shadow; they fear for house prices."}, "expect": 0.5}
    ```

    ## Differences from other tools

    Other tools ask a judge for both parts at once and cannot show which reason was found where.

    ## References

    - Socioscope, an evaluation framework for answers about interview transcripts: its question types and their weights.
    - WordNet 3.0, Princeton University; base forms as its `morphy`.
    """

def judge_claims(
    *,
    sources: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# judge_claims

    Share of the claims of a response that a model finds in its sources, with the words that bear each out.

    ## What it measures

    The response is cut into claims (sentences, and what semicolons and line ends divide) as `claim_verification` cuts it. A model says of each whether one of the sources bears it out and gives the words of that
    source. Only a verdict whose words stand in a source, letter by letter, counts: what a judge cannot show, it has not checked. The evidence has every claim with the words for it, or says what is missing.

    ## When to use it

    Beside `claim_verification`, which looks at shared words and numbers, for answers that say the same in other words or the opposite in the same words. `probare synthlink --judge MODEL` shows both.

    ## When not to

    Where the sources are longer than what the judge can read at once. Where a claim follows only from two sources together: a judge is asked for one.

    ## Formula

        value = verified / claims

    0 where the response claims nothing or has no sources, as in the published measure; nobody is asked then. With several judges each claim is voted on by itself. A reply that leaves out a claim, has one twice or knows
    one that is not there cannot be read: it is asked for once more and then counts as no verdict.

    Parts: `verified`, `claims`, and `without_proof`, the claims that a judge calls borne out without words that stand in a source.

    ## Options

    - `sources`: name in the metadata of the source texts. Default `sources_verified`; where the metadata have none, `context` is used.
    - `judges`: names of the models that are asked. Default: the judges of the run.
    - `panel`: `vote` (`majority`, `mean`, `median`, `lowest`), `least`, `first`; see `judge_rubric`.
    - `prompt`: another prompt, or `@FILE`, with the places `{{form}}` and `{{data}}`.
    - `schema`: whether the form of the reply is sent as a JSON Schema. Default true.

    ## Examples

    One of two claims is borne out.

    ```case
    {"case": {"response": "The canal opened in 1869. It was dug by hand.", "context": ["In November 1869 the Suez Canal was opened to ships."]}, "replies": ["{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"In November 1869 the Suez Canal was opened\\", \\"met\\": true}, {\\"step\\": 2, \\"quote\\": \\"\\", \\"met\\": false}]}"], "expect": 0.5, "parts": {"verified": 1.0, "claims": 2.0, "without_proof": 0.0}}
    ```

    A verdict without words that stand in a source does not count.

    ```case
    {"case": {"response": "The canal opened in 1869.", "context": ["The Suez Canal joins two seas."]}, "replies": ["{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"opened in 1869\\", \\"met\\": true}]}"], "expect": 0.0, "parts": {"without_proof": 1.0}}
    ```

    Without sources nobody is asked.

    ```case
    {"case": {"response": "The canal opened in 1869.", "context": []}, "replies": [], "expect": 0.0}
    ```

    A reply that leaves out a claim is asked for again.

    ```case
    {"case": {"response": "It opened. It closed.", "context": ["It opened and it closed."]}, "replies": ["{\\"steps\\": []}", "{\\"steps\\": []}"], "expect_error": "step 1 is missing"}
    ```

    ## Differences from other tools

    Faithfulness in Ragas lets a model write down the claims and judge them without showing where. Here the claims are cut by rule, so that they are the same for every judge, and a verdict needs a quotation.

    ## References

    - The published description of SynthLink names fact checking beyond matching of words as future work.
    """

def judge_pairwise(
    *,
    against: str | None = ...,
    question: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# judge_pairwise

    Whether a model prefers the response to another one, asked in both orders.

    ## What it measures

    1 where the judge prefers the response in both orders, 0 where it prefers the other one in both, 0.5 for ties and where it changes its mind with the
    order. The part `flipped` says how often that happened: a judge that flips often follows the position and not the text.

    The evidence holds both verdicts of each judge with their reasons.

    ## When to use it

    To compare two systems, or a system with a reference, where a preference is easier to state than a grade. Put the other response into
    `metadata.other`, or compare with the reference.

    ## When not to

    Where there is a right answer: use `answer_match` or `judge_same_answer`. Preferences favour length and familiar style; look at how
    often verdicts flip, and at the lengths of both sides.

    ## Formula

        value = vote of the judges, each (verdict in the first order + verdict in the second) / 2

    A verdict is 1 for the response, 0 for the other, 0.5 for a tie. A judge of whom one order cannot be read has no verdict, since the other order alone
    would carry its bias.

    Parts: `flipped` (share of the judges with different verdicts in the two orders) and, with several judges, `judge 1`, `judge 2`, …

    ## Options

    - `against`: where the other response is, `reference` or `metadata.KEY`. Default `metadata.other`.
    - `question`: what makes a response the better one. Default: which serves the person who asked better.
    - `judges`: names of the models that are asked. Default: the judges of the run.
    - `panel`: `vote` (`majority`, `mean`, `median`, `lowest`), `least`, `first`; see `judge_rubric`.
    - `prompt`: another prompt, or `@FILE`, with the places `{{question}}`, `{{form}}` and `{{data}}`.
    - `schema`: whether the form of the reply is sent as a JSON Schema. Default true.

    ## Examples

    The first reply is to the order response, other; the second to other, response.

    ```case
    {"case": {"query": "How long do I boil an egg?", "response": "Seven minutes for a soft yolk, ten for a firm one.", "metadata": {"other": "Until it is done."}}, "replies": ["{\\"reason\\": \\"A gives times.\\", \\"better\\": \\"A\\"}", "{\\"reason\\": \\"B gives times.\\", \\"better\\": \\"B\\"}"], "expect": 1.0, "parts": {"flipped": 0.0}}
    ```

    A judge that always takes the first.

    ```case
    {"case": {"query": "How long do I boil an egg?", "response": "Seven minutes.", "metadata": {"other": "About seven minutes."}}, "replies": ["{\\"reason\\": \\"x\\", \\"better\\": \\"A\\"}", "{\\"reason\\": \\"x\\", \\"better\\": \\"A\\"}"], "expect": 0.5, "parts": {"flipped": 1.0}}
    ```

    ```case
    {"params": {"against": "reference"}, "case": {"query": "Q?", "response": "no idea", "reference": "It is so."}, "replies": ["{\\"reason\\": \\"x\\", \\"better\\": \\"B\\"}", "{\\"reason\\": \\"x\\", \\"better\\": \\"A\\"}"], "expect": 0.0}
    ```

    ```case
    {"case": {"query": "Q?", "response": "A."}, "replies": [], "expect_not_applicable": true}
    ```

    ## Differences from other tools

    AlpacaEval and many scripts ask once, in one order or a random one; MT-Bench asks in both and counts a flip as a tie, as here. The share of flips is reported
    with every score.

    ## References

    - P. Wang et al., 2023: Large language models are not fair evaluators.
    - L. Zheng et al., 2023: Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena.
    """

def judge_rubric(
    *,
    question: str | None = ...,
    levels: Sequence[dict[str, Any]] = ...,
    references: bool | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# judge_rubric

    How a model grades the response by a rubric with levels.

    ## What it measures

    The value of the level that a model chooses, from 0 (the first level) to 1 (the last). The label of the score is the name of the level. The
    evidence holds each judge's verdict and its reason.

    The model sees the rubric, the query, the context, the references and the response. The texts are quoted line by line, so that an instruction inside of
    them does not pass for one of ours.

    ## When to use it

    For qualities that no rule can see: tone, helpfulness, whether an explanation can be followed. Say what each level means; a judge that has to guess the
    scale is a dice. Hold it against human labels before you trust it: `probare judge calibrate`.

    ## When not to

    Where a rule decides: for short factual answers use `answer_match` or `judge_same_answer`, for formats `json_schema`. Judges favour long, confident and
    familiar text, and the same model judges its own answers too well.

    ## Formula

        value = vote of the judges' levels

    Each judge names one level; its value is that of the list, or evenly spaced from 0 to 1. `panel.vote` makes one value of several. A reply that cannot be read
    is asked for once more; then that judge has no verdict. With fewer verdicts than `panel.least`, or, where it is not given, with a missing verdict that could
    change the result, the result is an error (`unparseable`, `refused`, `failed`, `timed_out`, by the first that is missing), never a value. A majority that is
    split evenly is labelled `unsure`; its value is the mean of the tied levels.

    Parts, with several judges: `judge 1`, `judge 2`, …

    ## Options

    - `question`: what is asked about the response. Default: whether it answers the query rightly, completely and clearly.
    - `levels`: from the worst to the best, each with `label`, `means` and, if the steps are uneven, `value`. Default: `poor`, `fair`, `good`.
    - `references`: whether the references of the case are shown. Default true.
    - `judges`: names of the models that are asked. Default: the judges of the run (`--judge`, `judges:`).
    - `panel`: `vote` (`majority`, `mean`, `median`, `lowest`), `least` (verdicts that are enough; if absent, all that
      could change the result), `first` (judges that are asked first, the others only where these disagree).
    - `prompt`: another prompt, or `@FILE`. It has the parts `[system]` and `[user]`, and the places `{{question}}`, `{{levels}}`, `{{form}}` and `{{data}}`.
    - `schema`: whether the form of the reply is sent as a JSON Schema. Default true.

    ## Examples

    `replies` are what the judge says.

    ```case
    {"case": {"query": "When does the museum open?", "response": "At ten, but on Mondays it stays closed."}, "replies": ["{\\"reason\\": \\"It gives the hour and the exception.\\", \\"level\\": \\"good\\"}"], "expect": 1.0}
    ```

    Levels of your own.

    ```case
    {"params": {"question": "Is the reply kind?", "levels": [{"label": "rude"}, {"label": "cold"}, {"label": "neutral"}, {"label": "warm"}, {"label": "very warm"}]}, "case": {"query": "I failed again.", "response": "Try harder."}, "replies": ["```json\\n{'reason': 'No word of comfort.', 'level': 'Cold',}\\n```"], "expect": 0.25}
    ```

    A panel of three, by majority.

    ```case
    {"params": {"judges": ["a", "b", "c"]}, "case": {"query": "Why is the sky blue?", "response": "Because of scattering."}, "replies": ["{\\"reason\\": \\"short\\", \\"level\\": \\"fair\\"}", "{\\"reason\\": \\"right\\", \\"level\\": \\"good\\"}", "{\\"reason\\": \\"thin\\", \\"level\\": \\"fair\\"}"], "expect": 0.5, "parts": {"judge 1": 0.5, "judge 2": 1.0}}
    ```

    A reply that cannot be read is asked for once more.

    ```case
    {"case": {"query": "Q?", "response": "A."}, "replies": ["I like it.", "{\\"reason\\": \\"it answers\\", \\"level\\": \\"good\\"}"], "expect": 1.0}
    ```

    ```case
    {"case": {"query": "Q?", "response": "A."}, "replies": ["I like it.", "I still like it."], "expect_error": "could not be read"}
    ```

    ## Differences from other tools

    G-Eval and DeepEval ask for a number and, where they can, weigh it with the probabilities of its tokens; here levels have names and meanings, and a score can be
    traced to one of them. Inspect's `model_graded_qa` and promptfoo's `llm-rubric` put the response into the prompt as it is; here it is quoted and escaped.
    What cannot be read is an error here, elsewhere often a failed answer or a missing value.

    ## References

    - L. Zheng et al., 2023: Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena.
    - S. Kim et al., 2024: Prometheus 2, an open source language model specialized in evaluating other language models.
    """

def judge_same_answer(
    *,
    rule_first: bool | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# judge_same_answer

    Whether the response gives the same answer as a reference: by rule where that is certain, by a model where it is not.

    ## What it measures

    1 where the response says the same as one of the references, 0 where it does not. The label says who decided: `same, by rule`, `other, by rule`, `same, by judge`,
    `other, by judge`; every report counts these labels, so that both counts can be seen.

    The evidence is that of `answer_match` where the rule decided, and the judge's reason where a model did.

    ## When to use it

    For open questions whose right answers can be worded in many ways: the rule settles what is plain, for nothing and the same every time, and the model is asked
    for the rest.

    ## When not to

    Where the answers are short and English, `answer_match` alone is nearly as good and costs nothing. Where completeness or style count, use
    `judge_rubric`.

    ## Formula

        value = rule, if certain; else vote of the judges

    The rule is `answer_match`. It is certain

    - of *same*, where the response consists of the words of the reference, of the same number or date, of its initials or of another name that WordNet knows, and of words
      without content;
    - of *other*, where the response mentions the reference and takes it back (denies it, corrects it, puts it second, leaves it open).

    On the labelled answers of this project (`tests/labelled/answer_match`) it is certain of 113 of 536 in the development part and of 41 of 232 in the other, and right about
    all of them; a test holds it there. Most of these answers were written to be hard. Both parts were looked at while the rule was made: a first, wider rule was certain of 63 answers of the held-out part and wrong about
    3 of them (near names, shortened ranges), so it was narrowed, and then widened again by initials and names of WordNet. The figures are therefore not those of a blind test.

    Parts: `by rule` (1 or 0) and, with several judges, `judge 1`, `judge 2`, …

    ## Options

    - `rule_first`: whether a certain verdict of the rule spares the question. Default true.
    - `judges`: names of the models that are asked. Default: the judges of the run.
    - `panel`: `vote` (`majority`, `mean`, `median`, `lowest`), `least`, `first`; see `judge_rubric`.
    - `prompt`: another prompt, or `@FILE`, with the places `{{form}}` and `{{data}}`.
    - `schema`: whether the form of the reply is sent as a JSON Schema. Default true.

    ## Examples

    The rule is certain: nobody is asked.

    ```case
    {"case": {"query": "Which ocean lies between Africa and Australia?", "response": "the Indian Ocean", "reference": "Indian Ocean"}, "replies": [], "expect": 1.0, "parts": {"by rule": 1.0}}
    ```

    ```case
    {"case": {"query": "Which ocean lies between Africa and Australia?", "response": "The water between them is named after the subcontinent to its north.", "reference": "Indian Ocean"}, "replies": ["{\\"reason\\": \\"It describes the Indian Ocean.\\", \\"same\\": true}"], "expect": 1.0, "parts": {"by rule": 0.0}}
    ```

    The words are there, the sense is another.

    ```case
    {"case": {"query": "Which company acquired WhatsApp in 2014?", "response": "Facebook was acquired by WhatsApp that year.", "reference": "Facebook"}, "replies": ["{\\"reason\\": \\"The roles are exchanged.\\", \\"same\\": false}"], "expect": 0.0}
    ```

    ```case
    {"case": {"query": "Who wrote it?", "response": "A woman from Hampshire, in her thirties.", "reference": "Jane Austen"}, "replies": ["Maybe.", "Hard to say."], "expect_error": "could not be read"}
    ```

    ## Differences from other tools

    Inspect's `model_graded_fact`, OpenAI's SimpleQA grader and Ragas' factual correctness ask a model about every answer. SimpleQA knows a third verdict, *not
    attempted*; here that is *other*.

    ## References

    - J. Wei et al., 2024: Measuring short-form factuality in large language models (SimpleQA).
    - J. Bulian et al., 2022: Tomayto, tomahto. Beyond token-level answer equivalence for question answering evaluation.
    """

def judge_steps(
    *,
    steps: Sequence[str] = ...,
    from_: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# judge_steps

    Share of a list of steps that a model finds in the response, with the words it rests on.

    ## What it measures

    The share of the steps that are met. For each step that is met, the judge gives the words of the response that meet it; where these stand in the response, letter by
    letter, the evidence points at them, and where they do not, it says so. Steps that are not met are listed as missing.

    ## When to use it

    For answers that have to do several things: a protocol, a derivation, a checklist, the facts that a complete answer holds. One question about each
    step is easier to answer, and to check, than one about the whole.

    ## When not to

    Where the steps are words or phrases that can be looked for: use `contains`. Where the order of the steps matters: it is not looked at.

    ## Formula

        value = met / steps

    With several judges each step is voted on by itself. A reply that leaves out a step, has one twice or knows one that is not there cannot be read: it is asked for
    once more and then counts as no verdict.

    Parts: `met`, `steps` and, with several judges, `judge 1`, `judge 2`, …

    ## Options

    - `steps`: the steps, where they are the same for every case.
    - `from`: where the steps of a case are, `reference` or `metadata.KEY`. Default `metadata.steps`.
    - `judges`: names of the models that are asked. Default: the judges of the run.
    - `panel`: `vote` (`majority`, `mean`, `median`, `lowest`), `least`, `first`; see `judge_rubric`.
    - `prompt`: another prompt, or `@FILE`, with the places `{{form}}` and `{{data}}`.
    - `schema`: whether the form of the reply is sent as a JSON Schema. Default true.

    ## Examples

    ```case
    {"case": {"query": "How do I plant a tree?", "response": "Dig a hole twice as wide as the roots and water it well.", "metadata": {"steps": ["dig a wide hole", "loosen the roots", "water"]}}, "replies": ["{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"Dig a hole twice as wide\\", \\"met\\": true}, {\\"step\\": 2, \\"quote\\": \\"\\", \\"met\\": false}, {\\"step\\": 3, \\"quote\\": \\"water it well\\", \\"met\\": true}]}"], "expect": 0.6666666666666666, "parts": {"met": 2.0, "steps": 3.0}}
    ```

    The same steps for every case.

    ```case
    {"params": {"steps": ["greets", "apologises"]}, "case": {"response": "Good morning."}, "replies": ["{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"Good morning\\", \\"met\\": true}, {\\"step\\": 2, \\"quote\\": \\"\\", \\"met\\": false}]}"], "expect": 0.5}
    ```

    The judge forgets one and is asked again.

    ```case
    {"params": {"steps": ["greets", "apologises"]}, "case": {"response": "Hello! I am sorry."}, "replies": ["{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"Hello!\\", \\"met\\": true}]}", "{\\"steps\\": [{\\"step\\": 1, \\"quote\\": \\"Hello!\\", \\"met\\": true}, {\\"step\\": 2, \\"quote\\": \\"I am sorry.\\", \\"met\\": true}]}"], "expect": 1.0}
    ```

    ```case
    {"case": {"response": "Hello!"}, "replies": [], "expect_not_applicable": true}
    ```

    ```case
    {"params": {"steps": ["greets"]}, "case": {"response": "Hello!"}, "replies": ["{\\"steps\\": [{\\"step\\": 2, \\"met\\": true}]}", "{\\"steps\\": []}"], "expect_error": "step 1 is missing"}
    ```

    ## Differences from other tools

    The step-level accuracy of SGI-Bench lets the judge cut the response into steps and counts those it calls correct, so that the denominator is the judge's; here
    the steps are given.

    ## References

    - H. Lightman et al., 2023: Let's verify step by step.
    - S. Min et al., 2023: FActScore, fine-grained atomic evaluation of factual precision.
    """

def completeness(
    *,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# completeness

    Share of the keywords of the query that the response takes up.

    ## What it measures

    Which of the things asked for are at least mentioned. The evidence shows each keyword with its place in both texts, or as missing.

    ## When to use it

    For queries that name several things ("price, opening hours and parking"), to see which of them an answer leaves out.

    ## When not to

    When a good answer need not repeat the question. "Who wrote Hamlet?" answered by "Shakespeare." takes up no keyword.

    ## Formula

        value = keywords of the query that the response holds / keywords of the query

    Keywords are the distinct words of NLTK's `word_tokenize` of the lower-cased text that are letters and digits throughout and no English stop words.
    Hyphenated words, decimals, numbers with commas and abbreviations with full stops are no keywords. An empty query is complete (1), then an empty response
    is not (0), then a query without keywords is (1).

    ## Options

    None.

    ## Examples

    ```case
    {"case": {"query": "Which boats can the club sell?", "response": "The club has two boats."}, "expect": 0.6666666666666666, "parts": {"found": 2, "keywords": 3}}
    ```

    ```case
    {"case": {"query": "", "response": ""}, "expect": 1.0}
    ```

    ```case
    {"case": {"query": "Who is it?", "response": ""}, "expect": 0.0}
    ```

    ```case
    {"case": {"query": "Who is it?", "response": "Me."}, "expect": 1.0}
    ```

    ## Differences from other tools

    Equals NLTK 3.9.1 token by token on lower-cased text (NLTK 3.10 splits an opening quotation mark off, as in `'best`); the 19 stop words that newer data added all hold an apostrophe and change nothing. Plurals
    and other forms of a word do not count: `boat` is not `boats`.

    ## References

    - Bird, Klein, Loper: Natural Language Processing with Python, 2009 (NLTK).
    - Kiss, Strunk: Unsupervised Multilingual Sentence Boundary Detection, Computational Linguistics 32(4), 2006.
    """

def hallucination(
    *,
    anchor_weights: Sequence[float] = ...,
    claim_window: int | None = ...,
    drift_below: float = ...,
    drift: float = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# hallucination

    Share of the numbers, dates and claims of the response that the context does not bear out.

    ## What it measures

    What a response states and its context does not.

    The published profile takes each number, date and claim (subject, verb, object) of the response for an anchor and looks for it in the context. A response that hardly shares
    a word with its context has drifted away and gets at least 0.2.

    The improved profile goes sentence by sentence and asks how much of it the context lacks: words, pairs of words, what the best two sentences leave open, names, numbers and dates.
    The value comes from the worst sentences; the label is a decision by calibrated thresholds on it, which a rule may veto, and `unsure` in between.

    The evidence lists what was looked for with its place, whether it is borne out, where in the context, and if not, why; of a sentence the words that the context lacks and the sentence
    there that comes nearest.

    ## When to use it

    For answers from retrieved passages: support chats, research assistants, summaries with figures.

    ## When not to

    Where the answer may go beyond the passages. As proof that an answer is right: it sees what can be checked word by word. To the published profile an answer without
    numbers, dates and assertive verbs has no anchor. The value of the improved profile is high for a faithful answer in new words, and its label is unsure there. Who did what to whom, and a plan that became a fact, it does not see: an answer
    of many sentences can be `supported` with one wrong word in it (see Labels). The rules are English.

    ## Formula

        claim_error = unsupported anchors / all anchors, by weight; 0 without anchors
        overlap     = distinct words of the response that the context has / distinct words of the response
        drift       = 0.2 if overlap < 0.2, else 0
        value       = max(claim_error, drift)

    Words are those of NLTK's `word_tokenize` on lower case, and as in the original its marks and stop words count: a full stop that both texts have is a shared word. "Bananas grow quickly." against "Water boils at 100
    degrees." shares one of four and has not drifted; without its full stop it shares none of three and has.

    An empty response has value 0. A context without a chunk, or of blank chunks, gives 1 and one item that says so.

    Anchors of the published profile:

    - *numeric*: money, percentages, measured quantities, cardinals, with currency, scale and unit. Borne out by a number of the same value:
      a percentage by a percentage, money by the same currency or a bare number, a quantity by the same unit, a bare number by anything but a percentage.
    - *date*: dates of any precision, times, lengths of time, relative days. Borne out by one date that has all of its fields; the context may say
      more, never less.
    - *claim*: subject, verb and object of one of thirteen assertive verbs (be, cost, include, offer, release, announce, acquire, buy, sell, win, lose,
      found, locate). Hedged claims ("may cost", "probably won") are none. Borne out by a sentence that holds subject and object, with
      or without a denial as the claim, a verb of the same class, and the roles the same way round. A pronoun as subject is not looked for; a sentence
      that begins with "it", "he", "she" or "they" also counts for a subject of the sentence before. That a price (or a cost, a charge) *is* so much, a sentence bears out in which something *costs* so much. With
      `claim_window` a claim is borne out where subject and object stand so many characters apart in the chunks, joined by one space.

    ### The improved profile

    Text that was cut into tokens is joined again ("has n't", "$ 10, 000", "2007 -- 08"; "2.000.000" is two million), and references to the passages by number ("(Passage 2)", "[3]", "according to passages 1 and 3") are
    not held against the answer. Markdown, bullets and numerals are cut off first. Headings, questions, politeness ("I hope this helps"), talk about the answer ("Based on the passages,") and declining ("The context does not
    say") are not held against anything: a declined answer has value 0. For every other sentence:

    | share | what the context lacks of the sentence |
    |---|---|
    | words | content words and numbers, by stem; a word with a synonym in the context counts half |
    | pairs | pairs of content words, up to three apart, that no sentence of the context holds together |
    | cover | what the best two sentences of the context leave open, each word by ln((s + 1) / (n + 0.5)) if n of s sentences hold it |
    | names | 1 if there is a name (a word with a capital inside a sentence) of which the context has neither the word nor its first five letters (three, where it is cut short: *Mon*) nor its initials |
    | numbers | 1 if there is a number or date that the context does not have by value, or a clause with another one than the sentence of the context that holds two thirds of its words |
    | opposed | 1 if a clause and the one of the context that comes nearest say the opposite: a word of both is denied in one of them only, or the context has the opposite of a word that it lacks (*rose*, *fell*) |

    Numbers are compared within their kind: a count, a share, a time of day, a date, a length of time, an ordinal, money, a measure. 4 players are not borne out by 16 players, 10 % not by 10 am, 9 pm not by 9 am. Within a
    kind they are looked for in any shape: units of one dimension are converted (`crates/text/data/units.tsv`), "64 to 70 °F" has its unit twice, *day two* is the second day, *until 4* is until 16, *half past three* is 15.30
    or 3.30, *a tenth* is 10 %, *CHF 40* is 40 francs, 250 cents are $2.50; a weekday, a quarter, a decade or a century follows from a date. A number that does not say of what ("and then 8") may be of any of them but a share. A
    number may be rounded at its last written digit (2.5 million for 2,487,312; 2 % off at most), "about" allows two digits, "more than", "nearly", "up to" and the like a quarter above or below. There is no limit to how many
    numbers a context may have.

    What can be worked out is no invention: a sum, a difference, a multiple, a share, an age, an area, an arrival, the time between two dates from two numbers of the context (of 24 numbers and 24 dates at most; with more of them anything follows) if
    one of the two is said beside it or the words tell that it was worked out (*in total*, *each*, *dropped by*), and what "a week", "a year", "double" and "half" say of one. The evidence shows how: `follows: 131 / 212 = 62 %`,
    `converted: 0.5 kWh = 500 Wh`. What is denied ("it won't run on version 14") or supposed ("with 10,000 in the account") need not stand in the context. What is relative ("the previous year"), one by its article ("in a year") and nought, which any denial tells,
    need not stand there either. `docs/guides/quantities.md` has all of it.

    Clauses: a sentence is cut at its marks and joining words. A clause is compared if it has four content words and one sentence of the context holds half of them, or if that sentence holds all of
    its two or three (for an opposite, all but one). A denial (*not*, *never*, *without*, *refused*, *was dropped*) denies the word behind it, and those joined to it by *or*. It is a difference where both clauses have that word
    and only one denies it; not where the other denies it in another place ("does not contain eggs", "contains no eggs"), and not where one of them sets a limit (*before*, *until*, *only*, *at most*), which can be said
    with a denial or without, asks a question, or denies by a word of its own (*unable to*, *avoid*, *without*). An opposite is none where something is denied or where the response has both words ("most shut, two stay open").

        few      = n / (n + 1) for n content words: a sentence of few words says little
        sentence = min(1, (few * (words + pairs + cover) + 2 * (names + numbers + opposed)) / 5)
        value    = (3 * worst sentence + mean of the worst third, three at least) / 4

    Whether a sentence reaches some value says how much of it is new, not whether it is false; the label says what was proved.

    ### Labels

    The first rule that fits:

    | label | when |
    |---|---|
    | `contradicted` | in a sentence that is met but for it, one thing of a closed sort stands in the place of another that excludes it: another number, unit, date, weekday or time, the opposite of a word by WordNet, *before* for *after*, *unless* for *if*, a denial put in or left out |
    | `supported` | every sentence is near-verbatim: nothing is left over but light words (*take*, *there are*), no word of logic, speech or plan is lost (*not*, *only if*, *said*, *expected*), no value or name stands where the context has another one, no verb is passive on one side only, no two clauses are joined in their middle |
    | `unsure` | the response has fewer than 28 content words: in a short answer one word decides, and a share of words does not show it |
    | `supported` | the value is 0.36 or less, and no sentence vetoes it |
    | `unsupported` | the value is 0.72 or more; also where there is no context |
    | `unsure` | else, also where the response states nothing |

    A sentence vetoes where it has a number or date that its context lacks, has elsewhere with another one in its place, or gives to something else ("For adults the dose is 5 mg" of "5 mg for children and 10 mg for adults"); where a denial is new or
    left out, or opposed; and where less than half of its content is met. Who owns a value is told by marks and joining words: each value of a kind has the words of its own limb of the sentence, and what stands before the first one is shared where the
    later ones open their limbs.

    To find what is left over, each sentence is laid over the context. Its words of content and of logic (*not*, *only*, *until*, *may*, *more than* …), its names, numbers and dates take the cheapest way through the words of the eight sentences
    of the context that share most with it: the next word is free, skipping words, going back and going to another sentence cost something, and a word that is not met costs most.

    The thresholds `rag-2026-11` were chosen on 355 answers of models to questions over web passages with people's marks (RAGTruth), the vetoes and the 28 words on these, on 880 ordinary responses and on minimal pairs. How often each label is
    right, on which text, is in `docs/judgement.md`; reports name the thresholds with their figures. They follow natural text, where nine answers of ten with a low value hold. Where half of the answers are false by design they are not right for: of minimal
    pairs 4 % of all labels are wrong, but nearly two fifths of `supported`. `probare calibrate` finds thresholds for your own answers.

    What is open accuses nobody: another name, another word, a number that stands nowhere (it may be a sum, a share, a rounding).
    The evidence of `supported` shows for each sentence the passage that it leans on, of `contradicted` both places, of `unsure` the words that were not met. With `judge: when_unsure` a judge decides what is unsure
    (`docs/guides/cascade.md`).

    The weights are 1 for other words and 2 for other facts: new words may say the same, another name, number or a denial cannot, and one of these alone makes a sentence unsupported. Area under the ROC
    curve against people's labels on four sets that rules were tried on (DeFacto and BUMP: news summaries, natural and edited; SummEdits: edited summaries; WiCE: claims with the article they
    cite), beside the published profile, the improved profile of release 0.1 and the plain share of new word pairs:

    | set | reference | careful 0.1 | careful | new word pairs | the 2 chosen on the other three | six weights fitted on the other three |
    |---|---|---|---|---|---|---|
    | DeFacto | 0.615 | 0.687 | 0.810 | 0.640 | 0.810 | 0.801 |
    | BUMP | 0.546 | 0.539 | 0.616 | 0.538 | 0.618 | 0.617 |
    | SummEdits | 0.608 | 0.541 | 0.649 | 0.499 | 0.650 | 0.633 |
    | WiCE | 0.643 | 0.713 | 0.771 | 0.635 | 0.771 | 0.745 |
    | mean | 0.603 | 0.620 | 0.712 | 0.578 | 0.712 | 0.699 |

    With 1 in place of 2 the mean is 0.704, with 1.5 it is 0.711, with 3 and 4 (which each three sets choose for the fourth) 0.712: any weight from 1.5 on is as good here. On ordinary answers (below) all weights from 0.5 to 3 are
    alike in the mean; answers of a small model want more, answers that paraphrase freely less. A logistic regression on the six shares of the worst sentence, fitted on three sets, transfers worse than the round
    weights. Also tried and left out, since they gain nothing on natural answers: shares of new neighbouring words and of new triples, names that stand in another part of the context, another word in
    the place of one (at chance), words weighed by their part of speech, the number of new words, the mean of all sentences.

    Where a summary was edited in a word or two, nobody who counts words sees much. Of the faithful responses of these sets 25 to 42 % reach 0.3, since they say it in other words or with a name
    from elsewhere, of the unfaithful ones 48 to 81 %; a gate on this value is set by trying it on answers of one's own.

    How clauses are turned around, in responses with such a clause: those that people find unfaithful, of all. A kind is looked for if its hits are right more often than a guess; the others were tried and left out.

    | the clause | DeFacto (41 % unfaithful) | BUMP (82 %) | SummEdits (61 %) | WiCE (83 %) | ordinary (54 %) | ordinary, kept apart (59 %) | looked for |
    |---|---|---|---|---|---|---|---|
    | is denied on one side | 0 of 2 | 40 of 45 | 30 of 30 | 2 of 3 | 15 of 21 | 8 of 12 | yes |
    | has the opposite of a word | 0 of 0 | 18 of 19 | 17 of 17 | 1 of 1 | 8 of 11 | 0 of 1 | yes |
    | has another number | 1 of 2 | 32 of 37 | 37 of 38 | 8 of 11 | 22 of 25 | 7 of 9 | yes |
    | has the roles exchanged | 0 of 0 | 1 of 2 | 0 of 0 | 0 of 1 | 3 of 3 | 0 of 0 | no, too few |
    | tells a plan as a fact | 7 of 18 | 74 of 89 | 67 of 123 | 26 of 36 | 31 of 57 | 11 of 16 | no |
    | a possibility | 2 of 5 | 32 of 38 | 0 of 1 | 4 of 5 | 22 of 39 | 9 of 15 | no |
    | a condition | 0 of 1 | 2 of 4 | 1 of 1 | 2 of 2 | 5 of 12 | 2 of 4 | no |
    | what somebody says | 10 of 45 | 124 of 152 | 0 of 0 | 17 of 25 | 23 of 34 | 6 of 10 | no |

    *Ordinary* are responses of other hands in the way that assistants write, and of a small language model (`tests/labelled/ordinary`). On the 880 that rules were tried on careful has 0.68, reference 0.48; on the 280 that were kept
    apart careful has 0.66 (0.77 on those of the model, 0.64 on the others), reference 0.57, the improved profile before this one 0.59. There the words alone have 0.65: where an answer paraphrases well and errs in one detail,
    names, numbers and denials add little. `docs/judgement.md` has errors one by one.

    ## Options

    - `profile`: `reference` (default) or `improved`.
    - `anchor_weights`: weights of numbers, dates and claims, 1, 1 and 1; the published code used 1, 1 and 0.5. This and what follows is for the published profile.
    - `claim_window`: test a claim by the distance of subject and object in characters instead; 300 is what the published code did.
    - `drift_below` and `drift`: the two 0.2 above.

    ## Examples

    A wrong price: the number and the claim.

    ```case
    {"case": {"response": "The annual pass costs $180.", "context": ["The annual pass costs $150. Children pay $75."]}, "expect": 1.0, "parts": {"claim_error": 1.0, "drift": 0.0}}
    ```

    The number stands in the context, but for something else.

    ```case
    {"case": {"response": "The annual pass costs $75.", "context": ["The annual pass costs $150. Children pay $75."]}, "expect": 0.5}
    ```

    Another wording of the same.

    ```case
    {"case": {"response": "Siemens bought the startup in 2011.", "context": ["The startup was acquired by Siemens on 4 May 2011."]}, "expect": 0.0}
    ```

    Nothing to check, and about something else.

    ```case
    {"case": {"response": "Bananas grow quickly in warm weather.", "context": ["Water boils at 100 degrees Celsius at sea level."]}, "expect": 0.2}
    ```

    The same claim by the distance of words, which does not see who bought whom.

    ```case
    {"params": {"claim_window": 300}, "case": {"response": "YouTube acquired Google.", "context": ["Google acquired YouTube in 2006."]}, "expect": 0.0}
    ```

    With weights, the claim counts half.

    ```case
    {"params": {"anchor_weights": [1, 1, 0.5]}, "case": {"response": "The annual pass costs $75.", "context": ["The annual pass costs $150. Children pay $75."]}, "expect": 0.3333333333333333}
    ```

    Converted by the improved profile, and not by the reference.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "The trail is about 5 kilometres long.", "context": ["The trail is 3.1 miles long."]}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "The trail is about 5 kilometres long.", "context": ["The trail is 3.1 miles long."]}, "expect": 0.5}
    ```

    One invented sentence behind one that is borne out, and a declined answer, in the improved profile.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "The annual pass costs $150. Dogs travel free on Sundays.", "context": ["The annual pass costs $150. Children pay $75."]}, "expect": 0.77}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "I'm sorry, but I couldn't find the price for dogs.", "context": ["The annual pass costs $150. Children pay $75."]}, "expect": 0.0}
    ```

    One number in the place of another, all else the same: `contradicted`.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "Visitors can see the painting in room 41 until 2 May.", "context": ["Visitors can see the painting in room 14 until 2 May."]}, "expect": 0.56, "tolerance": 0.05, "label": "contradicted"}
    ```

    The same in other words proves nothing either way: `unsure`.

    ```case
    {"params": {"profile": "improved"}, "case": {"response": "The painting hangs there till spring is over.", "context": ["Visitors can see the painting in room 14 until 2 May."]}, "expect": 0.43, "tolerance": 0.05, "label": "unsure"}
    ```

    ```case
    {"case": {"response": "The pass costs $5.", "context": ["  "]}, "expect": 1.0}
    ```

    A full stop counts as a word in the drift.
    ```case
    {"case": {"response": "Bananas grow quickly.", "context": ["Water boils at 100 degrees."]}, "expect": 0.0}
    ```

    Without it no word is shared.
    ```case
    {"case": {"response": "Bananas grow quickly", "context": ["Water boils at 100 degrees."]}, "expect": 0.2}
    ```

    A price is what something costs.
    ```case
    {"case": {"response": "The vehicle price is 50,000.", "context": ["The car costs 50,000."]}, "expect": 0.0}
    ```

    ## Differences from other tools

    The rules are those of a published checker with its faults removed: "$15" is not found in "$150", nor "20" in "20%"; years are compared in full;
    currency, roles, verbs and denials count; times are dates. Other tools ask a model, which sees more and explains less.

    ## References

    - Universal Dependencies, English Web Treebank: the parser that finds claims is learnt from it.
    - Fellbaum (ed.): WordNet, an electronic lexical database, 1998.
    """

def relevance(
    *,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# relevance

    Mean of the tf-idf cosine and the Jaccard index of query and response.

    ## What it measures

    How far the response speaks of what was asked, by the words both hold. The cosine compares content words, weighted by how often they occur and
    whether both texts hold them; the Jaccard index compares all words as they stand. The evidence lists the shared terms with what each adds to the
    cosine, and the terms of the query that the response lacks.

    ## When to use it

    As a cheap alarm for answers to another question, beside `completeness` and `hallucination`.

    ## When not to

    As the only sign of quality. A response that repeats the question scores high; a right answer in other words, or a short one ("Paris."), scores low.

    ## Formula

        weight  = occurrences · (ln(3 / (1 + texts that hold the term)) + 1)
        cosine  = cosine of the two weight vectors
        jaccard = shared words / all words
        value   = (cosine + jaccard) / 2

    Terms are lower-cased runs of at least two letters, digits or underscores without the 318 English stop words of scikit-learn. The words of the Jaccard
    index are what stands between white space, lower-cased, with their punctuation. An empty query or response gives 0. Where neither text holds a term
    the value is 0 whatever the Jaccard index; a note `empty_vocabulary` tells this from irrelevance.

    ## Options

    None.

    ## Examples

    ```case
    {"case": {"query": "What is the capital of France?", "response": "The capital of France is Paris."}, "expect": 0.604648633303137, "parts": {"cosine": 0.7092972666062739, "jaccard": 0.5}}
    ```

    No term in common.

    ```case
    {"case": {"query": "opening hours of the library", "response": "Kelp grows quickly."}, "expect": 0.0}
    ```

    Only stop words: nothing to compare, although one word is shared.

    ```case
    {"case": {"query": "Who is it?", "response": "It is you"}, "expect": 0.0, "parts": {"jaccard": 0.2}}
    ```

    ## Differences from other tools

    Equals `TfidfVectorizer(stop_words="english")` of scikit-learn 1.9.1, fitted on the two texts, within 1e-9. scikit-learn fails with an empty vocabulary
    where this metric says so in a note. Tools that compare embeddings see synonyms and give other numbers.

    ## References

    - Salton, Buckley: Term-weighting approaches in automatic text retrieval, Information Processing & Management 24(5), 1988.
    - scikit-learn user guide, section "Text feature extraction".
    """

def verdict(
    *,
    thresholds: dict[str, Any] = ...,
    hallucination: dict[str, Any] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# verdict

    PASS, WARN or FAIL with reasons, from relevance, completeness, hallucination, time and cost.

    ## What it measures

    **Known limits first.** New users get the `published` profile, which follows the published rules to the letter. Of fifteen answers written as users meet them, seven of them bad, it passed four of the bad ones and failed two of the eight good ones; a polite refusal fails
    with "Unsupported claims: I 'm sorry". It finds numbers, dates and thirteen verbs, and it does not see a value that belongs to something else, another name, or what is left out. With `profile: improved` an answer fails or passes where `hallucination` decides
    and is `unsure` elsewhere, which is more than half of natural answers. Neither replaces a judge or a reader where a wrong answer costs something.

    Whether a response can go out as it is (PASS, 1), should be looked at (WARN, 0.5) or should not be used (FAIL, 0). The label is the word; the first
    notes are the reasons, then come the anchors without support.

    ## When to use it

    As one gate over a chatbot that answers from retrieved passages.

    ## When not to

    To compare systems: three steps hide what the parts show. Use the parts, or `relevance`, `completeness` and `hallucination` by themselves.

    ## Formula

    The rules in order; a warning never lowers a failure, and all comparisons are strict and on unrounded values:

    1. hallucination > 0.5: FAIL; else > 0.1: WARN. The first three or two unsupported texts are named.
    2. relevance < 0.05: FAIL; else < 0.2: WARN.
    3. completeness < 0.5 and still PASS: WARN.
    4. latency > 2000 ms: WARN.
    5. estimated cost > 0.05 USD: WARN.

    The improved profile follows the label of `hallucination`, in place of rule 1: `contradicted` and `unsupported` are a FAIL, `supported` is no objection, and makes rule 2 a warning at most, since an answer that was copied from the context
    may share no word with the question. Where `hallucination` is unsure the rules give the value, and the label is `unsure`. Such cases can go to a judge (`judge: when_unsure`).

    The cost is the number of characters of query, response and all passages, divided by 4 (a token) and by 1000, times 0.002 USD. The latency is taken
    from `latency_ms` in the metadata of the case, if it is there; `probare rag eval` measures its own.

    ## Options

    - `profile`: `reference` (default) or `improved`; which reading of `hallucination`.
    - `thresholds`: `hallucination_fail` (0.5), `hallucination_warn` (0.1), `relevance_fail` (0.05), `relevance_warn` (0.2), `completeness_warn` (0.5),
      `latency_warn_ms` (2000), `cost_warn_usd` (0.05). The first published version had 0.1 for `relevance_fail` and 0.6 for `completeness_warn`.
    - `hallucination`: options of that metric.

    ## Examples

    ```case
    {"case": {"query": "What does the annual pass cost?", "response": "The annual pass costs $150.", "context": ["The annual pass costs $150."]}, "expect": 1.0, "parts": {"hallucination": 0.0}}
    ```

    A wrong price.

    ```case
    {"case": {"query": "What does the annual pass cost?", "response": "The annual pass costs $180.", "context": ["The annual pass costs $150."]}, "expect": 0.0, "parts": {"hallucination": 1.0}}
    ```

    Slow, and nothing else.

    ```case
    {"case": {"query": "What does the annual pass cost?", "response": "The annual pass costs $150.", "context": ["The annual pass costs $150."], "metadata": {"latency_ms": 2500}}, "expect": 0.5}
    ```

    ```case
    {"params": {"thresholds": {"hallucination_fail": 1.0, "hallucination_warn": 0.4}}, "case": {"query": "What does the annual pass cost?", "response": "The annual pass costs $180.", "context": ["The annual pass costs $150."]}, "expect": 0.5}
    ```

    ## Differences from other tools

    The thresholds are those of the newest published version; its documents also name 0.6 for completeness and 0.1 for relevance, so every limit is an
    option. Unlike there, values are never rounded before they are compared.

    ## References

    - None: the rules are a convention.
    """

def average_precision(
    *,
    k: int | None = ...,
    divide_by: Literal["relevant"] | Literal["reachable"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# average_precision

    Mean of the precisions at the places of the relevant documents.

    ## What it measures

    Cleanliness and completeness of a ranking in one number: at every relevant document the precision of the list so far is taken, and a
    relevant document that is not found adds 0. The mean over many queries is known as MAP.

    ## When to use it

    When all relevant documents should be found and stand before the others.

    ## When not to

    When one document is enough (`reciprocal_rank`), or when only the first few places are seen (`precision_at_k`).

    ## Formula

        average precision = Σ precision(place) / relevant   over the places of the relevant documents

    `precision(place)` is the number of relevant documents up to this place, divided by the place. Ids are compared exactly.

    - A document that is retrieved twice counts at its first place; the second place stays occupied and is no hit.
    - A list shorter than `k` is taken as it is.
    - An empty `retrieved` gives 0. An empty `relevant` makes the metric not applicable.

    Parts: `precisions` (the sum) and `divisor`; their quotient is the value.

    ## Options

    - `k`: how many places are looked at, at least 1. All of them by default.
    - `divide_by`: `relevant` (default), the number of relevant documents; or `reachable`, the lesser of that and `k`, so that a perfect list
      of `k` documents gets 1.

    ## Examples

    Hits at the places 1 and 3: (1/1 + 2/3) / 2.

    ```case
    {"case": {"retrieved": ["d1", "d7", "d2"], "relevant": ["d1", "d2"]}, "expect": 0.8333333333333334}
    ```

    Three documents are relevant, and two places are looked at.

    ```case
    {"params": {"k": 2}, "case": {"retrieved": ["d1", "d2"], "relevant": ["d1", "d2", "d3"]}, "expect": 0.6666666666666666}
    ```

    ```case
    {"params": {"k": 2, "divide_by": "reachable"}, "case": {"retrieved": ["d1", "d2"], "relevant": ["d1", "d2", "d3"]}, "expect": 1.0}
    ```

    ```case
    {"case": {"retrieved": ["d1"], "relevant": []}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    The default equals `map` and `map_cut_k` of trec_eval. `divide_by: reachable` equals the AP@k of many recommender libraries.
    `average_precision_score` of scikit-learn works on scores and treats ties as one place; for distinct scores and all relevant documents
    retrieved it agrees.

    ## References

    - Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.4.
    """

def ndcg(
    *,
    k: int | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# ndcg

    Normalised discounted cumulative gain of a ranking, with relevance as yes or no.

    ## What it measures

    Whether the relevant documents stand as high as they could. Each one adds a gain that falls with its place; the sum is divided by that of a
    ranking with all relevant documents on top.

    ## When to use it

    When the order matters and more than one document is relevant.

    ## When not to

    When documents are relevant to different degrees: this metric knows two. When a number must be explained in a sentence, `recall_at_k` is
    easier to read.

    ## Formula

        gain  = Σ 1 / log2(place + 1)   over the places of the relevant documents
        ideal = the same over the places 1 … min(k, number of relevant documents)
        ndcg  = gain / ideal

    Places are counted from 1. Ids are compared exactly.

    - A document that is retrieved twice counts at its first place; the second place stays occupied.
    - A list shorter than `k` is taken as it is: the ideal does not become smaller.
    - An empty `retrieved` gives 0. An empty `relevant` makes the metric not applicable.

    Parts: `gain` and `ideal`; their quotient is the value.

    ## Options

    - `k`: how many places are looked at, at least 1. All of them by default.

    ## Examples

    The only relevant document stands at the third place.

    ```case
    {"case": {"retrieved": ["d7", "d8", "d1"], "relevant": ["d1"]}, "expect": 0.5}
    ```

    One of two relevant documents is found, on top: 1 / (1 + 1 / log2 3).

    ```case
    {"case": {"retrieved": ["d1", "d8"], "relevant": ["d1", "d2"]}, "expect": 0.6131471927654584}
    ```

    ```case
    {"params": {"k": 1}, "case": {"retrieved": ["d1", "d8"], "relevant": ["d1", "d2"]}, "expect": 1.0}
    ```

    ```case
    {"case": {"retrieved": ["d1"], "relevant": []}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Equals `ndcg_score` of scikit-learn for binary relevance where every relevant document is in the ranked list. scikit-learn knows the
    documents of that list alone, so a relevant document that was not retrieved makes our value smaller and leaves its value as it is; trec_eval
    counts it as we do.

    ## References

    - Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002.
    """

def precision_at_k(
    *,
    k: int = ...,
    divide_by: Literal["k"] | Literal["retrieved"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# precision_at_k

    Share of the first k retrieved documents that are relevant.

    ## What it measures

    How clean the top of a ranked list is. A value of 0.6 with `k` = 5 means that three of the first five places hold a relevant document.
    Their order within these places does not matter.

    ## When to use it

    When a reader, or a model with a small window, sees the first `k` documents and nothing else.

    ## When not to

    When there are fewer relevant documents than `k`: the best possible value is then below 1, and values of different queries do not
    compare. Use `recall_at_k` or `ndcg` there.

    ## Formula

        precision = hits / k

    `hits` is the number of distinct relevant documents among the first `k` of `retrieved`. Ids are compared exactly.

    - A document that is retrieved twice counts at its first place; the second place stays occupied and is no hit.
    - A list shorter than `k` is divided by `k` all the same, unless `divide_by` says otherwise.
    - An empty `retrieved` gives 0. An empty `relevant` makes the metric not applicable.

    Parts: `hits` and `places` (the divisor); their quotient is the value.

    ## Options

    - `k`: how many places are looked at, at least 1. Default 5.
    - `divide_by`: `k` (default) or `retrieved`, the number of filled places where the list is shorter than `k`.

    ## Examples

    Two of the first four places are relevant.

    ```case
    {"params": {"k": 4}, "case": {"retrieved": ["d1", "d7", "d3", "d9", "d2"], "relevant": ["d1", "d2", "d3"]}, "expect": 0.5}
    ```

    Two documents were retrieved, both right, and three places stay empty.

    ```case
    {"case": {"retrieved": ["d1", "d2"], "relevant": ["d1", "d2"]}, "expect": 0.4}
    ```

    The same, divided by what was retrieved.

    ```case
    {"params": {"divide_by": "retrieved"}, "case": {"retrieved": ["d1", "d2"], "relevant": ["d1", "d2"]}, "expect": 1.0}
    ```

    A repetition fills a place without being a second hit.

    ```case
    {"params": {"k": 2}, "case": {"retrieved": ["d1", "d1"], "relevant": ["d1"]}, "expect": 0.5}
    ```

    Without relevant documents there is nothing to be right about.

    ```case
    {"case": {"retrieved": ["d1"], "relevant": []}, "expect_not_applicable": true}
    ```

    ```case
    {"params": {"k": 0}, "case": {"retrieved": ["d1"], "relevant": ["d1"]}, "expect_error": "nonzero"}
    ```

    ## Differences from other tools

    The default is `P_k` of trec_eval, which has no duplicates to deal with. Tools that divide by the number of retrieved documents agree with
    `divide_by: retrieved`. Some tools give 0 where no document is relevant; here such a case does not enter the mean.

    ## References

    - Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.4.
    """

def recall_at_k(
    *,
    k: int = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# recall_at_k

    Share of the relevant documents that stand among the first k retrieved ones.

    ## What it measures

    How much of what there was to find has been found within the first `k` places.

    ## When to use it

    When the documents are handed to a model that can answer only from what it was given: a relevant document that is not among them is lost.

    ## When not to

    When there are more relevant documents than `k`, since the best possible value is then below 1. It also says nothing about the order;
    `ndcg` does.

    ## Formula

        recall = hits / relevant

    `hits` is the number of distinct relevant documents among the first `k` of `retrieved`, `relevant` the number of distinct documents in
    `relevant`. Ids are compared exactly.

    - A document that is retrieved twice counts at its first place; the second place stays occupied.
    - A list shorter than `k` is taken as it is.
    - An empty `retrieved` gives 0. An empty `relevant` makes the metric not applicable.

    Parts: `hits` and `relevant`; their quotient is the value.

    ## Options

    - `k`: how many places are looked at, at least 1. Default 5.

    ## Examples

    Two of three relevant documents stand among the first four.

    ```case
    {"params": {"k": 4}, "case": {"retrieved": ["d1", "d7", "d3", "d9", "d2"], "relevant": ["d1", "d2", "d3"]}, "expect": 0.6666666666666666}
    ```

    With one place more the third is found.

    ```case
    {"params": {"k": 5}, "case": {"retrieved": ["d1", "d7", "d3", "d9", "d2"], "relevant": ["d1", "d2", "d3"]}, "expect": 1.0}
    ```

    ```case
    {"case": {"retrieved": [], "relevant": ["d1"]}, "expect": 0.0}
    ```

    ```case
    {"case": {"retrieved": ["d1"], "relevant": []}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Equals `recall_k` of trec_eval for lists without duplicates. Some tools give 0, others 1, where no document is relevant; here such a case
    does not enter the mean.

    ## References

    - Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.4.
    """

def reciprocal_rank(
    *,
    k: int | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# reciprocal_rank

    One divided by the place of the first relevant document.

    ## What it measures

    How far down a reader has to go until the first useful document. The mean over many queries is known as MRR.

    ## When to use it

    When one good document is enough: a known page, a fact, the passage that answers the question.

    ## When not to

    When several documents are needed together. All but the first are ignored here; use `average_precision` or `ndcg`.

    ## Formula

        reciprocal rank = 1 / place of the first relevant document, or 0 where none is found

    Places are counted from 1. Ids are compared exactly.

    - Duplicates do not matter, since only the first hit counts; a repeated document occupies its places.
    - A list shorter than `k` is taken as it is.
    - An empty `retrieved` gives 0. An empty `relevant` makes the metric not applicable.

    Part: `place`, absent where nothing was found; its reciprocal is the value.

    ## Options

    - `k`: how many places are looked at, at least 1. All of them by default.

    ## Examples

    The first relevant document stands at the second place.

    ```case
    {"case": {"retrieved": ["d7", "d1", "d2"], "relevant": ["d1", "d2"]}, "expect": 0.5}
    ```

    It stands past the cut.

    ```case
    {"params": {"k": 1}, "case": {"retrieved": ["d7", "d1"], "relevant": ["d1"]}, "expect": 0.0}
    ```

    ```case
    {"case": {"retrieved": ["d7"], "relevant": []}, "expect_not_applicable": true}
    ```

    ## Differences from other tools

    Equals `recip_rank` of trec_eval, and with `k` the usual MRR@k.

    ## References

    - Voorhees: The TREC-8 Question Answering Track Report, 1999.
    """

def deep_research(
    *,
    judges: Sequence[str] = ...,
    lenient_json_constants: bool | None = ...,
    last_list: bool | None = ...,
    prompt: str | None = ...,
    parser_prompt: str | None = ...,
    answer_prompt: str | None = ...,
    upstream: Literal["llmrouterbench"] | Literal["official-2026"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# deep_research

    Whether the answer to a research question is right, and how many of its steps a judge calls correct.

    ## What it measures

    1 where the answer of the response equals the right one letter by letter, as it stands or after a model (the answer parser) has brought it into the form of the right
    answer; else 0. Beside it, the part `step_level_acc` is the share of the solution's steps that a judge calls correct.

    The answer is what stands between the last `<answer>` and the next `</answer>`, or the whole response where there is no such block. The parser never sees the right
    answer, only an example of its kind: a number or words.

    ## When to use it

    For questions with one short right answer and known steps towards it (`metadata.steps`), as in the deep research subtask of SGI-Bench.

    ## When not to

    Where answers can be right in several spellings: the comparison knows no case, no trimming and no arithmetic, so `0.250` is not `0.25` unless the parser makes it so. See
    `answer_match` and `judge_same_answer`.

    ## Formula

        value = exact_match = 1 if answer = extracted or answer = parsed, else 0
        step_level_acc = steps called correct / steps that the judge lists

    Parts: `exact_match`, `step_level_acc`; where the other reading of the judge's reply gives another share, `step_level_acc_improved` (beside a reference score) or
    `step_level_acc_published` (beside a improved one).

    With `upstream: official-2026` there is also the part `llm_judge`: 1 or 0, what a judge says about the answer as a whole (numbers within 5 percent, words by meaning). It is 1 without a question where the answer is
    right letter by letter. The two figures answer different questions: exact match is the published score and the one in SGI-Score; `llm_judge` is what people mean by "right". A judge's `2` or `-1` is kept by the
    published definition and is an error in the other profile. The step list is read more strictly (only `correct` as it stands is correct; an item without `judge` voids the list); where that gives another share than LLMRouterBench
    does, the part `step_level_acc_llmrouterbench` has the latter.

    A judge that does not answer fails the case, in every profile: an outage is no verdict. So does a parser that does not answer, unless the answer is right without it. A judge's
    reply that came and cannot be read counts 0 steps in `reference`, as published; the evidence says so, and the part `unreadable_replies` counts it. In `improved` it is an error.

    ## Options

    - `profile`: `reference` (default) or `improved`.
    - `judges`: the model that judges steps and, if there is a second, the one that brings the answer into form. Default: the judges of the run.
    - `lenient_json_constants`: read bare `true`, `false` and `null` in a judge's list; the published reader voids such a reply. Default: by profile.
    - `last_list`: take the last list of objects in a reply; the published reader takes all from the first to the last bracket, so that a citation such as `[1]` voids
      the reply. Default: by profile.
    - `prompt`: another prompt for the judge, or `@FILE`, with the places `{{form}}` and `{{data}}`, or a place for each text: `{{question}}`, `{{reference_steps}}`, `{{reference_answer}}`, `{{solution}}`, `{{answer}}`.
    - `parser_prompt`: another prompt for the answer parser, with the places `{{type}}`, `{{example}}` and `{{data}}` or `{{text}}`.
    - `upstream`: `llmrouterbench` (default), or `official-2026`: the judge is also asked whether the answer as a whole is right, and the list of steps is read as the official scripts of 2026 read it.
    - `answer_prompt`: another prompt for that question, with the places `{{form}}` and `{{data}}`, or `{{question}}`, `{{reference_answer}}`, `{{answer}}`, `{{parsed_answer}}`.

    ## Examples

    The parser is asked first, the judge second.

    ```case
    {"case": {"query": "What is a quarter?", "reference": "0.25", "response": "One of four. <answer>about 0.25</answer>", "metadata": {"steps": ["Divide 1 by 4."]}}, "replies": ["0.25", "[{\\"solution_step\\": \\"divides\\", \\"reason\\": \\"right\\", \\"judge\\": \\"correct\\"}]"], "expect": 1.0, "parts": {"step_level_acc": 1.0}}
    ```

    A bare `true` in the reply voids it for the published reader.

    ```case
    {"case": {"query": "What is a quarter?", "reference": "0.25", "response": "<answer>0.5</answer>", "metadata": {"steps": ["Divide 1 by 4."]}}, "replies": ["0.5", "[{\\"judge\\": \\"correct\\", \\"sure\\": true}, {\\"judge\\": \\"incorrect\\"}]"], "expect": 0.0, "parts": {"step_level_acc": 0.0, "step_level_acc_improved": 0.5}}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "What is a quarter?", "reference": "0.25", "response": "<answer>0.5</answer>", "metadata": {"steps": ["Divide 1 by 4."]}}, "replies": ["0.5", "As in [1]: [{\\"judge\\": \\"correct\\", \\"sure\\": true}, {\\"judge\\": \\"incorrect\\"}]"], "expect": 0.0, "parts": {"step_level_acc": 0.5, "step_level_acc_published": 0.0}}
    ```

    The official scripts of 2026 also ask whether the answer as a whole is right.

    ```case
    {"params": {"upstream": "official-2026"}, "case": {"query": "What is a quarter?", "reference": "0.25", "response": "<answer>25 %</answer>", "metadata": {"steps": ["Divide 1 by 4."]}}, "replies": ["25", "[{\\"judge\\": \\"Correct\\"}]", "{\\"judge\\": 1, \\"reason\\": \\"the same share\\"}"], "expect": 0.0, "parts": {"llm_judge": 1.0, "step_level_acc": 0.0, "step_level_acc_llmrouterbench": 1.0}}
    ```

    ```case
    {"case": {"query": "Q?", "response": "A."}, "replies": [], "expect_not_applicable": true}
    ```

    ## Differences from other tools

    The scores equal those of SGI-Bench in LLMRouterBench for the same replies; the prompts are our own, so replies of the same model may differ. A call that failed is never
    read as an answer: the original passes the text of its error on as the reply, and scores a judge that is down as "all steps wrong".

    ## References

    - SGI-Bench: evaluation of scientific general intelligence, 2025; the deep research subtask.
    """

def dry_experiment(
    *,
    judges: Sequence[str] = ...,
    environment: str | None = ...,
    timeout: int | None = ...,
    memory_mib: int | None = ...,
    fixtures: str | None = ...,
    parallel: bool = ...,
    ensure_final_newline: bool | None = ...,
    lenient_json_constants: bool | None = ...,
    python_lines: bool | None = ...,
    prompt: str | None = ...,
    parser_prompt: str | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# dry_experiment

    Whether a program with the functions of the answer prints what it should, with five sets of data.

    ## What it measures

    A row of SGI-Bench's dry experiments has a program with functions left open, five data programs and what the finished program prints with each. The functions of the answer are put
    into the program; each test runs its data program and then the program, in a folder of its own in the sandbox. The value is PassAll@5: 1 where all five tests pass.

    | part | |
    |---|---|
    | `PassAll@5`, `PassAll@3`, `PassAll@1` | 1 where at least 5, 3, 1 of the five tests pass |
    | `pass_count` | tests that pass; absent where no function could be put in |
    | `SER` | share of the runs that end with code 0 |
    | `AET` | mean seconds of the runs that end with code 0; absent where none does (published files write -1) |
    | `AET_all` | mean seconds of all runs that took any, as the official scripts have it |

    PassAll@k is not pass@k: it is about one answer and its five tests, not about k answers.

    Times are facts of one run. They are recorded with the outcome of each program, and `probare verify` reads them again.

    The label is `passed`, `failed` or `not_replaced`. The evidence tells from where each function was taken or why it was not, and how each test ended.

    ## When to use it

    For SGI-Bench, through `probare sgi`, and for rows of the same form.

    ## When not to

    For functions with unit tests `code_tests` is simpler, asks no model and counts tests one by one.

    ## Formula

        value = [tests passed = 5]

    1. The answer is what stands between the last `<answer>` and `</answer>`, else the whole response.
    2. For each name in `incomplete_functions`: the plain function of that name at the top of the answer takes the place of the program's, where Python compiles answer, program and
       result. What does not work with the answer is tried with the answer parser's reply; the parser is asked only then, which gives the same result as asking it always.
    3. Where not a single function was put in, all is 0 and nothing is run.
    4. Each test: `data_en.py` (at most max(timeout, 600) seconds), then `main_en.py` (at most `timeout` seconds). The text that is compared is what was complained about and what was
       printed, trimmed.
    5. A test passes where the program ends with code 0 and its text is the expected output letter by letter, or the judge says `correct`.

    A program that is ended by a signal has the signal's number below zero as its code. The sandbox limits memory; a program that takes more fails its test.

    The published habits are kept in `reference` and switched off by flags, all of them in `improved`: a function without a final line break is joined with the next line of the
    program (`ensure_final_newline`; the evidence says where that happened), a bare `null` or `true` voids a judge's reply (`lenient_json_constants`), form feeds and other signs count as line ends
    (`python_lines`). A judge's reply that came and cannot be read fails its test in `reference`, as published, and is counted (part `unreadable_replies`); in `improved` the case has no score then. A judge or
    parser that does not answer fails the case in every profile: an outage is no verdict on a program.

    ## Options

    - `profile`: `published` or `improved`.
    - `judges`: the model that compares outputs and, if there is a second, the one that brings the answer into form. Default: the judges of the run.
    - `environment`: which Python: `conda:NAME`, `venv:FOLDER` or `python:PATH`. Default: `python3` of the machine.
    - `timeout`: seconds of the program under test. Default 300.
    - `memory_mib`: MiB of all its processes. Default 4096.
    - `fixtures`: folder with the files that three of the published samples need, each in a folder of the name of its `idx`, which is one plain name. What it holds is part of what is recorded; pipes, sockets and devices are refused.
    - `parallel`: run the tests beside each other; times are then those of a busy machine. Default false.
    - `ensure_final_newline`, `lenient_json_constants`, `python_lines`: see above. Default: false in `reference`, true in `improved`.
    - `prompt`: another prompt for the judge, or `@FILE`, with the places `{{form}}` and `{{data}}`.
    - `parser_prompt`: another prompt for the answer parser, with the places `{{type}}`, `{{example}}` and `{{data}}`.

    ## Examples

    What the sandbox told is given with each example.

    All five tests print what they should; nobody is asked.

    ```case
    {"case": {"response": "<answer>\\ndef energy(x):\\n    return x * x / 2\\n</answer>", "metadata": {"incomplete_main_code": "def energy(x):\\n    pass\\n\\nprint(energy(DATA))\\n", "incomplete_functions": ["energy"], "unit_test_0_data": "", "unit_test_0_output": "4.5", "unit_test_1_data": "", "unit_test_1_output": "4.5", "unit_test_2_data": "", "unit_test_2_output": "4.5", "unit_test_3_data": "", "unit_test_3_output": "4.5", "unit_test_4_data": "", "unit_test_4_output": "4.5"}}, "ran": [{"file": "assemble.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03, "output": "{\\"code\\": \\"DATA = 3\\\\ndef energy(x):\\\\n    return x * x / 2\\\\nprint(energy(DATA))\\\\n\\", \\"functions\\": [{\\"name\\": \\"energy\\", \\"from\\": 0, \\"errors\\": [], \\"joined\\": false}]}"}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 0, "output": "4.5\\n", "errors": "", "seconds": 0.5}]}], "replies": [], "expect": 1.0, "parts": {"pass_count": 5, "SER": 1, "AET": 0.5}}
    ```

    Three pass, one is left to the judge, one divides by zero.

    ```case
    {"case": {"response": "<answer>\\ndef energy(x):\\n    return x * x / 2\\n</answer>", "metadata": {"incomplete_main_code": "def energy(x):\\n    pass\\n\\nprint(energy(DATA))\\n", "incomplete_functions": ["energy"], "unit_test_0_data": "", "unit_test_0_output": "4.5", "unit_test_1_data": "", "unit_test_1_output": "4.5", "unit_test_2_data": "", "unit_test_2_output": "4.5", "unit_test_3_data": "", "unit_test_3_output": "4.5", "unit_test_4_data": "", "unit_test_4_output": "4.5"}}, "ran": [{"file": "assemble.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03, "output": "{\\"code\\": \\"DATA = 3\\\\ndef energy(x):\\\\n    return x * x / 2\\\\nprint(energy(DATA))\\\\n\\", \\"functions\\": [{\\"name\\": \\"energy\\", \\"from\\": 0, \\"errors\\": [], \\"joined\\": false}]}"}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 0, "output": "4.5\\n", "errors": "", "seconds": 0.5}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 0, "output": "4.5\\n", "errors": "", "seconds": 0.5}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 0, "output": "4.5\\n", "errors": "", "seconds": 0.5}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 0, "output": "4.50\\n", "errors": "", "seconds": 0.5}]}, {"file": "main_en.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03}, {"end": "exited", "code": 1, "output": "", "errors": "ZeroDivisionError: division by zero\\n", "seconds": 0.1}]}], "replies": ["{\\"judgment\\": \\"incorrect\\", \\"reason\\": \\"One digit more.\\"}"], "expect": 0.0, "parts": {"pass_count": 3, "PassAll@3": 1, "SER": 0.8}}
    ```

    No function in the answer, and the parser finds none: nothing is run.

    ```case
    {"case": {"response": "I cannot do that.", "metadata": {"incomplete_main_code": "def energy(x):\\n    pass\\n\\nprint(energy(DATA))\\n", "incomplete_functions": ["energy"], "unit_test_0_data": "", "unit_test_0_output": "4.5", "unit_test_1_data": "", "unit_test_1_output": "4.5", "unit_test_2_data": "", "unit_test_2_output": "4.5", "unit_test_3_data": "", "unit_test_3_output": "4.5", "unit_test_4_data": "", "unit_test_4_output": "4.5"}}, "ran": [{"file": "assemble.py", "steps": [{"end": "exited", "code": 0, "seconds": 0.03, "output": "{\\"code\\": null, \\"functions\\": [{\\"name\\": \\"energy\\", \\"from\\": null, \\"errors\\": [[\\"AssertionError\\", \\"the answer is no Python\\"]], \\"joined\\": false}]}"}]}], "replies": ["no code"], "expect": 0.0, "parts": {"PassAll@1": 0, "SER": 0}}
    ```

    ## Differences from other tools

    The reference is the SGI-Bench part of LLMRouterBench. It asks the answer parser in any case, starts programs by `conda run` with the rights, the network and the files of whoever
    started it, and kills only the first process of a program whose time is over. Here programs run in the sandbox, the whole tree ends, and an interpreter or sandbox that does not work is an error and
    never a failed test. A published sample whose files (`fixtures`) are not there is an error too, where the original runs it without them. The official scripts run programs in which nothing was replaced, too.

    ## References

    - SGI-Bench: scientific general intelligence of language models; LLMRouterBench, its SGI-Bench part.
    """

def experimental_reasoning(
    *,
    boxed_any_case: bool | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# experimental_reasoning

    Whether an answer about an experiment chooses the right option, by the letter in its box.

    ## What it measures

    1 where the first `\\boxed{X}` of the response, with one capital letter and nothing else between the braces, names the right option; else 0. This is MCA (multiple-choice accuracy), the score of
    the experimental reasoning subtask of SGI-Bench. `metadata.answer` is the number of the right option, counted from 0.

    ## When to use it

    For multiple-choice questions whose prompt asks for the letter in `\\boxed{}`. The options may be in `metadata.options`; then a number outside of them is an error of the row.

    ## When not to

    Where an answer names its option in other words: "Answer: A" chooses nothing here. How good the reasoning is, is another question: see `reasoning_validity`.

    ## Formula

        value = 1 if the letter in the first box with a single capital = the letter of `metadata.answer`, else 0

    `\\boxed{AB}`, `\\boxed{ A }`, `\\boxed{a}` and `\\boxed{\\text{A}}` are skipped, and a later good box counts. The number is read as Python's `int` reads it (`"1"`, `1.9`, `true`); what it refuses is an
    error of the row. Without `metadata.options` the arithmetic of the official script holds: the numbers 32 to 57 name the small letters, which equal 0 to 25.

    The label is `right`, `wrong`, or `no_choice` where no box has a letter.

    ## Options

    - `profile`: the published score (default), or the same with small letters.
    - `boxed_any_case`: read `\\boxed{a}` too, as SciEvalKit does. Default: by profile.

    ## Examples

    ```case
    {"case": {"response": "The band is missing, so it is \\\\boxed{B}.", "metadata": {"answer": 1, "options": ["the probe", "the band"]}}, "expect": 1.0, "label": "right"}
    ```

    A box with more than a letter is skipped.

    ```case
    {"case": {"response": "\\\\boxed{AB}, or rather \\\\boxed{C}", "metadata": {"answer": 2}}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "Answer: B", "metadata": {"answer": 1}}, "expect": 0.0, "label": "no_choice"}
    ```

    ```case
    {"params": {"boxed_any_case": true}, "case": {"response": "\\\\boxed{b}", "metadata": {"answer": "1"}}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "\\\\boxed{B}", "metadata": {"answer": 4, "options": ["a", "b"]}}, "expect_error": "there are 2 options"}
    ```

    ## Differences from other tools

    The score equals that of the official script, vector by vector. An answer number that cannot be read fails its row; the script ends. A number outside of the options is an error; the script compares it.

    ## References

    - SGI-Bench: evaluation of scientific general intelligence, 2025; the experimental reasoning subtask (InternScience/SGI-Bench, `evaluation/task_4_experimental_reasoning/step_2_score.py`, commit 16584afe).
    """

def idea_generation(
    *,
    judges: Sequence[str] = ...,
    model: str | None = ...,
    empty_idea_scores_zero: bool | None = ...,
    whole_keywords: bool | None = ...,
    natural_order: bool | None = ...,
    strict_verdicts: bool | None = ...,
    whole_word_verdicts: bool | None = ...,
    object_or_zero: bool | None = ...,
    reasks: int | None = ...,
    prompt: str | None = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# idea_generation

    How good a research idea is, by four objective scores and the votes of three judges in both orders.

    ## What it measures

    A response that proposes a research idea as a JSON object with `Idea`, `ImplementationSteps`, `ImplementationOrder`, `Dataset`, `EvaluationMetrics` and `ExpectedOutcome` is
    held against a reference idea in four dimensions: effectiveness, novelty, detailedness, feasibility. Half of each is computed (by an embedding model, by form, and by the
    likeness of the plans), half is won or lost by the votes of three judges, each of whom compares the two ideas in both orders.

    The row brings what it is held against in its metadata: `core_idea`, `keywords`, `related_work`, `existing_solutions`, `related_work_test`, `implementation_steps`,
    `implementation_order`, `evaluation_metrics`, `data`, `expected_outcome`, and what judges are shown beside them.

    The evidence holds every vote with its reasons. Where a reading without the published scorer's habits gives another score, that one is in the report too.

    ## When to use it

    For the idea generation subtask of SGI-Bench, whose rows bring everything that is needed.

    ## When not to

    Where there is no reference idea. Read the objective scores as what they are: nearness to keywords is no effect, and distance from known work is no merit.

    ## Formula

        value = final_score / 100,  final_score = mean of four dimensions, each (objective + subjective) / 2, from 0 to 100

    - effectiveness, objective: 10 · 10 · cosine of the keywords and the idea.
    - novelty: the mean of the distances from related work and existing solutions, and from the newest work (`novelty_similarity`, `cutting_edge`).
    - detailedness: 0.2 · completeness + 0.4 · (10 − repetition) + 0.4 · (10 − length), where 300 to 700 characters are free.
    - feasibility: 0.6 · likeness of the edges of both plans + 0.4 · likeness of their words.
    - subjective: 100 for a win, else 0. Of six votes a win needs four, for novelty five; void votes count for nobody.

    A response in which no idea can be read scores 0 without asking anybody. Parts beside the dimensions: `valid_votes`; `flipped`, the share of verdicts that change
    with the order; `agreement`, the share of votes on the side of most.

    ## Options

    - `profile`: `reference` (default) or `improved`.
    - `judges`: the three models that vote. Default: the judges of the run.
    - `model`: the embedding model. Default `all-MiniLM-L6-v2`.
    - `empty_idea_scores_zero`: an empty idea earns nothing. By the published scores it has no fault of length or repetition, which gives 8 points of 10 and more.
    - `whole_keywords`: keywords that are one text stay one text; the published scorer takes them letter by letter.
    - `natural_order`: in a plan step 2 comes before step 10.
    - `strict_verdicts`: `[WinA]` and `Win  A` are A; the published reader takes them for B.
    - `whole_word_verdicts`: a verdict stands as words of its own behind a label; the published reader finds one in `Darwin also`, and takes the first of an echoed
      `[Win A/Win B]`.
    - `object_or_zero`: JSON that is no object scores 0; the published scorer fails on it and leaves the case out of the mean.
    - `reasks`: how often a vote that cannot be read is asked for again. Default 0, in `improved` 2.
    - `prompt`: another prompt, or `@FILE`, with the places `{{form}}` and `{{data}}`.

    All flags are off in `reference` and on in `improved`. A judge that does not answer fails the case, in every profile. A vote
    that came and cannot be read is lost in `reference`, as published (part `valid_votes`); in `improved` a case without all six votes is an error, not a harder win.

    ## Examples

    All six votes for the idea. The replies come judge by judge, the order reference, idea first.

    ```case
    {"case": {"query": "Propose an idea.", "response": "{\\"Idea\\": \\"Use graph kernels to rank alloys.\\", \\"ImplementationSteps\\": {\\"1\\": \\"collect\\", \\"2\\": \\"train\\"}, \\"ImplementationOrder\\": [\\"1-2\\"], \\"Dataset\\": \\"a public set of alloys\\", \\"EvaluationMetrics\\": {\\"MAE\\": \\"mean error\\"}, \\"ExpectedOutcome\\": \\"lower error\\"}", "metadata": {"core_idea": "Rank alloys by a learned model.", "keywords": ["alloy", "graph kernel"], "related_work": "{'A': 'random forests rank alloys'}", "existing_solutions": "{'B': 'search by experts'}", "implementation_steps": "{'1': 'collect', '2': 'train'}", "implementation_order": ["1-2"], "related_work_test": "{'C': 'transformers for alloys'}", "evaluation_metrics": "{}", "data": "d", "expected_outcome": "e"}}, "vectors": {"Use graph kernels to rank alloys.": [1, 0], "alloy, graph kernel": [1, 0], "random forests rank alloys": [0, 1], "search by experts": [0, 1], "C: transformers for alloys": [0, 1]}, "replies": ["Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x."], "expect": 0.9866499999999999, "parts": {"final_score": 98.66499999999999, "flipped": 0.0, "agreement": 1.0, "valid_votes": 6}}
    ```

    An empty idea that loses every vote, and still earns half of most points.

    ```case
    {"case": {"query": "Propose an idea.", "response": "{\\"Idea\\": \\"\\", \\"ImplementationSteps\\": {\\"1\\": \\"collect\\", \\"2\\": \\"train\\"}, \\"ImplementationOrder\\": [\\"1-2\\"], \\"Dataset\\": \\"a public set of alloys\\", \\"EvaluationMetrics\\": {\\"MAE\\": \\"mean error\\"}, \\"ExpectedOutcome\\": \\"lower error\\"}", "metadata": {"core_idea": "Rank alloys by a learned model.", "keywords": ["alloy", "graph kernel"], "related_work": "{'A': 'random forests rank alloys'}", "existing_solutions": "{'B': 'search by experts'}", "implementation_steps": "{'1': 'collect', '2': 'train'}", "implementation_order": ["1-2"], "related_work_test": "{'C': 'transformers for alloys'}", "evaluation_metrics": "{}", "data": "d", "expected_outcome": "e"}}, "vectors": {"Use graph kernels to rank alloys.": [1, 0], "alloy, graph kernel": [0, 1], "random forests rank alloys": [1, 0], "search by experts": [1, 0], "C: transformers for alloys": [1, 0], "": [0, 1]}, "replies": ["Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x."], "expect": 0.4958333333333333, "parts": {"final_score_improved": 12.5, "novelty_objective": 100.0}}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"query": "Propose an idea.", "response": "{\\"Idea\\": \\"\\", \\"ImplementationSteps\\": {\\"1\\": \\"collect\\", \\"2\\": \\"train\\"}, \\"ImplementationOrder\\": [\\"1-2\\"], \\"Dataset\\": \\"a public set of alloys\\", \\"EvaluationMetrics\\": {\\"MAE\\": \\"mean error\\"}, \\"ExpectedOutcome\\": \\"lower error\\"}", "metadata": {"core_idea": "Rank alloys by a learned model.", "keywords": ["alloy", "graph kernel"], "related_work": "{'A': 'random forests rank alloys'}", "existing_solutions": "{'B': 'search by experts'}", "implementation_steps": "{'1': 'collect', '2': 'train'}", "implementation_order": ["1-2"], "related_work_test": "{'C': 'transformers for alloys'}", "evaluation_metrics": "{}", "data": "d", "expected_outcome": "e"}}, "vectors": {"Use graph kernels to rank alloys.": [1, 0], "alloy, graph kernel": [0, 1], "random forests rank alloys": [1, 0], "search by experts": [1, 0], "C: transformers for alloys": [1, 0], "": [0, 1]}, "replies": ["Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [Win A] because of x.\\nNovelty: [Win A] because of x.\\nDetailedness: [Win A] because of x.\\nFeasibility: [Win A] because of x.\\nOverall: [Win A] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x."], "expect": 0.125, "parts": {"final_score_published": 49.58333333333333}}
    ```

    `[WinA]` is read as B, so a judge who is of one mind seems to flip.

    ```case
    {"case": {"query": "Propose an idea.", "response": "{\\"Idea\\": \\"Use graph kernels to rank alloys.\\", \\"ImplementationSteps\\": {\\"1\\": \\"collect\\", \\"2\\": \\"train\\"}, \\"ImplementationOrder\\": [\\"1-2\\"], \\"Dataset\\": \\"a public set of alloys\\", \\"EvaluationMetrics\\": {\\"MAE\\": \\"mean error\\"}, \\"ExpectedOutcome\\": \\"lower error\\"}", "metadata": {"core_idea": "Rank alloys by a learned model.", "keywords": ["alloy", "graph kernel"], "related_work": "{'A': 'random forests rank alloys'}", "existing_solutions": "{'B': 'search by experts'}", "implementation_steps": "{'1': 'collect', '2': 'train'}", "implementation_order": ["1-2"], "related_work_test": "{'C': 'transformers for alloys'}", "evaluation_metrics": "{}", "data": "d", "expected_outcome": "e"}}, "vectors": {"Use graph kernels to rank alloys.": [1, 0], "alloy, graph kernel": [1, 0], "random forests rank alloys": [0, 1], "search by experts": [0, 1], "C: transformers for alloys": [0, 1]}, "replies": ["Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [WinA] because of x.\\nNovelty: [WinA] because of x.\\nDetailedness: [WinA] because of x.\\nFeasibility: [WinA] because of x.\\nOverall: [WinA] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [WinA] because of x.\\nNovelty: [WinA] because of x.\\nDetailedness: [WinA] because of x.\\nFeasibility: [WinA] because of x.\\nOverall: [WinA] because of x.", "Effectiveness: [Win B] because of x.\\nNovelty: [Win B] because of x.\\nDetailedness: [Win B] because of x.\\nFeasibility: [Win B] because of x.\\nOverall: [Win B] because of x.", "Effectiveness: [WinA] because of x.\\nNovelty: [WinA] because of x.\\nDetailedness: [WinA] because of x.\\nFeasibility: [WinA] because of x.\\nOverall: [WinA] because of x."], "expect": 0.48664999999999997, "parts": {"flipped": 1.0, "final_score_improved": 98.66499999999999}}
    ```

    ```case
    {"case": {"query": "Propose an idea.", "response": "We propose a study.", "metadata": {"core_idea": "Rank alloys by a learned model.", "keywords": ["alloy", "graph kernel"], "related_work": "{'A': 'random forests rank alloys'}", "existing_solutions": "{'B': 'search by experts'}", "implementation_steps": "{'1': 'collect', '2': 'train'}", "implementation_order": ["1-2"], "related_work_test": "{'C': 'transformers for alloys'}", "evaluation_metrics": "{}", "data": "d", "expected_outcome": "e"}}, "replies": [], "expect": 0.0}
    ```

    ## Differences from other tools

    The scores equal those of SGI-Bench in LLMRouterBench for the same vectors and replies; the prompt is our own. A missing embedding model is an error before the run, where the
    original scores 0; a failed call is told apart from a void vote. Dot products are computed with 64 bits.

    ## References

    - SGI-Bench: evaluation of scientific general intelligence, 2025; the idea generation subtask.
    """

def reasoning_validity(
    *,
    judges: Sequence[str] = ...,
    text_only: bool = ...,
    prompt: str | None = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# reasoning_validity

    How valid the reasoning behind an answer about an experiment is, by a judge that sees its pictures.

    ## What it measures

    A judge gives the reasoning of the response a number from 0 to 10, divided by 10. Whether the steps hang together and agree with the reference steps (`metadata.steps`) counts; which option the response
    chooses does not. This is RV (reasoning validity) of the experimental reasoning subtask of SGI-Bench.

    ## When to use it

    Beside `experimental_reasoning`, with a judge that sees pictures: `probare sgi score reasoning --judge …`. The pictures are those of `metadata.images`, paths below the folder of the data; `probare sgi`
    reads them.

    ## When not to

    With a judge that reads text alone. It cannot see what the answer talks about; `text_only` sends no pictures, labels the score "judge saw no pictures", and the result is not the official RV.

    ## Formula

        value = the first run of decimal digits in the judge's reply / 10

    The published score has no upper limit (a reply of `100` gives 10) and no fractions (`7.5` gives 0.7); a reply without digits counts 0, and the part `unreadable_replies` counts it. The other
    profile asks for a JSON object with `score` from 0 to 10 and gives an error where there is none. A judge that does not answer fails the case.

    ## Options

    - `profile`: the published score (default), or a JSON object with a number within the scale.
    - `judges`: the model that judges. Default: the judge of the run.
    - `text_only`: send no pictures.
    - `prompt`: another prompt, or `@FILE`, with the places `{{form}}` and `{{data}}`, or a place for each text: `{{question}}`, `{{options}}`, `{{reference_steps}}`, `{{solution}}`.

    ## Examples

    ```case
    {"case": {"query": "What is missing?", "response": "Lane 2 is empty, so \\\\boxed{B}.", "metadata": {"steps": ["Lane 2 has no band."]}}, "replies": ["{\\"score\\": 8, \\"reason\\": \\"sound\\"}"], "expect": 0.8}
    ```

    Only the first number counts.

    ```case
    {"case": {"query": "What is missing?", "response": "\\\\boxed{B}"}, "replies": ["Step 1 is fine. Score: 9"], "expect": 0.1}
    ```

    ```case
    {"case": {"query": "What is missing?", "response": "\\\\boxed{B}"}, "replies": ["none"], "expect": 0.0, "parts": {"unreadable_replies": 1}}
    ```

    ```case
    {"params": {"text_only": true}, "case": {"query": "What is missing?", "response": "\\\\boxed{B}", "metadata": {"images": ["gel.png"]}}, "replies": ["4"], "expect": 0.4, "label": "judge saw no pictures"}
    ```

    ```case
    {"params": {"profile": "careful"}, "case": {"query": "What is missing?", "response": "\\\\boxed{B}"}, "replies": ["{\\"score\\": 7.5, \\"reason\\": \\"sound\\"}"], "expect": 0.75}
    ```

    ## Differences from other tools

    For the same reply the score equals that of the official script. The prompt is our own unless another is given. The script gives 0 where the call failed; here the case fails. SciEvalKit sends the pictures of the
    reference steps and leaves the options out of the question; here, as in the official script, the judge gets the pictures of the question, and the options.

    ## References

    - SGI-Bench: evaluation of scientific general intelligence, 2025; the experimental reasoning subtask (InternScience/SGI-Bench, `evaluation/task_4_experimental_reasoning/step_2_score.py`, commit 16584afe).
    """

def wet_experiment(
    *,
    tolerant_grammar: bool | None = ...,
    upstream: Literal["llmrouterbench"] | Literal["official-2026"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# wet_experiment

    How near a laboratory protocol is to the right one, by its actions and their parameters.

    ## What it measures

    A protocol is a list of steps, each of the form

        lysate = <Lyse cells>(
            cells="HEK293 pellet",
            time="20 min on ice"
        )

    with the variable that holds what the step makes, the action, and one parameter on each line. The published profile gives the two scores of SGI-Bench and their
    mean: how alike the order of the actions is, and in how many steps the parameters fit. The improved profile aligns the steps of both sides first.

    Both values are in the report where they differ: the part `improved` beside a reference score, the part `reference` beside a improved one.

    ## When to use it

    For protocols that are written in this form, against one right protocol. The response may hold the protocol between `<answer>` and `</answer>`; else all of it is read.

    ## When not to

    For protocols in prose. Two protocols that are both right but differ in their actions are not recognised as equal by either profile.

    ## Formula

    `reference`:

        value = (action_sequence_similarity + parameter_accuracy) / 2

    - `action_sequence_similarity` is 0 where the numbers of steps differ and else 1 less the share of pairs of steps whose actions stand in the opposite
      alphabetical order on both sides. Actions are not matched: entirely unrelated ones in the same alphabetical pattern score 1.0, and repeated names are free.
    - `parameter_accuracy` is 1 less the share of steps with an error, walked side by side. A step errs where its action or the names of its parameters differ, or
      where a parameter does not take the product of the same earlier step. Literal values are free. A step that errs breaks all that take its product.
    - Where no step can be read on one side, all is 0.

    `improved`:

        value = (order + parameters) / 2

    - The steps are aligned by the longest common sequence of actions (case and spaces aside); of equally long ones the one with the most names of parameters in
      common. `order` is twice the number of aligned steps by the number of steps on both sides.
    - `parameters` is the sum over aligned steps of the share of their parameters that agree, by the number of steps of the longer side. Products of aligned steps are
      the same thing under any name; literal values have to agree (case, spaces and spellings of numbers aside).

    With `upstream: official-2026` the soft score of the official scripts stands beside the value, whatever the profile, in thirteen parts: `soft_final_score`, `soft_action_sequence_similarity`,
    `soft_parameter_accuracy`, their `soft_action_recall`, `soft_action_precision`, `soft_parameter_recall`, `soft_parameter_precision`, and the counts `gt_step_count`, `pred_step_count`, `soft_matched_action_count`,
    `soft_missing_action_count`, `soft_extra_action_count`, `soft_length_gap`.

        soft_final_score = (soft_action_sequence_similarity + soft_parameter_accuracy) / 2
        soft_action_sequence_similarity = pairs / steps of the reference · pairs / steps of the response
        soft_parameter_accuracy = S / steps of the reference · S / steps of the response

    Pairs are the longest common sequence of actions (case and spaces aside). S sums over pairs the overlap of the parameter names, 2·common / (both counts), times the share of the common ones that take the product of the same
    step, or of none. Products of paired steps are the same thing, so that a mistake does not spread. Two sides without a step give 1, one side 0. Note the products of recall and precision: three of six steps right, and nothing else, give
    0.5. It is not the score of the other profile, which compares literal values and reads a tolerant grammar. Protocols of more than some two thousand steps have no soft parts.

    ## Options

    - `profile`: `reference` (default) or `improved`.
    - `tolerant_grammar`: read calls on one line, empty calls, a `)` behind the last parameter, several parameters on a line. The published grammar lets such a step
      swallow the text up to the next `)` that stands alone on its line. Default: false in `reference`, true in `improved`.

    ## Examples

    The same protocol under other names.

    ```case
    {"case": {"reference": "a = <Mix>(\\n  v=\\"1 mL\\"\\n)\\nb = <Spin>(\\n  sample=a\\n)", "response": "<answer>\\nx = <Mix>(\\n  v=\\"1 mL\\"\\n)\\ny = <Spin>(\\n  sample=x\\n)\\n</answer>"}, "expect": 1.0}
    ```

    Unrelated actions in the same alphabetical order: half of the points for nothing.

    ```case
    {"case": {"reference": "a = <Add>(\\n  v=1\\n)\\nb = <Boil>(\\n  s=a\\n)", "response": "a = <Age>(\\n  v=1\\n)\\nb = <Burn>(\\n  s=a\\n)"}, "expect": 0.5, "parts": {"action_sequence_similarity": 1.0, "parameter_accuracy": 0.0, "improved": 0.0}}
    ```

    ```case
    {"params": {"profile": "improved"}, "case": {"reference": "a = <Add>(\\n  v=1\\n)\\nb = <Boil>(\\n  s=a\\n)", "response": "a = <Age>(\\n  v=1\\n)\\nb = <Burn>(\\n  s=a\\n)"}, "expect": 0.0, "parts": {"reference": 0.5}}
    ```

    The first step is missing: everything behind it is lost to the published scores.

    ```case
    {"case": {"reference": "a = <Lyse>(\\n  x=1\\n)\\nb = <Spin>(\\n  t=2\\n)\\nc = <Read>(\\n  s=b\\n)", "response": "b = <Spin>(\\n  t=2\\n)\\nc = <Read>(\\n  s=b\\n)"}, "expect": 0.0, "parts": {"improved": 0.7333333333333334}}
    ```

    The same by the soft score.

    ```case
    {"params": {"upstream": "official-2026"}, "case": {"reference": "a = <Lyse>(\\n  x=1\\n)\\nb = <Spin>(\\n  t=2\\n)\\nc = <Read>(\\n  s=b\\n)", "response": "b = <Spin>(\\n  t=2\\n)\\nc = <Read>(\\n  s=b\\n)"}, "expect": 0.0, "parts": {"soft_final_score": 0.6666666666666666, "soft_action_recall": 0.6666666666666666, "soft_action_precision": 1.0, "soft_missing_action_count": 1}}
    ```

    ## Differences from other tools

    The published profile equals the scorer of SGI-Bench in LLMRouterBench, vector by vector, quirks included. The messages about parameters list names in alphabetical order, which
    the original leaves to chance. A comment of the original speaks of a threshold of 0.8, which it does not apply; neither do we.

    ## References

    - SGI-Bench: evaluation of scientific general intelligence, 2025; the wet experiment subtask.
    """

def bleu(
    *,
    tokenize: Literal["13a"] | Literal["intl"] | Literal["char"] | Literal["none"] = ...,
    smooth_method: Literal["exp"] | Literal["floor"] | Literal["add-k"] | Literal["none"] = ...,
    smooth_value: float | None = ...,
    lowercase: bool = ...,
    max_ngram_order: int = ...,
    effective_order: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# bleu

    Sentence-level BLEU: n-grams of words that the response shares with the references.

    ## What it measures

    The share of the response's n-grams, from single words to sequences of four, that a reference has too, and a penalty where the response is
    shorter than the reference. **Values go from 0 to 100**, on sacreBLEU's own scale. The evidence gives the matches of each order and shows which
    stretches of the response have their words in a reference.

    ## When to use it

    For translation and other tasks with a close reference, to compare systems on the same data.

    ## When not to

    To judge a single sentence: sentence-level BLEU is noisy. Its mean over a data set is not corpus BLEU and must not be reported as such.

    ## Formula

        precision(n) = 100 · matched n-grams / n-grams of the response
        penalty      = exp(1 − reference length / response length) where the response is shorter, else 1
        value        = penalty · exp(mean of ln precision(n) over n = 1 … order)

    An n-gram matches at most as often as it occurs in the reference that has it most often. The reference length is that of the reference nearest
    in length, the shorter of two. `order` is 4, or less where the response is too short to have n-grams of that order. A response that shares no
    n-gram at all gets 0.

    Parts: `precision_1` and so on, `order`, `brevity_penalty`; `response_length` and `reference_length` in words.

    ## Options

    - `tokenize`: `13a` (default), the rules of the WMT evaluations; `intl`, which knows the punctuation and symbols of Unicode 16.0; `char`, every
      character a word; `none`, words between white space.
    - `smooth_method`: what replaces a precision of 0. `exp` (default): half of one match for the first order without one, a quarter for the next;
      `floor`: `smooth_value` matches; `add-k`: `smooth_value` is added to matches and n-grams from order 2 on; `none`: the value is 0.
    - `smooth_value`: by default 0.1 for `floor` and 1 for `add-k`.
    - `lowercase`: lower-case all texts first. Default false.
    - `max_ngram_order`: longest n-grams, 1 to 32. Default 4.
    - `effective_order`: judge a short response by the orders it has. Default true, as in sacreBLEU's `sentence_bleu`.

    ## Examples

    ```case
    {"case": {"response": "The cat sat on the mat.", "reference": "The cat sat on the mat."}, "expect": 100.0}
    ```

    ```case
    {"case": {"response": "The cat sat on the mat.", "reference": "The cat is sitting on the mat."}, "expect": 42.38365628278778}
    ```

    A symbol of Unicode 15 is a word by itself for `intl`.

    ```case
    {"params": {"tokenize": "intl"}, "case": {"response": "love🩵you", "reference": "love 🩵 you"}, "expect": 100.0}
    ```

    Several references are taken together, not the best of them.

    ```case
    {"case": {"response": "The cat sat on a mat.", "reference": ["The cat sat on the mat.", "A cat lay on a mat."]}, "expect": 79.52707287670508}
    ```

    ```case
    {"params": {"tokenize": "char", "max_ngram_order": 2, "smooth_method": "none"}, "case": {"response": "猫が座る", "reference": "猫が寝る"}, "expect": 50.0}
    ```

    ```case
    {"params": {"smooth_method": "floor", "smooth_value": 0.01, "lowercase": true, "effective_order": false}, "case": {"response": "the CAT", "reference": "The cat sat"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "", "reference": "The cat"}, "expect": 0.0}
    ```

    ```case
    {"params": {"max_ngram_order": 0}, "case": {"response": "a", "reference": "a"}, "expect_error": "`max_ngram_order` is 0"}
    ```

    ## Differences from other tools

    Equals `sentence_bleu` of sacreBLEU 2.6 with the same options, up to a value of identical texts that sacreBLEU prints as
    100.00000000000004 and that is 100 here. NLTK's `sentence_bleu` gives 0 to 1, does not tokenize and does not smooth by default. `intl` asks for punctuation, numbers and symbols by
    the tables of Unicode 16.0; sacreBLEU asks the Python package `regex`, whose tables depend on its release (2024.11.6 has 16.0), so characters that
    are newer than both may be cut otherwise. The tokenizers for Chinese, Japanese, Korean and SentencePiece are not part of this metric.

    ## References

    - Papineni et al.: BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002.
    - Post: A Call for Clarity in Reporting BLEU Scores, WMT 2018.
    - Chen, Cherry: A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU, WMT 2014.
    """

def chrf(
    *,
    char_order: int = ...,
    word_order: int = ...,
    beta: float = ...,
    lowercase: bool = ...,
    whitespace: bool = ...,
    eps_smoothing: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# chrf

    Sentence-level chrF and chrF++: n-grams of characters, and of words where asked for, that response and reference share.

    ## What it measures

    Precision and recall of character n-grams, from single characters to sequences of six, recall weighing four times as much. **Values go from 0
    to 100**, on sacreBLEU's own scale. Word forms that share a stem share most n-grams, so that inflection costs little.

    ## When to use it

    For translation and short generated texts, above all in languages with rich inflection or without spaces.

    ## When not to

    When the meaning hangs on a few characters: a negation, a number, a name.

    ## Formula

        precision = mean over the orders of shared n-grams / n-grams of the response
        recall    = mean over the orders of shared n-grams / n-grams of the reference
        value     = 100 · (1 + β²) · precision · recall / (β² · precision + recall)

    Orders for which a text has no n-grams are left out of the means. White space is dropped before characters are counted. For word n-grams one
    mark of ASCII punctuation is cut off at the end of a word, or else at its beginning. Of several references the one with the best value counts.

    Parts: `precision`, `recall` and `beta`; with `eps_smoothing` the values `f_1` and so on of the orders, whose mean is the value divided by 100.

    ## Options

    - `char_order`: longest n-grams of characters, 0 to 32. Default 6.
    - `word_order`: longest n-grams of words, 0 to 32. Default 0; 2 gives chrF++.
    - `beta`: how many times as much recall weighs as precision. Default 2.
    - `lowercase`: lower-case all texts first. Default false.
    - `whitespace`: keep white space as characters. Default false.
    - `eps_smoothing`: orders without n-grams count as almost 0 and F is computed for each order, as in the original script, NLTK and Moses.
      Default false.

    ## Examples

    ```case
    {"case": {"response": "The cat sat.", "reference": "The cat sat."}, "expect": 100.0}
    ```

    ```case
    {"case": {"response": "The cats sat.", "reference": "The cat sits."}, "expect": 55.44252044252044}
    ```

    chrF++ of the same.

    ```case
    {"params": {"word_order": 2}, "case": {"response": "The cats sat.", "reference": "The cat sits."}, "expect": 47.831890331890335}
    ```

    ```case
    {"params": {"char_order": 1, "beta": 1}, "case": {"response": "ab", "reference": ["xyz", "abcd"]}, "expect": 66.66666666666667}
    ```

    ```case
    {"params": {"eps_smoothing": true, "whitespace": true, "lowercase": true}, "case": {"response": "A b", "reference": "a b"}, "expect": 50.0}
    ```

    ```case
    {"params": {"char_order": 0}, "case": {"response": "a", "reference": "a"}, "expect_error": "at least 1"}
    ```

    ## Differences from other tools

    Equals `sentence_chrf` of sacreBLEU 2.6 with the same options. NLTK's `sentence_chrf` and the original script compute F for each order;
    `eps_smoothing` does so too.

    ## References

    - Popović: chrF: character n-gram F-score for automatic MT evaluation, WMT 2015.
    - Popović: chrF++: words helping character n-grams, WMT 2017.
    """

def contains(
    *,
    texts: Sequence[str] = ...,
    require: Literal["any"] | Literal["all"] = ...,
    ignore_case: bool = ...,
    whole_words: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# contains

    Whether the response contains the expected text.

    ## What it measures

    1 where the expected text stands in the response, 0 where it does not. The evidence shows where it was found first, or what is missing.

    ## When to use it

    When a right answer has to mention something, however it is worded otherwise: a name, an order number, a warning.

    ## When not to

    When mentioning is not saying: "it is not Paris" contains "Paris". When the wording may vary, use `token_f1` or a judge. Short texts are
    found inside longer words unless `whole_words` is set.

    ## Formula

        value = 1 if found ≥ required else 0

    `found` is the number of texts that occur in the response, `required` is 1, or the number of texts with `require: all`. The texts are the
    references of the case, or those of the option `texts`.

    Empty references are skipped, and a case that has no other is not applicable: every response contains nothing, so that it does is no
    merit of it. Without a reference and without `texts` the case is not applicable either.

    Parts: `found` and `required`.

    ## Options

    - `texts`: texts to look for in place of the references. None of them may be empty.
    - `require`: `any` (default): one of the texts is enough; `all`: each of them must be there.
    - `ignore_case`: compare in lower case. Default false.
    - `whole_words`: a text that starts or ends with a letter or digit must not continue on that side. Default false.

    ## Examples

    ```case
    {"case": {"response": "The capital is Paris.", "reference": "Paris"}, "expect": 1.0}
    ```

    One of two is enough, unless all are asked for.

    ```case
    {"case": {"response": "The capital is Paris.", "reference": ["Paris", "Lyon"]}, "expect": 1.0}
    ```

    ```case
    {"params": {"require": "all"}, "case": {"response": "The capital is Paris.", "reference": ["Paris", "Lyon"]}, "expect": 0.0}
    ```

    The texts may be the same for every case.

    ```case
    {"params": {"texts": ["call 112", "emergency"], "ignore_case": true}, "case": {"response": "In an EMERGENCY do not wait."}, "expect": 1.0}
    ```

    A word inside a word.

    ```case
    {"params": {"whole_words": true}, "case": {"response": "the party", "reference": "art"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "Paris", "reference": ""}, "expect_not_applicable": true}
    ```

    ```case
    {"params": {"require": "all"}, "case": {"response": "Paris", "reference": ["", "Paris"]}, "expect": 1.0, "parts": {"found": 1, "required": 1}}
    ```

    ```case
    {"params": {"texts": [""]}, "case": {"response": "x"}, "expect_error": "empty text"}
    ```

    ## Differences from other tools

    Covers `contains`, `icontains`, `contains-any` and `contains-all` of promptfoo and `includes` of Inspect. Inspect ignores case by default;
    here that is an option. For an empty text both say yes; here the case is not applicable.

    ## References

    - promptfoo, deterministic assertions; Inspect AI, built-in scorers.
    """

def embedding_similarity(
    *,
    model: str = ...,
    against: Literal["reference"] | Literal["query"] | Literal["context"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# embedding_similarity

    How near the response is to the reference in meaning, by the vectors of an embedding model.

    ## What it measures

    The cosine of the angle between the vector of the response and that of the reference. Texts that say the same in other words are near each
    other (0.6 and more with `all-MiniLM-L6-v2`), texts about something else are far (around 0). The evidence says which two texts were compared.

    ## When to use it

    For answers of a sentence or a paragraph whose wording is free, where `token_f1` and `rouge_l` see too little. Also to see how far a response keeps to its question or its passages.

    ## When not to

    Where a single word decides. "The bridge is safe" and "The bridge is not safe" are near each other, and so are the years 1969 and 1996.
    `answer_match` sees such differences. `all-MiniLM-L6-v2` reads the first 256 tokens of a text, about 190 words; what follows is not seen, and it knows little but English.

    ## Formula

        value = r · t / (|r| |t|)

    with the vectors r of the response and t of the other text. Of several texts the nearest counts. A vector of zeros is an error.

    ## Options

    - `model`: `all-MiniLM-L6-v2` unless given. It is computed on this machine; fetch it once with `probare models pull all-MiniLM-L6-v2`. Or
      `provider:model` of a server that embeds, such as `openai:text-embedding-3-small` or `ollama:nomic-embed-text`.
    - `against`: what the response is held against: `reference` (unless given), `query` or `context`.

    Where the model is not there, the run does not start and says how to get it.

    ## Examples

    In the examples vectors are given, so that they hold without a model.

    ```case
    {"case": {"response": "It was cold.", "reference": ["It was hot.", "The day was chilly."]}, "vectors": {"It was cold.": [1, 0, 0], "It was hot.": [0, 1, 0], "The day was chilly.": [4, 0, 3]}, "expect": 0.8}
    ```

    A text is nearest to itself.

    ```case
    {"case": {"response": "Canberra", "reference": "Canberra"}, "expect": 1.0}
    ```

    ```case
    {"params": {"against": "query"}, "case": {"query": "Why?", "response": "Because."}, "vectors": {"Why?": [0, 2], "Because.": [-3, 0]}, "expect": 0.0}
    ```

    ```case
    {"params": {"against": "context"}, "case": {"context": ["A", "B"], "response": "B"}, "expect": 1.0}
    ```

    ```case
    {"params": {"against": "context"}, "case": {"response": "Because.", "reference": "Because."}, "expect_not_applicable": true}
    ```

    ```case
    {"params": {"against": "answer"}, "case": {"response": "a", "reference": "a"}, "expect_error": "unknown variant `answer`"}
    ```

    ## Differences from other tools

    With `all-MiniLM-L6-v2` the value is that of `util.cos_sim` in sentence-transformers to about 1e-6. Ragas' semantic similarity is the
    same cosine with a model of one's choice. BERTScore compares token by token and gives other numbers.

    ## References

    - Reimers, Gurevych: Sentence-BERT, EMNLP 2019.
    - Wang et al.: MiniLM, NeurIPS 2020; the model sentence-transformers/all-MiniLM-L6-v2.
    """

def exact_match(
    *,
    normalise: Literal["none"] | Literal["trim"] | Literal["squad"] = ...,
    ignore_case: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# exact_match

    Whether the response is the reference.

    ## What it measures

    1 where the two texts are equal, after the normalisation that was asked for, else 0. The evidence shows the first difference and what the
    reference has there.

    ## When to use it

    For answers with one right form: a label, a letter of a multiple choice, a number as written, a short name.

    ## When not to

    For sentences. A full stop more is a 0, unless `normalise` forgives it; `token_f1` and `levenshtein` tell near from far.

    ## Formula

        value = 1 if normalised response = normalised reference else 0

    Of several references any one may be met. Where none is, the first difference to the first reference is shown.

    ## Options

    - `normalise`: `none` (default); `trim` drops white space at both ends; `squad` lower-cases, deletes ASCII punctuation, drops the words
      a, an and the, and joins white space, as the SQuAD script does.
    - `ignore_case`: compare in lower case. Default false; `squad` does so anyway.

    ## Examples

    ```case
    {"case": {"response": "Paris", "reference": "Paris"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "paris\\n", "reference": "Paris"}, "expect": 0.0}
    ```

    ```case
    {"params": {"normalise": "trim", "ignore_case": true}, "case": {"response": "paris\\n", "reference": "Paris"}, "expect": 1.0}
    ```

    ```case
    {"params": {"normalise": "squad"}, "case": {"response": "The Eiffel Tower!", "reference": ["Louvre", "Eiffel tower"]}, "expect": 1.0}
    ```

    An empty response is not the letter A.

    ```case
    {"params": {"normalise": "squad"}, "case": {"response": "", "reference": "A"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "Paris"}, "expect_error": "no `reference`"}
    ```

    ## Differences from other tools

    `normalise: squad` is the exact match of the SQuAD script and of HELM's quasi-exact match, but for an empty response and a reference such as `A`:
    both call that a match, since articles are dropped; here it is none, and the evidence says so. The `exact_match` of Hugging Face deletes
    punctuation and numbers as separate options. Inspect's `match` looks at the end of the response by default.

    ## References

    - Rajpurkar et al.: SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016, and its evaluation script.
    """

def jaccard(
    *,
    tokens: Literal["squad"] | Literal["sklearn"] | Literal["whitespace"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# jaccard

    Distinct words that the response and the reference share, divided by all distinct words of both.

    ## What it measures

    How far two texts use the same vocabulary. Order and repetition do not matter. The evidence shows each word as shared, missing or
    superfluous.

    ## When to use it

    For a quick and symmetric comparison of two short texts, or to find near duplicates.

    ## When not to

    When one text is much longer than the other: the value is then low whatever they share. `token_f1` shows precision and recall apart.

    ## Formula

        value = shared / all

    `shared` is the number of distinct words in both texts, `all` the number of distinct words in either. Two texts without words are alike: 1.
    Of several references the best counts.

    Parts: `shared` and `all`.

    ## Options

    - `tokens`: how texts are cut into words. `squad` (default): lower case, no ASCII punctuation, no articles. `sklearn`: lower-cased runs of at
      least two letters, digits or underscores. `whitespace`: lower-cased, punctuation stays attached.

    ## Examples

    Shared are cat and sat; all are cat, sat, down.

    ```case
    {"case": {"response": "The cat sat.", "reference": "The cat sat down."}, "expect": 0.6666666666666666}
    ```

    ```case
    {"params": {"tokens": "whitespace"}, "case": {"response": "The cat sat.", "reference": "The cat sat down."}, "expect": 0.4}
    ```

    ```case
    {"params": {"tokens": "sklearn"}, "case": {"response": "plan B", "reference": "plan C"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "", "reference": ""}, "expect": 1.0}
    ```

    ## Differences from other tools

    Tools differ in how they cut words; the option names three definitions. The Jaccard share inside the metric `relevance` is
    taken of the words between white space in lower case; stop words are not dropped.

    ## References

    - Jaccard: Étude comparative de la distribution florale, Bulletin de la Société vaudoise des sciences naturelles 37, 1901.
    """

def json_schema(
    *,
    schema: Any = ...,
    within: Literal["response"] | Literal["fence"] | Literal["anywhere"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# json_schema

    Whether the response is JSON that follows a schema.

    ## What it measures

    1 where the response is well-formed JSON and the schema accepts it, else 0. Each violation is shown at the value that causes it.

    ## When to use it

    When a program reads the answer and needs certain fields of certain types.

    ## When not to

    To check whether the values are true: a schema knows forms only.

    ## Formula

        value = 1 if violations = 0 else 0

    A response that is no JSON has one violation. Part: `violations`.

    JSON that is nested deeper than 127 levels is well formed but cannot be read; such a case is an error and not a 0.

    A schema whose parts refer to each other can be short and never come to an end: forty parts that each name the next one twice make 2⁴⁰
    checks. The checks are counted before they are made; a response that would take more than 4,000,000, that would be checked through more than 300
    references within each other, or by a part that refers to itself, is an error and not a 0. A schema may have 1,000 references. A plain schema makes
    about one check for each value in the response.

    ## Options

    - `schema`: the JSON Schema itself, required. Drafts 4, 6, 7, 2019-09 and 2020-12 by its `$schema`, the last where it has none. References
      to other files or addresses are not followed. `format` is checked only where the draft says so.
    - `within`: where the JSON is looked for: `response` (default), `fence` or `anywhere`, as for `json_valid`.

    ## Examples

    ```case
    {"params": {"schema": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}}, "case": {"response": "{\\"city\\": \\"Paris\\"}"}, "expect": 1.0}
    ```

    A missing field and a wrong type are two violations.

    ```case
    {"params": {"schema": {"type": "object", "required": ["city", "year"], "properties": {"city": {"type": "string"}}}}, "case": {"response": "{\\"city\\": 75}"}, "expect": 0.0, "parts": {"violations": 2}}
    ```

    ```case
    {"params": {"schema": {"type": "array", "items": {"type": "integer", "minimum": 0}}, "within": "fence"}, "case": {"response": "```json\\n[1, -2]\\n```"}, "expect": 0.0}
    ```

    What is no JSON follows no schema.

    ```case
    {"params": {"schema": true}, "case": {"response": "Paris"}, "expect": 0.0}
    ```

    ```case
    {"params": {"schema": {"type": "strnig"}}, "case": {"response": "{}"}, "expect_error": "no usable JSON Schema"}
    ```

    ```case
    {"params": {"schema": {"$ref": "https://example.org/schema.json"}}, "case": {"response": "{}"}, "expect_error": "no usable JSON Schema"}
    ```

    A part that refers to itself on the same value.

    ```case
    {"params": {"schema": {"$ref": "#"}}, "case": {"response": "1"}, "expect_error": "refers to itself"}
    ```

    ## Differences from other tools

    promptfoo validates with Ajv, which knows draft 7 by default. DeepEval's JSON correctness takes a Pydantic model. No tool of these shows
    where in the answer the violation stands.

    The formats `idn-email` and `idn-hostname` (names in other scripts) are not checked in any draft: every string passes.

    ## References

    - JSON Schema, draft 2020-12: Core and Validation.
    """

def json_valid(
    *,
    within: Literal["response"] | Literal["fence"] | Literal["anywhere"] = ...,
    root: Literal["any"] | Literal["object"] | Literal["array"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# json_valid

    Whether the response is well-formed JSON.

    ## What it measures

    1 where a JSON value is found where it should be, 0 where it is not. The evidence shows the value, or the place where the text stops being
    JSON and why.

    ## When to use it

    When a program reads the answer.

    ## When not to

    When the fields matter too: use `json_schema`, which includes this check.

    ## Formula

        value = 1 if the text is one JSON value of the asked kind else 0

    JSON is that of RFC 8259, without comments, trailing commas, `NaN` or single quotes. Nesting is not limited. Repeated keys are allowed.

    ## Options

    - `within`: where the JSON is looked for. `response` (default): the whole response, white space aside. `fence`: the first block between
      triple backticks, or the whole response where there is none. `anywhere`: the same, and else the first object or array in running text; the
      first 16 opening brackets are tried.
    - `root`: `any` (default), `object` or `array`.

    ## Examples

    ```case
    {"case": {"response": "{\\"city\\": \\"Paris\\", \\"population\\": 2102650}"}, "expect": 1.0}
    ```

    A trailing comma is no JSON.

    ```case
    {"case": {"response": "{\\"city\\": \\"Paris\\",}"}, "expect": 0.0}
    ```

    A fence counts where it is allowed.

    ```case
    {"case": {"response": "```json\\n[1, 2]\\n```"}, "expect": 0.0}
    ```

    ```case
    {"params": {"within": "fence"}, "case": {"response": "```json\\n[1, 2]\\n```"}, "expect": 1.0}
    ```

    ```case
    {"params": {"within": "anywhere", "root": "object"}, "case": {"response": "Sure! {\\"a\\": 1} is what you asked for."}, "expect": 1.0}
    ```

    ```case
    {"params": {"root": "object"}, "case": {"response": "[1]"}, "expect": 0.0}
    ```

    ## Differences from other tools

    promptfoo's `is-json` is `within: response`, its `contains-json` is near to `within: anywhere`. Python's `json` reads `NaN` and `Infinity`,
    which are not JSON.

    ## References

    - RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format.
    """

def levenshtein(
    *,
    unit: Literal["characters"] | Literal["words"] = ...,
    ignore_case: bool = ...,
    longest: int = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# levenshtein

    Similarity by edit distance: one minus the least number of edits as a share of the longer text.

    ## What it measures

    How many insertions, deletions and replacements turn the response into the reference. The evidence lists them for texts of up to about 128
    characters (or words) each, widened to whole words and numbers; for longer ones it shows the first difference.

    ## When to use it

    For short texts in which slips should cost little: names, codes, transcriptions.

    ## When not to

    When words may stand in another order, or mean the same in other letters.

    ## Formula

        value = 1 − distance / length

    `distance` is the least number of edits, `length` that of the longer text. Two empty texts are alike: 1. Characters are Unicode scalar values,
    so a letter with a combining accent counts as two. Of several references the best counts. The value does not change when response and
    reference are swapped.

    Parts: `distance` and `length`.

    ## Options

    - `unit`: `characters` (default) or `words`, which are what stands between white space.
    - `ignore_case`: compare in lower case. Default false.
    - `longest`: length, in units, up to which texts that differ are compared. Default 200,000. The work grows with the product of both lengths, so
      what counts is the product: a short text may be held against a much longer one, and the lengths of several references are added up. Two texts of
      200,000 characters take about two seconds; beyond the limit the case is an error that says so.

    ## Examples

    ```case
    {"case": {"response": "kitten", "reference": "sitting"}, "expect": 0.5714285714285714, "parts": {"distance": 3, "length": 7}}
    ```

    ```case
    {"params": {"unit": "words"}, "case": {"response": "the cat sat", "reference": "the dog sat down"}, "expect": 0.5}
    ```

    ```case
    {"params": {"ignore_case": true}, "case": {"response": "PARIS", "reference": "Paris"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "", "reference": ""}, "expect": 1.0}
    ```

    ```case
    {"params": {"longest": 4}, "case": {"response": "kitten", "reference": "sitting"}, "expect_error": "two texts of 4 characters"}
    ```

    ## Differences from other tools

    Equals `Levenshtein.normalized_similarity` of rapidfuzz. Its `fuzz.ratio` counts a replacement as two edits and divides by the sum of the
    lengths. promptfoo's `levenshtein` compares the distance itself with a threshold. With `unit: words` and the length of the reference as
    divisor the distance would be the word error rate.

    ## References

    - Levenshtein: Binary codes capable of correcting deletions, insertions, and reversals, Soviet Physics Doklady 10, 1966.
    - Myers: A fast bit-vector algorithm for approximate string matching, JACM 46(3), 1999.
    """

def numeric_close(
    *,
    absolute: float = ...,
    relative: float = ...,
    pick: Literal["first"] | Literal["last"] | Literal["only"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# numeric_close

    Whether the number in the response is close enough to the number in the reference.

    ## What it measures

    1 where the two numbers differ by no more than the tolerance, else 0. The difference and what was allowed stay visible as parts.

    ## When to use it

    For questions whose answer is one number: sums, measurements, counts, dates given as a year.

    ## When not to

    When the unit matters, since it is not read: 5 km and 5 miles are the same here, and 50 % is 50. When numbers are written in words.

    ## Formula

        difference = |response − reference|
        allowed    = max(absolute, relative · |reference|)
        value      = 1 if difference ≤ allowed else 0

    A number is written in digits, with a sign, with commas between groups of three, a decimal point and an exponent where it has them:
    `1,234.5`, `-3`, `−$3.50`, `.5`, `6.02e23`. A dash after a digit or a letter is a hyphen and no sign. Digits inside a word (`GPT4`) and
    numbers with two points (`2.3.1`) are passed over, and so is a number too large for 64-bit floating point.

    Of several references the one that is met best counts. A response without a number gets 0; a reference without one is an error.

    Parts: `difference` and `allowed`, absent where the response has no number.

    ## Options

    - `absolute`: tolerance as it is. Default 0.
    - `relative`: tolerance as a share of the reference. Default 1e-9.
    - `pick`: which number of a text is taken, in the response and in the reference: `first`, `last` (default), or `only`, which takes the number
      of a text that has just one and none of a text with several.

    ## Examples

    ```case
    {"case": {"response": "2 + 2 = 4", "reference": "4"}, "expect": 1.0}
    ```

    ```case
    {"params": {"relative": 0.01}, "case": {"response": "about 3.14", "reference": "3.14159"}, "expect": 1.0}
    ```

    ```case
    {"params": {"absolute": 0.5}, "case": {"response": "It weighs 1,250.4 kg.", "reference": "1251"}, "expect": 0.0, "parts": {"difference": 0.6, "allowed": 0.5}}
    ```

    ```case
    {"params": {"pick": "only"}, "case": {"response": "Between 3 and 5", "reference": "4"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "four", "reference": "4"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "4", "reference": "four"}, "expect_error": "holds no number"}
    ```

    ```case
    {"params": {"absolute": -1}, "case": {"response": "4", "reference": "4"}, "expect_error": "not negative"}
    ```

    ## Differences from other tools

    Python's `math.isclose` takes its relative tolerance from the larger of the two numbers; here the reference alone sets it, as in NumPy's
    `isclose`, which adds the two tolerances where we take the larger.

    ## References

    - PEP 485, A Function for testing approximate equality.
    """

def regex_match(
    *,
    pattern: str = ...,
    mode: Literal["search"] | Literal["prefix"] | Literal["full"] = ...,
    ignore_case: bool = ...,
    multi_line: bool = ...,
    dot_matches_new_line: bool = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# regex_match

    Whether a regular expression matches the response.

    ## What it measures

    1 where the expression matches, 0 where it does not. The evidence shows the first match.

    ## When to use it

    To check a form: a date, an identifier, a final line such as `Answer: B`, the absence of nothing but letters.

    ## When not to

    To judge what an answer means. To read JSON, `json_valid` and `json_schema` are safer.

    ## Formula

        value = 1 if the expression matches else 0

    Matching takes time linear in the response, whatever the expression: there is no backtracking, and so there are no back-references and no
    look-around. The expression may take up to 1 MiB when compiled; counts within counts (`\\w{500}{500}`) are refused before the run.

    A response that is so long that the size of the expression would be felt (beyond some 60 MB for each state) is searched in a way that can be
    ended. That way knows no word boundary between letters beyond ASCII: such a case is an error, not a 0.

    ## Options

    - `pattern`: the expression, required. Syntax of the Rust crate `regex`; classes such as `\\w` and `\\d` cover all of Unicode.
    - `mode`: `search` (default) matches anywhere, `prefix` from the beginning of the response, `full` the whole response.
    - `ignore_case`: upper and lower case are the same. Default false.
    - `multi_line`: `^` and `$` match at every line. Default false.
    - `dot_matches_new_line`: `.` matches a line feed too. Default false.

    ## Examples

    ```case
    {"params": {"pattern": "\\\\b\\\\d{4}-\\\\d{2}-\\\\d{2}\\\\b"}, "case": {"response": "It opened on 1889-03-31 in Paris."}, "expect": 1.0}
    ```

    The same date is not the whole response.

    ```case
    {"params": {"pattern": "\\\\d{4}-\\\\d{2}-\\\\d{2}", "mode": "full"}, "case": {"response": "It opened on 1889-03-31 in Paris."}, "expect": 0.0}
    ```

    An alternation is anchored as a whole.

    ```case
    {"params": {"pattern": "yes|no", "mode": "full", "ignore_case": true}, "case": {"response": "No"}, "expect": 1.0}
    ```

    ```case
    {"params": {"pattern": "^Answer: [A-D]$", "multi_line": true}, "case": {"response": "I think so.\\nAnswer: B\\n"}, "expect": 1.0}
    ```

    ```case
    {"params": {"pattern": "a.b", "mode": "prefix", "dot_matches_new_line": true}, "case": {"response": "a\\nbc"}, "expect": 1.0}
    ```

    A comment ends with its line, whatever the mode puts around the expression.

    ```case
    {"params": {"pattern": "(?x)a # note", "mode": "full"}, "case": {"response": "a"}, "expect": 1.0}
    ```

    ```case
    {"params": {"pattern": "\\\\w{500}{500}"}, "case": {"response": "a"}, "expect_error": "larger than"}
    ```

    ```case
    {"params": {"pattern": "(open"}, "case": {"response": "open"}, "expect_error": "no regular expression"}
    ```

    ## Differences from other tools

    promptfoo uses JavaScript's expressions and Inspect Python's; both backtrack, know look-around and back-references, and can be made to hang
    by a hostile text. `mode: prefix` is Python's `re.match`, `mode: full` its `re.fullmatch`.

    Patterns that both accept can differ from Python's `re` in these points:

    - `$` matches at the end only; Python's also before a final line feed. Write `\\n?$` (or `\\s*$`) for a response that may end with one.
    - `\\Z` is written `\\z`; possessive quantifiers, atomic groups, look-around, back-references and conditions are refused when the options are read.
    - `\\d`, `\\w`, `\\s` and `\\b` follow the newest Unicode: `\\w` also takes marks such as a combining accent and joiners, Python's takes letters, numbers
      and `_`. Python's `\\s` also takes the control characters U+001C to U+001F.
    - `ignore_case` folds by Unicode's simple folding: `ſ` is `s` and `K` (Kelvin) is `k` in both, but `ı` and `İ` stay themselves, which Python takes for
      `i`.
    - Inside a class, `[`, `&&`, `--` and `~~` have a meaning of their own; write `\\[` and `\\&`.
    - `{` that opens no count is refused rather than taken as itself: write `\\{`.
    - Of several alternatives the leftmost one wins in both; the text that is found is the same wherever both accept the pattern.

    ## References

    - The `regex` crate, section "Syntax".
    """

def rouge_l(
    *,
    use_stemmer: bool = ...,
    longest: int = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# rouge_l

    ROUGE-L: the longest sequence of words that response and reference share in the same order, as F1.

    ## What it measures

    How much of both texts can be laid over each other without changing the order; words in between do not break the sequence. The evidence shows
    the shared stretches in the response and what of the reference is missing.

    ## When to use it

    For summaries and longer answers, to compare systems on the same data.

    ## When not to

    To judge a single answer as right or wrong. For languages that are not written in Latin letters: letters other than a to z and digits are
    dropped, and a text without any gets 0.

    ## Formula

        precision = longest / words of the response
        recall    = longest / words of the reference
        value     = 2 · precision · recall / (precision + recall)

    Words are lower-cased runs of the letters a to z and digits. A text without words gives 0, even against itself. Of several references the one
    with the best value counts.

    Parts: `precision` and `recall`.

    ## Options

    - `use_stemmer`: words of more than three letters are cut to their Porter stem, in the variant of NLTK. Default false.
    - `longest`: length in words up to which texts that differ are compared. Default 200,000. The work grows with the product of both lengths, so what
      counts is the product: a short text may be held against a much longer one, and the lengths of several references are added up. Two texts of
      200,000 words take well under a second, four where they consist of a handful of words; beyond the limit the case is an error that says so.

    ## Examples

    The longest sequence is: the, cat, the, mat.

    ```case
    {"case": {"response": "The cat lay on the mat.", "reference": "The cat is sitting under the mat"}, "expect": 0.6153846153846154}
    ```

    ```case
    {"params": {"use_stemmer": true}, "case": {"response": "cats running", "reference": "the cat runs"}, "expect": 0.8}
    ```

    ```case
    {"case": {"response": "dog", "reference": ["cat", "a dog"]}, "expect": 0.6666666666666666, "parts": {"precision": 1.0, "recall": 0.5}}
    ```

    ```case
    {"case": {"response": "", "reference": "cat"}, "expect": 0.0}
    ```

    ```case
    {"params": {"longest": 2}, "case": {"response": "one two three", "reference": "one two four"}, "expect_error": "two texts of 2 words"}
    ```

    ## Differences from other tools

    Equals `rougeL` of Google's `rouge_score` 0.1.2, several references as in its `score_multi`. The package `rouge` weighs recall more and cuts
    words in another way. The variant that works sentence by sentence, `rougeLsum`, is not this metric.

    ## References

    - Lin: ROUGE: A Package for Automatic Evaluation of Summaries, ACL workshop Text Summarization Branches Out, 2004.
    - `rouge_score` 0.1.2.
    """

def tfidf_cosine(
    *,
    stop_words: Literal["english"] | Literal["none"] = ...,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# tfidf_cosine

    Cosine of the tf-idf term weights of the response and the reference.

    ## What it measures

    How far two texts use the same content words, rare ones counting more. The evidence lists the terms by what they add to the cosine, then
    those that only one text has.

    ## When to use it

    To compare texts of different length by topic.

    ## When not to

    When order, negation or numbers decide. With two texts only, rarity has two steps: a term is in one text or in both.

    ## Formula

        weight = occurrences · (ln(3 / (1 + texts that have the term)) + 1)
        value  = cosine of the two weight vectors

    Terms are lower-cased runs of at least two letters, digits or underscores, stop words left out. A text without
    terms gives 0; where neither text has one the metric is not applicable. Of several references the best counts.

    ## Options

    - `stop_words`: `english` (default) leaves out the 318 frequent English words of scikit-learn's list; `none` counts all words.

    ## Examples

    ```case
    {"case": {"response": "The capital of France is Paris.", "reference": "What is the capital of France?"}, "expect": 0.7092972666062739}
    ```

    ```case
    {"case": {"response": "Paris.", "reference": "The capital of France"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "Is it?", "reference": "It is."}, "expect_not_applicable": true}
    ```

    Where all words count, these are the same.

    ```case
    {"params": {"stop_words": "none"}, "case": {"response": "Is it?", "reference": "It is."}, "expect": 1.0}
    ```

    ## Differences from other tools

    Equals `cosine_similarity` of scikit-learn on a `TfidfVectorizer` with the same `stop_words`, fitted on the two texts; its default is `None`.
    scikit-learn fails with an
    empty vocabulary where this metric is not applicable. Tools that fit the weights on a whole corpus give other numbers.

    ## References

    - Salton, Buckley: Term-weighting approaches in automatic text retrieval, Information Processing & Management 24(5), 1988.
    - scikit-learn user guide, section "Text feature extraction".
    """

def token_f1(
    *,
    per: Literal["turn"] = ...,
    over: Literal["mean"] | Literal["min"] | Literal["max"] | Literal["last"] = ...,
    only: Literal["expected"] | Literal["all"] | None = ...,
    passages: Literal["given"] | Literal["results"] = ...,
    name: str | None = ...,
    profile: Profile | None = ...,
) -> dict[str, Any]:
    """# token_f1

    Words that the response and the reference share, as the harmonic mean of precision and recall.

    ## What it measures

    How much of the response is in the reference (precision) and how much of the reference is in the response (recall), counted in words without
    regard to their order. The evidence shows shared stretches, missing ones and superfluous ones.

    ## When to use it

    For short answers whose wording may vary by a word or two. It is the usual number for extractive question answering.

    ## When not to

    For long answers, where frequent words alone give a fair value. It does not see negation: "is" and "is not" are near. It knows no synonyms.

    ## Formula

        precision = shared / words of the response
        recall    = shared / words of the reference
        value     = 2 · precision · recall / (precision + recall)

    Texts are normalised as by the SQuAD script: lower case, ASCII punctuation deleted, the words a, an and the dropped. A word that occurs twice
    in both texts is shared twice. Where a text has no words left, the value is 1 if the other has none either, else 0; but an empty response never
    meets a reference that has something in it. Of several references the best counts.

    Parts: `precision` and `recall`.

    ## Options

    None.

    ## Examples

    Two of two words are right, two of three are there.

    ```case
    {"case": {"response": "the Eiffel Tower", "reference": "Eiffel Tower, Paris"}, "expect": 0.8, "parts": {"precision": 1.0, "recall": 0.6666666666666666}}
    ```

    ```case
    {"case": {"response": "It is the Louvre", "reference": ["Eiffel Tower", "Louvre"]}, "expect": 0.5}
    ```

    Only an article is left, and an article is no word.

    ```case
    {"case": {"response": "The!", "reference": "a"}, "expect": 1.0}
    ```

    ```case
    {"case": {"response": "", "reference": "Paris"}, "expect": 0.0}
    ```

    An empty response is not the letter A, and is right where nothing is.

    ```case
    {"case": {"response": "", "reference": "A"}, "expect": 0.0}
    ```

    ```case
    {"case": {"response": "", "reference": ""}, "expect": 1.0}
    ```

    ```case
    {"params": {"stem": true}, "case": {"response": "a", "reference": "a"}, "expect_error": "unknown field `stem`"}
    ```

    ## Differences from other tools

    Equals the F1 of the SQuAD 2.0 script, but for an empty response and a reference such as `A` or `the`: the script drops articles and then calls
    nothing equal to nothing (1.0), here it is 0.0, and the evidence says so. That of version 1.1 gives 0 where both texts have no words. Inspect's `f1` normalises alike, and also
    reads number words.

    ## References

    - Rajpurkar, Jia, Liang: Know What You Don't Know: Unanswerable Questions for SQuAD, ACL 2018, and its evaluation script.
    """
