# Made by `cargo x gen stubs` from the definitions of the metrics; do not edit.
"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from probare._arguments import Profile as Profile
from probare._metric import MetricRequest

MetricId: TypeAlias = Literal[
    "correct_prefix",
    "end_state",
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
    "usage",
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
    "openai_grader",
    "openai_model_grader",
    "promptfoo_judged_test",
    "list_many",
    "list_one",
    "pick_many",
    "pick_one",
    "verbatim",
    "yes_no",
    "yes_no_rationale",
    "judge_answer_relevancy",
    "judge_claims",
    "judge_context_precision",
    "judge_context_recall",
    "judge_context_relevance",
    "judge_noise_sensitivity",
    "judge_pairwise",
    "judge_rubric",
    "judge_same_answer",
    "judge_steps",
    "personal_data",
    "secrets",
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
    "gleu",
    "jaccard",
    "json_schema",
    "json_valid",
    "levenshtein",
    "meteor",
    "numeric_close",
    "promptfoo_test",
    "refusal",
    "regex_match",
    "rouge_l",
    "starts_with",
    "tfidf_cosine",
    "token_f1",
    "word_count",
]
Request: TypeAlias = MetricRequest

def read(request: str) -> dict[str, Any]:
    """A metric that is written as a text, `ID:OPTION=VALUE`, as a dict."""

class MetricOptions(TypedDict, total=False):
    """Options that every metric takes."""

    name: str | None
    """Its name in the results; its id if absent."""
    profile: Profile | None
    """The definition that counts: published or improved; that of the run if absent."""

class TurnOptions(MetricOptions, total=False):
    """Options that a metric takes where it can be scored turn by turn."""

    per: Literal["turn"]
    """Score each turn of the conversation by itself; the options `over`, `only` and `passages` go with it."""
    over: Literal["mean", "min", "max", "last"]
    """With `per`: how the values of the turns become one."""
    only: Literal["expected", "all"] | None
    """With `per`: the turns that `turns` speaks of (where the case has `turns`), or all (where it has none)."""
    passages: Literal["given", "results"]
    """With `per`: whether the passages of a turn are those that were given, or the results of its calls."""

