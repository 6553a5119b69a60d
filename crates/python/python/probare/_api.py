"""The functions of the package."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeVar

from probare import _probare
from probare._comparison import Comparison, Verdict, paths
from probare._errors import ProbareWarning, UsageError
from probare._frames import opened
from probare._metric import Metric, Page
from probare._results import Results, Summary

if TYPE_CHECKING:
    from probare.catalogue import Profile, Request

T = TypeVar("T")


def _settings(
    profile: str | None,
    mapping: Mapping[str, str] | None = None,
    jobs: int | None = None,
    judges: Sequence[str] = (),
    record: str | PathLike[str] | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    config: str | PathLike[str] | None = None,
) -> dict[str, Any]:
    return {
        "profile": profile,
        "mapping": dict(mapping or {}),
        "jobs": jobs,
        "judges": [judges] if isinstance(judges, str) else list(judges),
        "record": None if record is None else fspath(record),
        "offline": offline,
        "budget_usd": budget_usd,
        "budget_tokens": budget_tokens,
        "config": None if config is None else fspath(config),
    }


def _score(
    cases: Any,
    metrics: Any,
    settings: dict[str, Any],
    run: dict[str, Any],
    interrupt: _probare.Interrupt | None = None,
) -> Results:
    given, name = opened(cases)
    output = run.pop("output")
    outputs = [] if output is None else [output] if isinstance(output, (str, PathLike)) else list(output)
    run = {"only": None} | run
    run |= {"outputs": [fspath(path) for path in outputs], "name": run["name"] or name}
    native = _probare.score(given, metrics, settings, run, interrupt)
    results = Results(native)
    _warn(results)
    return results


def _warn(results: Results) -> None:
    lost = [problem for problem in results.problems if problem["lost"]]
    if lost:
        first = f"{lost[0]['file']}: {lost[0]['reason']}"
        count = f"{len(lost)} rows" if len(lost) > 1 else "1 row"
        warnings.warn(f"{count} could not be read; the first: {first}", ProbareWarning, stacklevel=4)
    if results.exit_code == 4:
        warnings.warn(
            "the budget is reached: the questions that are left were not asked", ProbareWarning, stacklevel=4
        )


def score(
    cases: Any,
    metrics: Request | Sequence[Request] | None = None,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    strict: bool = False,
    by: str | None = None,
    output: str | PathLike[str] | Iterable[str | PathLike[str]] | None = None,
    title: str | None = None,
    name: str | None = None,
    format: str | None = None,
    jobs: int | None = None,
    judges: Sequence[str] = (),
    record: str | PathLike[str] | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    config: str | PathLike[str] | None = None,
) -> Results:
    """Scores cases.

    `cases` is a list (or any iterable) of dicts, a pandas or Polars frame, a pyarrow table, a DuckDB relation, anything that
    gives a stream of Arrow batches, or the path of a file (.jsonl .json .csv .tsv .parquet, also .gz and .zst). The names
    that other tools use for columns (`question`, `answer`, `ground_truth`, …) are understood; `mapping` names the rest:
    `{"response": "model_output"}`.

    `metrics` are ids, `"ID:OPTION=VALUE"`, or dicts: `["token_f1", {"id": "ndcg", "k": 5}]`; `probare.catalogue` has them
    as functions. `profile` is `"reference"` (the published numbers) or `"careful"` (ours, where we do better).

    `limit` scores at most so many cases; `strict` raises at the first row that cannot be read, which otherwise is a warning;
    `by` groups the summary (`"tags"`, a tag, `"metadata.KEY"`); `output` names reports to write, whose extension says
    what (.jsonl .json .csv .parquet .md .html .xml); `jobs` are scoring threads, all cores by default: no number depends
    on them. `judges`, `record`, `offline` and the budgets are for metrics that ask a model; `config` is a `probare.yaml`.

    Raises `UsageError` where the arguments are wrong and `DataError` where the cases cannot be read.
    """
    settings = _settings(profile, mapping, jobs, judges, record, offline, budget_usd, budget_tokens, config)
    run = {"limit": limit, "strict": strict, "by": by, "output": output, "title": title, "name": name, "format": format}
    return _score(cases, metrics, settings, run)


async def score_async(
    cases: Any,
    metrics: Request | Sequence[Request] | None = None,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    strict: bool = False,
    by: str | None = None,
    output: str | PathLike[str] | Iterable[str | PathLike[str]] | None = None,
    title: str | None = None,
    name: str | None = None,
    format: str | None = None,
    jobs: int | None = None,
    judges: Sequence[str] = (),
    record: str | PathLike[str] | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    config: str | PathLike[str] | None = None,
) -> Results:
    """The same as `score` for programs that wait for many things at once. A task that is cancelled ends its run."""
    settings = _settings(profile, mapping, jobs, judges, record, offline, budget_usd, budget_tokens, config)
    run = {"limit": limit, "strict": strict, "by": by, "output": output, "title": title, "name": name, "format": format}
    return await elsewhere(lambda interrupt: _score(cases, metrics, settings, run, interrupt))


async def elsewhere(work: Callable[[_probare.Interrupt], T]) -> T:
    """Does work on another thread; cancelling whoever waits ends it."""
    import asyncio

    interrupt = _probare.Interrupt()
    future = asyncio.get_running_loop().run_in_executor(None, work, interrupt)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        interrupt.set()
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

    The arguments are those of `score`. With `evidence=True` scored batches have the column `NAME.evidence` too. A scorer can
    be pickled: it is made again where it arrives.
    """

    def __init__(
        self,
        metrics: Request | Sequence[Request] | None = None,
        profile: Profile | None = None,
        *,
        evidence: bool = False,
        mapping: Mapping[str, str] | None = None,
        jobs: int | None = None,
        judges: Sequence[str] = (),
        record: str | PathLike[str] | None = None,
        offline: bool = False,
        budget_usd: float | None = None,
        budget_tokens: int | None = None,
        config: str | PathLike[str] | None = None,
    ) -> None:
        settings = _settings(profile, mapping, jobs, judges, record, offline, budget_usd, budget_tokens, config)
        self._state = (metrics, settings, evidence)
        self._native = _probare.Scorer(metrics, settings, evidence)

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
        return Summary(self._native.summary)

    def score_batch(self, batch: Any) -> Any:
        """One row of results for each row of an Arrow batch, in its order, as a pyarrow batch where pyarrow is there.

        Memory depends on the batch alone. A row that cannot be read has the status `failed` in every metric.
        """
        return _exported("record_batch", self._native.score_batch(batch))

    async def score_batch_async(self, batch: Any) -> Any:
        """The same as `score_batch` for programs that wait for many things at once."""
        scored = await elsewhere(lambda interrupt: self._native.score_batch(batch, interrupt))
        return _exported("record_batch", scored)

    def __repr__(self) -> str:
        return f"Scorer({self.metrics})"


