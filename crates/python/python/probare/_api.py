"""The functions of the package."""

from __future__ import annotations

import json
import warnings
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from probare import _arguments, _probare
from probare._arguments import FilePath, Judge, Profile, checked, keywords, stack_level
from probare._comparison import Comparison, Verdict
from probare._errors import ProbareWarning, UsageError
from probare._frames import case_input, whole_batch
from probare._metric import Metric, Metrics, Page, metric_requests
from probare._progress import watcher
from probare._results import Results, Summary

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

WIDTH = 32
"""Runs that `score_async` lets go on at the same time."""


def run(
    cases: Any,
    metrics: Any,
    profile: Any,
    settings: Mapping[str, Any],
    interrupt: _probare.Interrupt | None = None,
    *,
    whole: bool = False,
    warns: bool = True,
) -> Results:
    """Scores with settings that were checked; with `whole`, results keep the texts of their cases."""
    requests = metric_requests(metrics)
    options = _arguments.options(settings, profile)
    given = case_input(cases, settings["mapping"])
    is_named = any(name in options for name in ("map", "by", "cluster"))
    rows = {
        "name": settings["name"] or given.name,
        "columns": given.columns() if is_named else None,
        "whole": whole,
        "evidence": settings["evidence"],
    }
    with watcher(settings["progress"], given.total(settings["limit"])) as watch:
        native = _probare.score(given.cases, requests, options, rows, interrupt, watch)
    results = Results(native, given.index)
    if warns:
        _warn(results)
    return results


def _warn(results: Results) -> None:
    told = []
    if results._native.advice is not None:
        told.append(results._native.advice)
    lost = [problem for problem in results.problems if problem["lost"]]
    if lost:
        count = f"{len(lost)} rows" if len(lost) > 1 else "1 row"
        told.append(f"{count} could not be read; the first: {lost[0]['file']}: {lost[0]['reason']}")
    kept = [problem["reason"] for problem in results.problems if not problem["lost"]]
    if kept:
        more = f" ({len(kept)} such remarks)" if len(kept) > 1 else ""
        told.append(f"{kept[0]}{more}; the column `row` of frames tells rows apart")
    if results.exit_code == 4:
        told.append("the budget is reached: the questions that are left were not asked")
    for words in told:
        warnings.warn(words, ProbareWarning, stacklevel=stack_level())


@keywords
def score(
    cases: Any,
    metrics: Metrics | None = None,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    by: str | None = None,
    cluster: str | None = None,
    limit: int | None = None,
    strict: bool = False,
    evidence: bool = True,
    output: FilePath | Iterable[FilePath] | None = None,
    title: str | None = None,
    name: str | None = None,
    format: str | None = None,
    group: str | None = None,
    jobs: int | None = None,
    progress: bool | Callable[[int, int | None], object] | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
) -> Results:
    """Scores cases: one result for each row, in the order of the rows.

    - `cases`: a list (or any iterable) of dicts or objects, a dict of columns, a pandas or Polars frame, a pyarrow table or
      dataset, a DuckDB relation, any stream of Arrow batches, or a file (.jsonl .json .csv .tsv .parquet, also .gz and .zst).
    - `metrics`: ids, `"ID:OPTION=VALUE"`, dicts (`{"id": "ndcg", "k": 5}`), functions of `probare.catalogue`,
      functions and classes with `@probare.metric`.
    - `profile`: `"published"` (the published definition) or `"improved"` (our own, where a metric has one).
    - `mapping`: which column becomes which field: `{"response": "model_says"}`. Names that other tools use are understood.
    - `by`: groups the summary by `"tags"`, a tag, `"metadata.COLUMN"` or `"model"`.
    - `cluster`: the column that names the cluster of a case; cases of one cluster are not independent.
    - `limit`: scores at most so many cases.
    - `strict`: raises at the first row that cannot be read, which otherwise is a failed result and a warning.
    - `evidence`: whether results say where in the texts values come from. It is packed until it is looked at; without it scoring
      is faster.
    - `output`: reports to write; the extension says what: .jsonl .json .csv .parquet .md .html .xml.
    - `title`, `name`: what reports are called, and what they call the rows.
    - `format`, `group`: how a file is read whose name does not say it, and what one case in a file of traces is
      (`"trace"`, `"conversation"`).
    - `jobs`: scoring threads, all cores by default; no number depends on them.
    - `progress`: shows a bar; by default only in notebooks and interactive sessions. A function gets rows done and rows in all.
    - `judges`: models for metrics that ask one: `"provider:model"`, names in `config`, or dicts such as
      `{"base_url": "http://127.0.0.1:8000/v1", "model": "llama3"}`.
    - `cache`, `offline`: the response cache, and whether nothing else may answer.
    - `budget_usd`, `budget_tokens`: how much models may cost.
    - `decision_thresholds`: files of `probare calibrate`, which make values verdicts: pass, fail, unsure.
    - `config`: a `probare.yaml`, all of which holds as for `probare score`. What the call says is stronger, and `cases` stand in
      place of `datasets`. `sandbox` is refused, since no program is run, and so is `stop_when_decided`, since every row has a result.

    Raises `UsageError` (a `ValueError`) where the arguments are wrong, `DataError` where no case can be read.
    """
    return run(cases, metrics, profile, checked(locals()))