def correct_prefix(
    *,
    names_only: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the calls before the first wrong one, against the expected calls.

    - `names_only`: Whether only the names of calls count, and not their arguments.
    """

def end_state(
    *,
    share: bool = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Whether the state after an agent's run is the expected one: files, rows, JSON.

    - `share`: Give the share of the conditions that hold; 1 or 0 for all of them if absent.
    """

def fact_kept(
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Share of the user's facts that come back as the user said them, in calls and answers."""

def function_call(
    *,
    category: str = ...,
    underscore_to_dot: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether calls fit a key of allowed values (BFCL).

    - `category`: The category of BFCL: with `parallel` in it, several calls in any order; with `multiple`, several tools; else one call of the first tool.
    - `underscore_to_dot`: Whether `.` in the names of tools is written as `_` in calls.
    """

def json_diff(
    *,
    preserve_strings: bool = ...,
    at_path: str | None = ...,
    expected: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Similarity of two JSON values, part by part (autoevals).

    - `preserve_strings`: Whether texts that hold JSON stay texts.
    - `at_path`: JSON Pointer to the value in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    - `expected`: The expected value in place of the reference.
    """

def json_match(
    *,
    find: bool = ...,
    at_path: str | None = ...,
    expected: Any = ...,
    lists: Any = ...,
    compare: dict[str, Any] = ...,
    extra: Literal["counted", "allowed"] = ...,
    null_is_missing: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the leaves of an expected JSON value that are right.

    - `find`: Whether the first JSON value in the text of the answer is taken, and not the answer as a whole.
    - `at_path`: JSON Pointer to the value in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    - `expected`: The expected value in place of the reference.
    - `lists`: How the items of lists find each other: `assignment`, `position`, or an object `{"key": NAME}`.
    - `compare`: How leaves are compared, by JSON Pointer with `*` for one step: `exact`, `ignore`, `loose`, `levenshtein`, `set`, `{"abs", "rel"}`, `{"one_of"}`, `{"pattern"}`.
    - `extra`: Whether leaves of the answer that nobody expects count.
    - `null_is_missing`: Whether null and absent are the same.
    """

def list_contains(
    *,
    allow_extra_entities: bool = ...,
    at_path: str | None = ...,
    expected: Sequence[Any] | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How well the items of two lists match (autoevals).

    - `allow_extra_entities`: Whether further items cost nothing.
    - `at_path`: JSON Pointer to the list in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    - `expected`: The expected list in place of the reference.
    """

def loops(
    *,
    at_least: int = ...,
    polled: Sequence[str] = ...,
    texts: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of calls and texts that are not empty repetitions.

    - `at_least`: How often the same thing makes a loop.
    - `polled`: Tools that may be called again and again, by name or glob.
    - `texts`: Whether texts are looked at too.
    """

def numeric_diff(
    *,
    at_path: str | None = ...,
    expected: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Nearness of two numbers, by their size (autoevals).

    - `at_path`: JSON Pointer to the value in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    - `expected`: The expected value in place of the reference.
    """

def steps(
    *,
    count: Literal["calls", "messages", "turns", "results"] = ...,
    of: str | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Number of calls, messages, turns or results.

    - `count`: What is counted.
    - `of`: The calls and results of this tool alone, by name or glob.
    """

def tool_call_accuracy(
    *,
    strict_order: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of expected arguments that calls of the expected names have (Ragas).

    - `strict_order`: Whether the calls must come in the expected order.
    """

def tool_call_f1(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """F1 of the different calls that were made and expected (Ragas)."""

def tool_calls(
    *,
    order: Literal["any", "in_order", "strict"] = ...,
    extra: Literal["counted", "allowed"] = ...,
    arguments: Literal["exact", "at_least", "at_most", "ignore"] = ...,
    partial: bool = ...,
    ignore: Sequence[str] = ...,
    keys: Sequence[str] | None = ...,
    defaults: dict[str, Any] = ...,
    numbers: dict[str, Any] = ...,
    texts: Literal["exact", "loose"] = ...,
    text_numbers: bool = ...,
    tools: dict[str, Any] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """F1 of the calls that were made and expected, in the best pairing.

    - `order`: How calls may pair.
    - `extra`: Whether calls that pair with nothing lower the precision.
    - `arguments`: Relation of the called arguments to the expected ones.
    - `partial`: Whether a pair counts by its share of right arguments, and not as 0 or 1.
    - `ignore`: Globs of arguments that are left out on both sides.
    - `keys`: The only arguments that are compared.
    - `defaults`: An argument that is missing is taken as this, on both sides.
    - `numbers`: How far numbers may differ.
    - `texts`: When two texts are equal.
    - `text_numbers`: Whether a text that holds a number equals that number.
    - `tools`: The options from `arguments` on for single tools, by name or glob; the last that fits counts.
    """

def tool_correctness(
    *,
    evaluation_params: Sequence[Literal["input_parameters", "output"]] = ...,
    should_exact_match: bool = ...,
    should_consider_ordering: bool = ...,
    strict_mode: bool = ...,
    threshold: float = ...,
    available_tools: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the expected tools that were called (DeepEval).

    - `evaluation_params`: What is compared beyond names and kinds: `input_parameters`, `output`.
    - `should_exact_match`: Whether the calls must be the expected ones, one by one.
    - `should_consider_ordering`: Whether the order of calls counts.
    - `strict_mode`: Whether a value below 1 becomes 0, with a threshold of 1.
    - `threshold`: The value from which on `success` is 1.
    - `available_tools`: Asks a model in the original; not available here.
    """

def tool_errors(
    *,
    texts: Literal["json", "all", "none"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of answered calls whose result is not an error.

    - `texts`: Which results are errors beside those that the source says are.
    """

def tool_rules(
    *,
    rules: Sequence[dict[str, Any]] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the rules on calls that the agent kept.

    - `rules`: The rules; those that a case has in `metadata.rules` come after them.
    """

def tool_schema(
    *,
    unknown: Literal["counted", "ignored"] = ...,
    closed: bool = ...,
    formats: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of calls that a tool exists for and its schema allows.

    - `unknown`: Whether calls of tools that are not offered count.
    - `closed`: Whether an object schema without `additionalProperties` allows none.
    - `formats`: Whether formats (`date`, `email`) are checked.
    """

def trajectory_match(
    *,
    trajectory_match_mode: Literal["strict", "unordered", "subset", "superset"] = ...,
    tool_args_match_mode: Literal["exact", "ignore", "subset", "superset"] = ...,
    tool_args_match_overrides: dict[str, Any] = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Whether messages and calls follow the expected ones (AgentEvals).

    - `trajectory_match_mode`: How the two sides are compared.
    - `tool_args_match_mode`: When the arguments of two calls fit.
    - `tool_args_match_overrides`: For single tools: another mode, or a list of arguments (with dots into objects) that alone are compared.
    """

def usage(
    *,
    count: Literal["tokens", "cost_usd", "latency_ms"] = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """What an answer cost: tokens, US dollars, milliseconds.

    - `count`: What is counted.
    """

def answer_match(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How surely the response gives a right answer to an open question, as a reader would judge it."""

def agency_language(
    *,
    strictness: Literal["low", "medium", "high"] | None = ...,
    upstream: Literal["1.0", "1.3"] | None = ...,
    lexicon: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the reply leaves the choice to the user.

    - `strictness`: When the label fails, in the improved profile: `low` for what every reader would mark, `medium` (the default) for what most would, `high` also for what is mild. The value does not depend on it.
    - `upstream`: The version of Synthesis whose phrases and rules are reproduced, in the published profile: `1.0` (the default) or `1.3`.
    - `lexicon`: Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    """

def grounded_uptake(
    *,
    upstream: Literal["1.0", "1.3"] | None = ...,
    lexicon: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether a reply shows five visible features of taking up a disclosure; no verdict on its quality.

    - `upstream`: The version of Synthesis that is reproduced; only `1.3` has this check.
    - `lexicon`: Families of phrases to add to the bundled ones, or to use in their place: the content of a lexicon file, or its text.
    """

def performative_empathy(
    *,
    upstream: Literal["1.0", "1.3"] | None = ...,
    lexicon: Any = ...,
    concreteness: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether a reply to a disclosure is warm stock phrases and nothing else.

    - `upstream`: The version of Synthesis that is reproduced; only `1.3` has this check.
    - `lexicon`: Families of phrases to add to the bundled ones, or to use in their place: the content of a lexicon file, or its text.
    - `concreteness`: Ratings of words from 1 (abstract) to 5 (concrete) in place of the 49 bundled ones: an object with `ratings`, or the text of such a file or of a CSV with the columns `Word` and `Conc.M`.
    """

def topic_pivot(
    *,
    strictness: Literal["low", "medium", "high"] | None = ...,
    upstream: Literal["1.0", "1.3"] | None = ...,
    lexicon: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the reply stays with a vulnerable user's concern.

    - `strictness`: When the label fails, in the improved profile: `low` for what every reader would mark, `medium` (the default) for what most would, `high` also for what is mild. The value does not depend on it.
    - `upstream`: The version of Synthesis whose phrases and rules are reproduced, in the published profile: `1.0` (the default) or `1.3`.
    - `lexicon`: Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    """

def unverifiable_reassurance(
    *,
    strictness: Literal["low", "medium", "high"] | None = ...,
    upstream: Literal["1.0", "1.3"] | None = ...,
    lexicon: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the reply avoids claims to know minds or the future.

    - `strictness`: When the label fails, in the improved profile: `low` for what every reader would mark, `medium` (the default) for what most would, `high` also for what is mild. The value does not depend on it.
    - `upstream`: The version of Synthesis whose phrases and rules are reproduced, in the published profile: `1.0` (the default) or `1.3`.
    - `lexicon`: Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    """

def code_tests(
    *,
    timeout: int | None = ...,
    memory_mib: int | None = ...,
    environment: str | None = ...,
    tests: Literal["outside", "inside"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response's code passes the tests of the case, run in the sandbox.

    - `timeout`: Seconds that the code and its tests may take together. Default 10.
    - `memory_mib`: MiB that all its processes may take together. Default 1024.
    - `environment`: Which Python runs it: `conda:NAME`, `venv:FOLDER` or `python:PATH`; `python3` of the machine if absent.
    - `tests`: Where the tests run: `outside` (in a sandbox of their own, which the code cannot see into; plain values cross) or `inside` (in the process of the code: for tests that need its objects, files or output, and can be cheated). Default `outside`.
    """

def answer_f1(
    *,
    sources: str = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Harmonic mean of the shares of tokens that a deep-search answer and the expected summary have in common.

    - `sources`: Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    """

def claim_verification(
    *,
    sources: str = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the claims of an answer that a single source holds by their words and all their numbers.

    - `sources`: Name in the metadata of the source texts. Where the metadata have none, `context` is used.
    """

def deep_search_aggregate(
    *,
    weights: dict[str, Any] = ...,
    topics: str | None = ...,
    steps: str | None = ...,
    sources: str | None = ...,
    iterations: str | None = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Weighted sum of the five measures of a deep-search answer.

    - `weights`: How much each measure counts.
    - `topics`: Name in the metadata of the titles that documents should belong to.
    - `steps`: Name in the metadata of the reasoning steps.
    - `sources`: Name in the metadata of the source texts.
    - `iterations`: Name in the metadata of the iterations.
    """

def iteration_efficiency(
    *,
    iterations: str = ...,
    threshold: float = ...,
    sources: str = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """One over the number of the first iteration whose answer was right.

    - `iterations`: Name in the metadata of the iterations, each with its `answers`.
    - `threshold`: F1 against the summary from which an answer counts as right.
    - `sources`: Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    """

def source_precision(
    *,
    topics: str = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Share of the first five retrieved documents whose name holds a topic of the question.

    - `topics`: Name in the metadata of the titles that documents should belong to.
    """

def step_coverage(
    *,
    steps: str = ...,
    sources: str = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the reasoning steps of which the answer has at least one keyword.

    - `steps`: Name in the metadata of the reasoning steps.
    - `sources`: Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    """

def openai_grader(
    *,
    grader: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """A string check, text similarity or multi grader of OpenAI Evals.

    - `grader`: The entry of `testing_criteria` as it stands in the eval: `type` and the fields of that type.
    """

def openai_model_grader(
    *,
    grader: Any = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """A label or score model grader of OpenAI Evals, asked of the judges of the run.

    - `grader`: The entry of `testing_criteria` as it stands in the eval, of type `label_model` or `score_model`.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def promptfoo_judged_test(
    *,
    assert_: Sequence[Any] = ...,
    threshold: float | None = ...,
    metric: str | None = ...,
    functions: Any = ...,
    tools: Any = ...,
    embedding: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """The score of a promptfoo test with assertions that a model decides, asked of the judges of the run.

    - `assert`: Assertions of every case, as promptfoo writes them: `{type: llm-rubric, value: is polite}`. Those of the case (`metadata.promptfoo.assert`) come behind them.
    - `threshold`: Score from which on a test passes, whatever its assertions say; that of the case wins.
    - `metric`: Name of a `metric`: the value is then its score rather than that of the test.
    - `functions`: Functions that the model could call, for `is-valid-function-call`.
    - `tools`: Tools that the model could call, for `is-valid-openai-tools-call`; those of the case where absent.
    - `embedding`: Model whose vectors `similar` compares: `all-MiniLM-L6-v2`, computed on this machine, or `provider:model`.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def list_many(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """What the values that an answer names are worth together, of an open list.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `synonyms`: Whether synonyms and plurals count; by default for lists only.
    - `fuzzy`: Whether near spellings count; by default for options only.
    - `fuzzy_threshold`: Least similarity of a near spelling.
    """

def list_one(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """What the first value that an answer names is worth, of an open list.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `synonyms`: Whether synonyms and plurals count; by default for lists only.
    - `fuzzy`: Whether near spellings count; by default for options only.
    - `fuzzy_threshold`: Least similarity of a near spelling.
    """

def pick_many(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """What the options that an answer chooses are worth together, penalties included.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `synonyms`: Whether synonyms and plurals count; by default for lists only.
    - `fuzzy`: Whether near spellings count; by default for options only.
    - `fuzzy_threshold`: Least similarity of a near spelling.
    """

def pick_one(
    *,
    metric: Any = ...,
    synonyms: bool | None = ...,
    fuzzy: bool | None = ...,
    fuzzy_threshold: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """What the option that an answer chooses is worth.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `synonyms`: Whether synonyms and plurals count; by default for lists only.
    - `fuzzy`: Whether near spellings count; by default for options only.
    - `fuzzy_threshold`: Least similarity of a near spelling.
    """

def verbatim(
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Share of the quotations that are in the passage that they cite."""

def yes_no(
    *,
    metric: Any = ...,
    strict: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether an answer says yes or no as expected.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `strict`: Whether yes and no are compared letter by letter, case aside.
    """

def yes_no_rationale(
    *,
    metric: Any = ...,
    strict: bool = ...,
    answer_weight: float = ...,
    synonyms: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether an answer says yes or no as expected, and how many of the expected reasons it gives.

    - `metric`: What is expected of every case; `metric` in the metadata of the case where it is absent.
    - `strict`: Whether yes and no are compared letter by letter, case aside.
    - `answer_weight`: Share of the score that the yes or no carries, where the metric does not say.
    - `synonyms`: Whether synonyms and plurals count; by default for lists only.
    """

def judge_answer_relevancy(
    *,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the statements of a response that a model finds relevant to the query.

    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, statement by statement.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_claims(
    *,
    sources: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the claims of a response that a model finds in its sources, with the words that support each.

    - `sources`: Name in the metadata of the source texts; `sources_verified` if absent. Where the metadata have none, `context` is used.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, claim by claim.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_context_precision(
    *,
    against: Literal["reference", "response"] = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Average precision of the retrieved passages, by a model that says which of them help to the answer.

    - `against`: Which answer the passages have to help to: `reference` (default) or `response`, where there is no reference.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, passage by passage.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_context_recall(
    *,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the statements of the reference answer that a model finds in the retrieved passages.

    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, statement by statement.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_context_relevance(
    *,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the statements in the retrieved passages that a model finds relevant to the query.

    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, statement by statement.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_noise_sensitivity(
    *,
    mode: Literal["relevant", "irrelevant"] = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the statements of a response that are wrong and that a retrieved passage led to.

    - `mode`: Which passages count: `relevant` (default), those that support the reference, or `irrelevant`, all others.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, statement by statement.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_pairwise(
    *,
    against: str | None = ...,
    question: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether a model prefers the response to another one, asked in both orders.

    - `against`: Where the other response is: `reference`, or `metadata.KEY`. `metadata.other` if absent.
    - `question`: What makes a response the better one. Which serves whoever asked better, if absent.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_rubric(
    *,
    rubric: str | None = ...,
    question: str | None = ...,
    levels: Sequence[dict[str, Any]] = ...,
    references: bool | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How a model grades the response by a rubric with levels.

    - `rubric`: A rubric in place of `question` and `levels`: the name of one that comes with the program (`correctness`, `helpfulness`, …; `probare list judges` names them), or a file of your own that ends in `.yaml`.
    - `question`: What is asked about the response. Whether it answers the query rightly, completely and clearly, if absent.
    - `levels`: The levels, from the worst to the best; three if absent: `poor`, `fair`, `good`.
    - `references`: Whether the references are shown. Default true.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_same_answer(
    *,
    rule_first: bool | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response gives the same answer as a reference: by rule where certain, else by a model.

    - `rule_first`: Whether a certain verdict of the rule spares the question to the model. Default true.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def judge_steps(
    *,
    steps: Sequence[str] = ...,
    from_: str | None = ...,
    judges: Sequence[str] = ...,
    panel: dict[str, Any] = ...,
    prompt: str | None = ...,
    schema: bool | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of a list of steps that a model finds in the response, with the words it rests on.

    - `steps`: The steps, where they are the same for every case; else those of `from`.
    - `from`: Where the steps of a case are: `reference`, or `metadata.KEY`. `metadata.steps` if absent.
    - `judges`: Names of the models that are asked; the judges of the run if absent.
    - `panel`: How several judges become one, step by step.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    - `schema`: Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    """

def personal_data(
    *,
    kinds: Sequence[Literal["email", "phone", "iban", "card"]] = ...,
    allow: Sequence[str] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response holds an e-mail address, a telephone, account or card number.

    - `kinds`: What is looked for; all kinds if empty.
    - `allow`: Texts that may be there, such as the address of your own support.
    """

def secrets(
    *,
    allow: Sequence[str] = ...,
    min_entropy: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response gives away a key, a token or a password.

    - `allow`: Texts that are no secrets, such as the example keys of your documentation.
    - `min_entropy`: Bits per character from which on a value behind a word such as `password` or `token` counts.
    """

def completeness(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the keywords of the query that the response contains."""

def hallucination(
    *,
    anchor_weights: Sequence[float] = ...,
    claim_window: int | None = ...,
    drift_below: float = ...,
    drift: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Share of the numbers, dates and claims of the response that the context does not support.

    - `anchor_weights`: Weights of numbers, dates and claims. The published code used 1, 1 and 0.5.
    - `claim_window`: Test a claim by the distance of subject and object in characters instead of by its sentence; 300 is what the published code did.
    - `drift_below`: Share of common words below which a response has drifted away from the context.
    - `drift`: Value that a response which has drifted away gets at least.
    """

def relevance(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Mean of the tf-idf cosine and the Jaccard index of query and response."""

def verdict(
    *,
    thresholds: dict[str, Any] = ...,
    hallucination: dict[str, Any] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """PASS, WARN or FAIL with reasons, from relevance, completeness, hallucination, time and cost.

    - `thresholds`: The limits.
    - `hallucination`: Options of `hallucination`; the `profile` in them gives way to the one above.
    """

def average_precision(
    *,
    k: int | None = ...,
    divide_by: Literal["relevant", "reachable"] = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Mean of the precisions at the places of the relevant documents.

    - `k`: How many places are looked at; all of them where it is not given.
    - `divide_by`: What the sum of precisions is divided by.
    """

def ndcg(
    *,
    k: int | None = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Discounted cumulative gain of the ranking, divided by that of the best ranking.

    - `k`: How many places are looked at; all of them where it is not given.
    """

def precision_at_k(
    *,
    k: int = ...,
    divide_by: Literal["k", "retrieved"] = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Share of the first k retrieved documents that are relevant.

    - `k`: How many places are looked at.
    - `divide_by`: What the hits are divided by.
    """

def recall_at_k(
    *,
    k: int = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Share of the relevant documents among the first k retrieved ones.

    - `k`: How many places are looked at.
    """

def reciprocal_rank(
    *,
    k: int | None = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """One divided by the position of the first relevant document.

    - `k`: How many places are looked at; all of them where it is not given.
    """

def deep_research(
    *,
    judges: Sequence[str] = ...,
    lenient_json_constants: bool | None = ...,
    last_list: bool | None = ...,
    prompt: str | None = ...,
    parser_prompt: str | None = ...,
    answer_prompt: str | None = ...,
    upstream: Literal["llmrouterbench", "official-2026"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the answer to a research question is right, and how many of its steps a judge calls correct.

    - `judges`: Names of the models that are asked: the one that judges steps and, if there is a second, the one that brings the answer into form; else the first does both. The judges of the run if absent.
    - `lenient_json_constants`: Read bare `true`, `false` and `null` in a judge's list; the published reader voids such a reply.
    - `last_list`: Take the last list of objects in a judge's reply; the published reader takes all from the first to the last bracket, so that a citation such as `[1]` voids the reply.
    - `prompt`: The judge's prompt in place of ours, or `@FILE` to read it from a file.
    - `parser_prompt`: The answer parser's prompt in place of ours.
    - `answer_prompt`: The prompt of the judge of whole answers in place of ours; it is asked only with `upstream: official-2026`.
    - `upstream`: Which implementation is followed. `llmrouterbench` (default), or `official-2026`, which also asks the judge whether the answer as a whole is right (part `llm_judge`) and reads its list of steps more strictly.
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
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Whether a program with the functions of the answer prints what it should, with five sets of data.

    - `judges`: Names of the models that are asked: the one that compares outputs and, if there is a second, the one that brings the answer into form; else the first does both. The judges of the run if absent.
    - `environment`: Which Python runs the programs: `conda:NAME`, `venv:FOLDER` or `python:PATH`; `python3` of the machine if absent.
    - `timeout`: Seconds that the program under test may take. Default 300. The data program may take 600, or as long where that is longer.
    - `memory_mib`: MiB that all processes of a program may take together. Default 4096.
    - `fixtures`: Folder with the files that three of the published samples need.
    - `parallel`: Run the five tests beside each other; times are then those of a busy machine, and the evidence says so. Default false.
    - `ensure_final_newline`: End a function with a line break before the next line of the program; the published program joins both lines.
    - `lenient_json_constants`: Read bare `true`, `false` and `null` in a judge's reply; the published reader voids such a reply.
    - `python_lines`: Cut lines where Python does; the published program also cuts at form feeds and other signs, which shifts functions.
    - `prompt`: The judge's prompt in place of ours, or `@FILE` to read it from a file.
    - `parser_prompt`: The answer parser's prompt in place of ours.
    """

def experimental_reasoning(
    *,
    boxed_any_case: bool | None = ...,
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """Whether an answer about an experiment chooses the right option, by the letter in its box.

    - `boxed_any_case`: Read `\\boxed{a}` too, as `SciEvalKit` does; the official script skips small letters. Default: false for published scores, else true.
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
    **options: Unpack[MetricOptions],
) -> dict[str, Any]:
    """How good a research idea is, by four objective scores and the votes of three judges in both orders.

    - `judges`: Names of the three models that vote; the judges of the run if absent.
    - `model`: The embedding model. Default `all-MiniLM-L6-v2`.
    - `empty_idea_scores_zero`: An empty idea earns nothing; by the published scores it has no fault of length or repetition and is new, which gives 8 points of 10 and more.
    - `whole_keywords`: Keywords that are one text stay one text; the published scorer takes them letter by letter.
    - `natural_order`: In a plan step 2 comes before step 10; in the published one behind.
    - `strict_verdicts`: `[WinA]` and `Win  A` are A; the published reader takes them for B.
    - `whole_word_verdicts`: A verdict stands as words of its own behind a label; the published reader finds one in `Darwin also`, and takes the first of an echoed `[Win A/Win B]`.
    - `object_or_zero`: JSON that is not an object counts as an idea that cannot be read, with 0 points; the published scorer fails on it and leaves the case out of the mean.
    - `reasks`: How often a vote that cannot be read is asked for again. Default 0 in the published profile, 2 in the improved one.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    """

def reasoning_validity(
    *,
    judges: Sequence[str] = ...,
    text_only: bool = ...,
    prompt: str | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How valid the reasoning behind an answer about an experiment is, by a judge that sees its images.

    - `judges`: The name of the model that judges; the judge of the run if absent.
    - `text_only`: Send no pictures, for judges that read text alone. The label then says that the judge saw none: it is not the official score.
    - `prompt`: The prompt in place of ours, or `@FILE` to read it from a file.
    """

def wet_experiment(
    *,
    tolerant_grammar: bool | None = ...,
    upstream: Literal["llmrouterbench", "official-2026"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How close a laboratory protocol is to the right one, by its actions and their parameters.

    - `tolerant_grammar`: Read calls on one line, empty calls, a `)` behind the last parameter and several parameters on a line. Default: false in the published profile, true in the improved one.
    - `upstream`: Which implementation is followed. `llmrouterbench` (default), or `official-2026`, whose soft score stands beside the value in the parts `soft_*`.
    """

def bleu(
    *,
    tokenize: Literal["13a", "intl", "char", "none"] = ...,
    smooth_method: Literal["exp", "floor", "add-k", "none"] = ...,
    smooth_value: float | None = ...,
    lowercase: bool = ...,
    max_ngram_order: int = ...,
    effective_order: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """N-grams that the response shares with the references, 0 to 100 (BLEU).

    - `tokenize`: How texts are cut into words.
    - `smooth_method`: What replaces a precision of 0.
    - `smooth_value`: The value of `floor` (0.1 where it is not given) or `add-k` (1).
    - `lowercase`: Whether texts are lower-cased first.
    - `max_ngram_order`: Longest n-grams that are counted.
    - `effective_order`: Whether a response shorter than the longest n-grams is judged by those it can have.
    """

def chrf(
    *,
    char_order: int = ...,
    word_order: int = ...,
    beta: float = ...,
    lowercase: bool = ...,
    whitespace: bool = ...,
    eps_smoothing: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """N-grams of characters that response and reference share, 0 to 100 (chrF).

    - `char_order`: Longest n-grams of characters that are counted.
    - `word_order`: Longest n-grams of words that are counted; 0 for chrF, 2 for chrF++.
    - `beta`: How many times as much recall weighs as precision.
    - `lowercase`: Whether texts are lower-cased first.
    - `whitespace`: Whether white space is a character among others.
    - `eps_smoothing`: Whether orders without n-grams count as almost 0, and not at all otherwise.
    """

def contains(
    *,
    texts: Sequence[str] = ...,
    require: Literal["any", "all"] = ...,
    ignore_case: bool = ...,
    whole_words: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response contains the expected text.

    - `texts`: Texts to look for; the references of the case where none is given.
    - `require`: How many of the texts must be there.
    - `ignore_case`: Whether upper and lower case are the same.
    - `whole_words`: Whether a text inside a longer word does not count.
    """

def embedding_similarity(
    *,
    model: str = ...,
    against: Literal["reference", "query", "context"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """How close the response is to the reference in meaning, by an embedding model.

    - `model`: The model: `all-MiniLM-L6-v2`, computed on this machine, or `provider:model` of a server that gives vectors.
    - `against`: What the response is held against: `reference`, `query` or `context`. Of several texts the nearest counts.
    """

def exact_match(
    *,
    normalise: Literal["none", "trim", "squad"] = ...,
    ignore_case: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response equals the reference.

    - `normalise`: What is done to both texts before they are compared.
    - `ignore_case`: Whether upper and lower case are the same.
    """

def gleu(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """GLEU: the smaller of precision and recall over sequences of one to four words."""

def jaccard(
    *,
    tokens: Literal["squad", "sklearn", "whitespace"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Distinct words that the response and the reference share, of all they have.

    - `tokens`: How texts are cut into words.
    """

def json_schema(
    *,
    schema: Any = ...,
    within: Literal["response", "fence", "anywhere"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response is JSON that follows a schema.

    - `schema`: The JSON Schema itself, draft 4 to 2020-12 as its `$schema` says.
    - `within`: Where in the response the JSON is looked for.
    """

def json_valid(
    *,
    within: Literal["response", "fence", "anywhere"] = ...,
    root: Literal["any", "object", "array"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response is well-formed JSON.

    - `within`: Where in the response the JSON is looked for.
    - `root`: What the value must be.
    """

def levenshtein(
    *,
    unit: Literal["characters", "words"] = ...,
    ignore_case: bool = ...,
    longest: int = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """One minus the edit distance as a share of the longer text.

    - `unit`: What is inserted, deleted and replaced.
    - `ignore_case`: Whether upper and lower case are the same.
    - `longest`: Length, in units, up to which two texts that differ are compared: the work grows with the product of both lengths.
    """

def meteor(
    *,
    alpha: float = ...,
    beta: float = ...,
    gamma: float = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """METEOR: matches of words, stems and synonyms, less a penalty for broken order.

    - `alpha`: Weight of precision against recall, from 0 to 1.
    - `beta`: How fast the penalty grows with the number of chunks.
    - `gamma`: The greatest penalty, from 0 to 1.
    """

def numeric_close(
    *,
    absolute: float = ...,
    relative: float = ...,
    pick: Literal["first", "last", "only"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the number in the response is close to that in the reference.

    - `absolute`: Greatest difference that is allowed as it is.
    - `relative`: Greatest difference that is allowed as a share of the reference.
    - `pick`: Which number of the text is taken.
    """

def promptfoo_test(
    *,
    assert_: Sequence[Any] = ...,
    threshold: float | None = ...,
    metric: str | None = ...,
    functions: Any = ...,
    tools: Any = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """The score of a promptfoo test: its assertions, weights and thresholds.

    - `assert`: Assertions of every case, as promptfoo writes them: `{type: contains, value: Paris}`. Those of the case (`metadata.promptfoo.assert`) come behind them.
    - `threshold`: Score from which on a test passes, whatever its assertions say; that of the case wins.
    - `metric`: Name of a `metric`: the value is then its score rather than that of the test.
    - `functions`: Functions that the model could call, for `is-valid-function-call`.
    - `tools`: Tools that the model could call, for `is-valid-openai-tools-call`; those of the case where absent.
    """

def refusal(
    *,
    expected: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response answers rather than declines, by phrases.

    - `expected`: Whether declining is what is expected: the value is then 1 where the response declines.
    """

def regex_match(
    *,
    pattern: str = ...,
    mode: Literal["search", "prefix", "full"] = ...,
    ignore_case: bool = ...,
    multi_line: bool = ...,
    dot_matches_new_line: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether a regular expression matches the response.

    - `pattern`: The regular expression, in the syntax of Rust's `regex` crate.
    - `mode`: Where it has to match.
    - `ignore_case`: Whether upper and lower case are the same.
    - `multi_line`: Whether `^` and `$` match at the lines of the response, and not at its ends alone.
    - `dot_matches_new_line`: Whether `.` matches a line feed too.
    """

def rouge_l(
    *,
    use_stemmer: bool = ...,
    longest: int = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Longest common sequence of words, as F1 (ROUGE-L).

    - `use_stemmer`: Whether words of more than three letters are cut to their Porter stem.
    - `longest`: Length, in words, up to which two texts that differ are compared: the work grows with the product of both lengths.
    """

def starts_with(
    *,
    texts: Sequence[str] = ...,
    ignore_case: bool = ...,
    keep_space: bool = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the response starts with the expected text.

    - `texts`: Texts of which the response starts with one; the references of the case where none is given.
    - `ignore_case`: Whether upper and lower case are the same.
    - `keep_space`: Whether white space before the response counts as part of it.
    """

def tfidf_cosine(
    *,
    stop_words: Literal["english", "none"] = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Cosine of the tf-idf term weights of response and reference.

    - `stop_words`: Words that do not count.
    """

def token_f1(
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Words that the response and the reference share, as F1 (SQuAD)."""

def word_count(
    *,
    min: int | None = ...,
    max: int | None = ...,
    **options: Unpack[TurnOptions],
) -> dict[str, Any]:
    """Whether the number of words of the response is within limits.

    - `min`: Fewest words.
    - `max`: Most words.
    """