def _again(metrics: Any, settings: dict[str, Any], evidence: bool) -> Scorer:
    scorer = Scorer.__new__(Scorer)
    scorer._state = (metrics, settings, evidence)
    scorer._native = _probare.Scorer(metrics, settings, evidence)
    return scorer


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
            tuples = {name: tuple(told[name]) for name in ("range", "needs", "profiles")}
            found.append(Metric(**(told | tuples)))
    if not found:
        families = sorted({told["family"] for told in json.loads(_probare.catalogue())})
        raise UsageError(f"there is no family `{family}`", f"families: {', '.join(families)}")
    return found


def explain(metric: str) -> Page:
    """The page of a metric: what it measures, formula, options, examples, what it cannot see."""
    return Page(_probare.explain(metric))


def verify(
    results: str | PathLike[str],
    inputs: Sequence[str | PathLike[str]] = (),
    *,
    record: str | PathLike[str] | None = None,
) -> Verdict:
    """Computes a finished run again from its manifest and compares everything that its file says.

    `inputs` stand in for the files that the manifest names. A verdict is true if everything agrees and was checked.
    """
    told = _probare.verify(fspath(results), paths(tuple(inputs)), None if record is None else fspath(record))
    return Verdict(**json.loads(told))


async def verify_async(
    results: str | PathLike[str],
    inputs: Sequence[str | PathLike[str]] = (),
    *,
    record: str | PathLike[str] | None = None,
) -> Verdict:
    """The same as `verify` for programs that wait for many things at once."""
    files, recorded = paths(tuple(inputs)), None if record is None else fspath(record)
    told = await elsewhere(lambda interrupt: _probare.verify(fspath(results), files, recorded, interrupt))
    return Verdict(**json.loads(told))


def compare(
    baseline: Results | str | PathLike[str],
    *others: Results | str | PathLike[str],
    metrics: Sequence[str] = (),
    by: str | None = None,
    not_worse: Sequence[str] = (),
    margin: float = 0.0,
    confident: bool = False,
    seed: int = 1,
) -> Comparison:
    """Holds runs against a baseline: what is better, how sure that is, which cases changed.

    Runs are `Results` or files of results, all of one sort. Results in memory are paired by the ids of their cases. `not_worse`
    names metrics in which no run may be worse by more than `margin`; `Comparison.passes` says whether that holds.
    """
    wanted = {
        "metrics": [metrics] if isinstance(metrics, str) else list(metrics),
        "by": by,
        "not_worse": [not_worse] if isinstance(not_worse, str) else list(not_worse),
        "margin": margin,
        "confident": confident,
        "seed": seed,
    }
    if not others:
        raise UsageError("nothing is held against the baseline", "compare(baseline, other)")
    runs = (baseline, *others)
    in_memory = [run._native for run in runs if isinstance(run, Results)]
    if len(in_memory) == len(runs):
        names = ["baseline", *(f"run {number}" for number in range(1, len(runs)))]
        return Comparison(_probare.compare_results(in_memory, names, wanted))
    files = tuple(run for run in runs if not isinstance(run, Results))
    if in_memory:
        raise UsageError(
            "results in memory and files of results cannot be compared with each other",
            "write the results with output=\"results.jsonl\" and compare the files",
        )
    return Comparison(_probare.compare_files(paths(files), wanted))