@keywords
async def score_async(
    cases: Any,
    metrics: Metrics | None = None,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    by: str | None = None,
    cluster: str | None = None,
    limit: int | None = None,
    strict: bool = False,
    evidence: bool = True,
    output: FilePath | Iterable[FilePath] | None = None,
    title: str | None = None,
    name: str | None = None,
    format: str | None = None,
    group: str | None = None,
    jobs: int | None = None,
    progress: bool | Callable[[int, int | None], object] | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
    width: int = WIDTH,
) -> Results:
    """The same as `score` for programs that wait for many things at once. A task that is cancelled ends its run.

    `cases` may be an async generator as well. At most `width` runs go on at the same time, on threads of their own; further
    ones wait for their turn.
    """
    given = checked(locals())
    metrics = metric_requests(metrics)
    if not isinstance(cases, AsyncIterable):
        return await run_in_thread(lambda interrupt: run(cases, metrics, profile, given, interrupt), given["width"])
    rows = _Awaited(cases)
    try:
        return await run_in_thread(lambda interrupt: run(rows, metrics, profile, given, interrupt), given["width"], rows.close)
    finally:
        rows.close()


class _Awaited:
    """The rows of an async generator for a thread that is none of the loop's."""

    AT_ONCE = 64

    def __init__(self, rows: AsyncIterable[Any]) -> None:
        import asyncio

        self._rows = aiter(rows)
        self._loop = asyncio.get_running_loop()
        self._waiting: Future[tuple[list[Any], bool]] | None = None
        self._is_closed = False

    async def _some(self) -> tuple[list[Any], bool]:
        rows: list[Any] = []
        try:
            while len(rows) < self.AT_ONCE:
                rows.append(await anext(self._rows))
        except StopAsyncIteration:
            return rows, True
        return rows, False

    def __iter__(self) -> Iterator[Any]:
        import asyncio

        ended = False
        while not ended and not self._is_closed:
            self._waiting = asyncio.run_coroutine_threadsafe(self._some(), self._loop)
            rows, ended = self._waiting.result()
            yield from rows

    def close(self) -> None:
        """Nobody wants the next row any more."""
        self._is_closed = True
        if self._waiting is not None:
            self._waiting.cancel()


@lru_cache(maxsize=None)
def _pool(width: int) -> ThreadPoolExecutor:
    """Threads of our own: those of the loop belong to the program."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(width, thread_name_prefix="probare")


async def run_in_thread(
    work: Callable[[_probare.Interrupt], T], width: int = WIDTH, close: Callable[[], None] | None = None
) -> T:
    """Does work on another thread; cancelling whoever waits ends it."""
    import asyncio

    interrupt = _probare.Interrupt()
    future = asyncio.get_running_loop().run_in_executor(_pool(width), work, interrupt)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        interrupt.set()
        if close is not None:
            close()
        await asyncio.wait([future])
        # What it raised is no longer of interest; asking for it keeps the loop from complaining.
        if not future.cancelled():
            future.exception()
        raise


class Scorer:
    """Metrics that are made once and score one Arrow batch after the other.

        scorer = probare.Scorer(["token_f1"])
        for batch in parquet_file.iter_batches():
            scored = scorer.score_batch(batch)
        print(scorer.summary)

    The arguments are those of `score`; a configuration that says something about a whole run (gates, limits, reports) is
    refused, since a scorer sees batches. With `evidence=True` scored batches have the column `NAME.evidence` too. A scorer can
    be pickled: it is made again where it arrives.
    """

    @keywords
    def __init__(
        self,
        metrics: Metrics | None = None,
        profile: Profile | None = None,
        *,
        evidence: bool = False,
        mapping: Mapping[str, str] | None = None,
        jobs: int | None = None,
        judges: Judge | Iterable[Judge] = (),
        cache: FilePath | None = None,
        offline: bool = False,
        budget_usd: float | None = None,
        budget_tokens: int | None = None,
        decision_thresholds: FilePath | Iterable[FilePath] | None = None,
        config: FilePath | None = None,
    ) -> None:
        given = checked(locals())
        self._state = (metric_requests(metrics), _arguments.options(given, profile), given["evidence"])
        self._native = _probare.Scorer(*self._state)

    def __reduce__(self) -> tuple[object, ...]:
        return _again, self._state

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return self._native.metrics

    @property
    def schema(self) -> Any:
        """The columns of scored batches, as a pyarrow schema where pyarrow is there."""
        return _exported("schema", self._native.schema)

    @property
    def summary(self) -> Summary:
        """All batches so far."""
        return Summary.of(self._native.summary)

    def score_batch(self, batch: Any) -> Any:
        """One row of results for each row of an Arrow batch, in its order, as a pyarrow batch where pyarrow is there.

        Memory depends on the batch alone. A row that cannot be read has the status `failed` in every metric.
        """
        return _exported("record_batch", self._native.score_batch(_batch(batch)))

    async def score_batch_async(self, batch: Any) -> Any:
        """The same as `score_batch` for programs that wait for many things at once."""
        given = _batch(batch)
        scored = await run_in_thread(lambda interrupt: self._native.score_batch(given, interrupt))
        return _exported("record_batch", scored)

    def __repr__(self) -> str:
        return f"Scorer({self.metrics})"


def _again(metrics: Any, settings: dict[str, Any], evidence: bool) -> Scorer:
    scorer = Scorer.__new__(Scorer)
    scorer._state = (metrics, settings, evidence)
    scorer._native = _probare.Scorer(metrics, settings, evidence)
    return scorer


def _batch(batch: Any) -> Any:
    if not hasattr(batch, "__arrow_c_array__"):
        hint = "score its batches: for batch in table.to_batches(): …" if hasattr(batch, "to_batches") else None
        kind = f"{type(batch).__module__}.{type(batch).__qualname__}"
        hint = hint or "rows of Python are scored by probare.score(rows, metrics)"
        raise UsageError(f"`batch` must be one Arrow batch, but it is a {kind}", hint)
    return whole_batch(batch) if type(batch).__module__.partition(".")[0] == "pyarrow" else batch


def _exported(maker: str, native: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        return native
    return getattr(pyarrow, maker)(native)


def metrics(family: str | None = None) -> list[Metric]:
    """All metrics, or those of a family."""
    found = []
    for told in json.loads(_probare.catalogue()):
        if family is None or told["family"] == family:
            del told["parameters"], told["doc"]
            tuples = {name: tuple(told[name]) for name in ("range", "needs", "profiles")}
            found.append(Metric(**(told | tuples)))
    if not found:
        families = sorted({told["family"] for told in json.loads(_probare.catalogue())})
        raise UsageError(f"there is no family `{family}`", f"families: {', '.join(families)}")
    return found


def explain(metric: str) -> Page:
    """The page of a metric: what it measures, formula, options, examples, what it cannot see."""
    return Page(_probare.explain(_arguments.text("metric", metric)))


def _verified(results: Any, inputs: Any, cache: Any) -> tuple[str, list[str], str | None]:
    files = [inputs] if isinstance(inputs, (str, PathLike)) else inputs
    return (
        _arguments.path("results", results),
        [_arguments.path("inputs", file) for file in files],
        None if cache is None else _arguments.path("cache", cache),
    )


@keywords
def verify(
    results: FilePath,
    inputs: FilePath | Sequence[FilePath] = (),
    *,
    cache: FilePath | None = None,
) -> Verdict:
    """Recomputes a finished run from its manifest and compares everything that its file says.

    `inputs` stand in for the files that the manifest names. A verdict is true if everything agrees and was checked.
    """
    return Verdict(**json.loads(_probare.verify(*_verified(results, inputs, cache))))


@keywords
async def verify_async(
    results: FilePath,
    inputs: FilePath | Sequence[FilePath] = (),
    *,
    cache: FilePath | None = None,
) -> Verdict:
    """The same as `verify` for programs that wait for many things at once."""
    given = _verified(results, inputs, cache)
    return Verdict(**json.loads(await run_in_thread(lambda interrupt: _probare.verify(*given, interrupt))))


@keywords
def compare(
    baseline: Results | FilePath,
    *others: Results | FilePath,
    metrics: str | Sequence[str] = (),
    by: str | None = None,
    cluster: str | None = None,
    not_worse: str | Sequence[str] = (),
    margin: float = 0.0,
    significant: bool = False,
    seed: int = 1,
) -> Comparison:
    """Compares runs with a baseline: which is better, with intervals, and which cases changed.

    Runs are `Results` or files of results, also one of them against the other. Cases are paired by their ids. `by` and
    `cluster` look into the cases, which files lead to and results in memory do not. `not_worse` names metrics in which no run
    may be worse by more than `margin`: a comparison is true if the interval of the difference shows that, so that few cases are
    not enough. With `significant` a run fails only if it is significantly worse.
    """
    wanted = {
        "metrics": _arguments.texts("metrics", metrics),
        "by": None if by is None else _arguments.text("by", by),
        "cluster": None if cluster is None else _arguments.text("cluster", cluster),
        "not_worse": _arguments.texts("not_worse", not_worse),
        "margin": _arguments.number("margin", margin, 0.0, "a number of at least 0"),
        "significant": _arguments.flag("significant", significant),
        "seed": _arguments.whole("seed", seed, 0),
    }
    if not others:
        raise UsageError("nothing is compared with the baseline", "compare(baseline, other)")
    runs = (baseline, *others)
    names = ["baseline", *(f"run {number}" for number in range(1, len(runs)))]
    in_memory = [run for run in runs if isinstance(run, Results)]
    if in_memory and (by not in (None, "model") or cluster is not None):
        word = "by" if cluster is None else "cluster"
        told = f"`{word}` needs the cases, and results in memory do not keep them"
        raise UsageError(told, 'score with output="results.jsonl", from a file, and compare the files')
    if len(in_memory) == len(runs):
        return Comparison(_probare.compare_results([run._native for run in in_memory], names, wanted))
    import tempfile

    with tempfile.TemporaryDirectory(prefix="probare-") as folder:
        files = []
        for number, (run, name) in enumerate(zip(runs, names)):
            if isinstance(run, Results):
                path = str(Path(folder, f"{number}.jsonl"))
                run.write(path)
            else:
                path = name = _arguments.path(f"others[{number - 1}]" if number else "baseline", run)
            files.append((path, name))
        return Comparison(_probare.compare_files(files, wanted))
