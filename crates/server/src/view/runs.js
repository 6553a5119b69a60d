// All runs: what each came to, its gates, and which of them are to be compared.
import { amount, breakable, count, hide, make, rounded, short } from "./case.js";
import { costChart, distribution } from "./chart.js";
import { request } from "./http.js";
import { liveLine } from "./live.js";
import {
  button,
  currentAddress,
  download,
  elementById,
  fileName,
  goTo,
  link,
  linkTo,
  moment,
  money,
  quoted,
  setTrail,
  show,
  tableCard,
  tell,
  withDots,
} from "./page.js";
import { panelsOf } from "./panel.js";
import { clearFailure, failure, fetchJson } from "./source.js";
import { trendsOf } from "./trend.js";

/**
 * @typedef {import("./contract").PageMetric} Metric
 * @typedef {import("./contract").RunDescription} Run
 * @typedef {import("./contract").MeanCell} MeanCell
 * @typedef {import("./contract").RunSummary} RunSummary
 */

/** @param {number} share */
const percent = (share) => `${(Math.min(Math.max(share, 0), 1) * 100).toFixed(1)}%`;

/**
 * A mean with its interval, drawn where the range has two ends. Its numbers lead to the cases that they count.
 * @param {Metric} metric @param {MeanCell} cell @param {(condition: string, sort?: string) => string} toCases
 */
const meanCell = (metric, cell, toCases) => {
  const failed = cell?.failed
    ? link(toCases("status:failed"), make("span", { class: "tag bad" }, `${count(cell.failed)} failed`))
    : null;
  if (!cell || cell.mean === null)
    return make("td", { class: "right" }, failed || make("span", { class: "none" }, "–"));
  const [low, high] = metric.range;
  const worstFirst = metric.better === "lower" ? `-${metric.name}` : metric.name;
  const mean = make("a", { class: "mean", href: toCases("", worstFirst), title: "The cases, worst first" }, cell.words);
  const parts = [mean];
  if (low !== null && high !== null && high > low) {
    const bar = make("i", { class: "s0" });
    bar.style.width = percent((cell.mean - low) / (high - low));
    const meter = make("span", { class: "meter", "aria-hidden": "true" }, bar);
    if (cell.ends) {
      const [from, to] = cell.ends.map((end) => percent((end - low) / (high - low)));
      const reach = make("b", {});
      reach.style.left = from;
      reach.style.width = `calc(${to} - ${from})`;
      meter.append(reach);
    }
    parts.push(meter);
  }
  const notApplicable = cell.not_applicable ? `${count(cell.not_applicable)} n/a` : "";
  const counts = withDots([cell.interval, amount(cell.cases, "case"), notApplicable]);
  parts.push(
    make("span", { class: "small soft", title: cell.method ? `95 % interval, ${cell.method}` : null }, counts),
  );
  if (cell.unsure) {
    const decided = cell.scored - cell.unsure;
    const coverage = rounded(Number(((100 * decided) / cell.scored).toFixed(2)));
    const words = `coverage ${coverage} % (${count(decided)} of ${count(cell.scored)} decided)`;
    parts.push(make("a", { class: "small soft", href: toCases(`${quoted(metric.name)}:unsure`) }, words));
  }
  if (failed) parts.push(failed);
  return make("td", { class: "right" }, parts);
};

// What is to be compared, in the order in which it was chosen: the first is the baseline.
/** @type {string[]} */
let chosen = [];
const compareBar = make("div", { class: "compare-bar", role: "group", "aria-label": "Compare", hidden: true });
export const compareChosen = () => {
  if (chosen.length > 1) goTo("compare", { run: chosen });
  else tell("Choose at least two runs or models to compare");
};
const drawCompareBar = () => {
  compareBar.hidden = chosen.length === 0;
  const words =
    chosen.length > 1
      ? `${chosen.length} chosen; the first is the baseline`
      : "1 chosen; choose what to compare it with";
  compareBar.replaceChildren(
    make("span", {}, words),
    button("Compare", compareChosen, { disabled: chosen.length < 2 }),
    button("Clear", clearChosen, { class: "quiet" }),
  );
};
const clearChosen = () => {
  chosen = [];
  for (const box of document.querySelectorAll("input.choose")) /** @type {HTMLInputElement} */ (box).checked = false;
  drawCompareBar();
};
/** @param {string} side @param {string} words */
const chooser = (side, words) => {
  const attributes = { type: "checkbox", class: "choose", value: side, checked: chosen.includes(side) };
  const box = /** @type {HTMLInputElement} */ (make("input", { ...attributes, "aria-label": `Compare ${words}` }));
  box.addEventListener("change", () => {
    chosen = chosen.filter((one) => one !== side).concat(box.checked ? [side] : []);
    drawCompareBar();
  });
  return box;
};

/** @param {Metric} metric @param {import("./contract").Histogram | null} values */
const metricHead = (metric, values) =>
  make(
    "th",
    { scope: "col", class: "right", title: metric.summary },
    breakable(metric.name),
    " ",
    make(
      "span",
      { class: "soft", role: "img", "aria-label": `${metric.better} is better` },
      metric.better === "lower" ? "↓" : "↑",
    ),
    values && distribution(values, metric.name),
  );
/** What rows may be made by, as the head of their column says it. @type {Record<string, string>} */
const groupNames = { model: "Model", "model+prompt": "Model and prompt", prompt: "Prompt", tags: "Tag" };
/** What outputs without such a thing are called. @type {Record<string, string>} */
const noNames = { model: "answers in the file", tags: "no tag" };
/** @param {RunSummary} summary */
const modelsTable = (summary) => {
  const { metrics } = summary.settings;
  /** @param {string} filter @returns {(condition: string, sort?: string) => string} */
  const toCases = (filter) => (condition, sort) =>
    linkTo("cases", { run: summary.key, q: [condition, filter].filter(Boolean).join(" "), sort });
  /** @param {string} name @param {MeanCell[]} cells @param {number} outputs @param {number | null} cost @param {string} filter @param {string | null} side */
  const row = (name, cells, outputs, cost, filter, side) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        side === null ? null : chooser(side, `${name} of ${summary.name}`),
        link(toCases(filter)(""), make("bdi", {}, name)),
        make("span", { class: "small soft" }, withDots([amount(outputs, "output"), money(cost)])),
      ),
      cells.map((cell, at) => meanCell(metrics[at], cell, toCases(filter))),
    );
  const isOfSources = ["model", "prompt", "model+prompt"].includes(summary.by);
  const rows = summary.rows.map(({ name, filter, part, cells, outputs, cost_usd }) => {
    const sides = [part.model, part.prompt && `prompt:${part.prompt}`].filter(Boolean);
    // Groups of cases, such as those with a tag, are no side of a comparison; `compare` has slices for them.
    const side = isOfSources ? [summary.key, ...sides].join("@") : null;
    return row(name === "(none)" ? noNames[summary.by] || name : name, cells, outputs, cost_usd, filter, side);
  });
  if (summary.rows.length > 1) rows.push(row("all", summary.whole, summary.outputs, null, "", summary.key));
  const first = make("th", { scope: "col" }, groupNames[summary.by] || summary.by);
  const heads = metrics.map((metric, at) => metricHead(metric, summary.distributions[at]));
  return tableCard("groups", `Means of ${summary.name}`, [first, heads], rows);
};
/** @param {RunSummary} summary */
const gatesBanner = (summary) => {
  if (!summary.gates.length) return null;
  const lines = summary.gates.map((gate) => {
    const to = linkTo("cases", { run: summary.key, q: gate.filter, sort: gate.sort });
    return make("li", { class: gate.passed ? "good" : "bad" }, link(to, make("bdi", {}, gate.words)));
  });
  const list = make("ul", {}, lines);
  if (summary.state === "open") {
    const words = `Gates so far, at ${count(summary.finished || 0)} of ${count(summary.samples || 0)} samples`;
    return make("div", { class: "banner plain" }, make("b", {}, words), list);
  }
  const isPassed = summary.gates.every((gate) => gate.passed);
  const words = isPassed ? "Gates passed" : "Gates failed";
  return make("div", { class: `banner ${isPassed ? "good" : "bad"}` }, make("b", {}, words), list);
};
/** What a run cost, with all that is to be said of it for who points at it. @param {Run} run */
const runCost = (run) => run.cost && make("span", { title: run.cost }, money(run.cost_usd) || "no price is known");
/** What is known of a run without looking at its cases. @param {Run} run */
export const runFacts = (run) => {
  const [errors, datasets] = [run.errors || [], run.datasets || []];
  const failed = errors.reduce((sum, [, number]) => sum + number, 0);
  const kinds = errors.map(([kind, number]) => `${kind} ${count(number)}`).join(", ");
  const words = `${amount(failed, "result")} failed: ${kinds}`;
  const toFailed = linkTo("cases", { run: run.key, q: "status:failed" });
  return make(
    "p",
    { class: "soft facts" },
    withDots([
      run.collected ? make("span", { class: "tag" }, `collected on ${run.collected}`) : "",
      run.benchmark,
      make("bdi", {}, short(run.config || "", 120)),
      datasets.length > 1 ? `${datasets.length} data sets` : "",
      moment(run.made),
      run.state === "open" ? "open" : run.finished === undefined ? "" : amount(run.finished, "sample"),
      runCost(run),
      failed ? link(toFailed, make("span", { class: "tag bad" }, words)) : "",
    ]),
  );
};
/** Saves a run, or the cases that fit a filter, as a page. @param {Run} run @param {HTMLButtonElement} pressed @param {string} [filter] */
export const savePage = async (run, pressed, filter) => {
  if (pressed.getAttribute("aria-busy")) return;
  const words = pressed.textContent || "";
  pressed.setAttribute("aria-busy", "true");
  clearFailure(pressed);
  pressed.textContent = "Writing the page …";
  const whole = "The page is being written; a large run takes a minute or two";
  const part = "with more than 100,000 cases or 200 MB of texts, it holds the first and the worst and says how many";
  tell((run.samples || 0) > 20000 ? `${whole}; ${part}` : whole, true);
  try {
    const page = await (await request("save", { run: run.key, q: filter })).blob();
    download(page, `${fileName(run.name)}${filter ? "-part" : ""}.html`);
    tell(`Saved: ${rounded(Number((page.size / 1e6).toFixed(1)))} MB`);
  } catch (error) {
    tell("");
    pressed.after(failure(error));
  }
  pressed.removeAttribute("aria-busy");
  pressed.textContent = words;
};
/** @param {Run} run @param {string | undefined} by */
const runCard = (run, by) => {
  const saver = /** @type {HTMLButtonElement} */ (
    button("Save as one file", () => savePage(run, saver), { class: "quiet" })
  );
  const heading = make("h2", {}, link(linkTo("cases", { run: run.key }), make("bdi", {}, run.name)));
  const tools = make("div", { class: "run-head" }, heading, link(linkTo("labels", { run: run.key }), "Label"), saver);
  const facts = make("div", {}, run.kind === "file" ? null : runFacts(run));
  const summaryPlace = make("div", { "aria-busy": "true" }, make("p", { class: "soft" }, "computing means …"));
  const fill = async () => {
    try {
      const summary = /** @type {RunSummary} */ (await fetchJson("summary", { run: run.key, by }));
      const notes = (summary.notes || []).map((note) => make("p", { class: "small soft" }, make("bdi", {}, note)));
      // What the thresholds of labels are worth, and what to do about what is unsure: the words of the report.
      const remarks = (summary.remarks || []).map(([word, words]) =>
        make("p", { class: "small soft" }, make("b", {}, `${word}: `), make("bdi", {}, words)),
      );
      const panels = panelsOf(summary.panels, (id) => linkTo("case", { run: run.key, id }));
      const parts = [gatesBanner(summary), ...panels, modelsTable(summary), ...remarks, ...notes];
      facts.replaceChildren(runFacts(summary));
      summaryPlace.replaceChildren(...parts.filter((part) => part !== null));
      summaryPlace.removeAttribute("aria-busy");
      return summary;
    } catch (error) {
      summaryPlace.replaceChildren(failure(error));
      summaryPlace.removeAttribute("aria-busy");
      return null;
    }
  };
  const live = run.state === "open" ? liveLine(run, fill, fill) : null;
  const card = make("article", { class: "run", "data-run": run.key }, tools, facts, live, summaryPlace);
  return { card, fill };
};

/** One line for each run: its verdict, its models, the mean of a metric over all of them, its cost. @param {Run[]} runs */
const runsTable = (runs) => {
  /** @type {Map<string, RunSummary>} */
  const summaries = new Map();
  const select = /** @type {HTMLSelectElement} */ (make("select", { id: "overview", "aria-label": "Mean of" }));
  /** @param {Run} run */
  const row = (run) => {
    const summary = summaries.get(run.key);
    const toCases = (/** @type {string} */ q, /** @type {string} */ sort = "") =>
      linkTo("cases", { run: run.key, q, sort });
    const { gates = [], settings, whole } = summary || {};
    const failed = gates.filter(({ passed }) => !passed).length;
    const verdict = failed ? `${failed} of ${amount(gates.length, "gate")} failed` : "gates passed";
    const tone = summary?.state === "open" ? "" : failed ? "bad" : "good";
    const at = settings ? settings.metrics.findIndex(({ name }) => name === select.value) : -1;
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, link(toCases("", ""), make("bdi", {}, short(run.name, 80)))),
      make("td", { class: "nowrap" }, moment((summary || run).made)),
      make("td", {}, gates.length ? make("span", { class: `tag ${tone}` }, verdict) : "–"),
      make("td", {}, make("bdi", {}, short(((summary || run).models || []).join(", "), 80) || "–")),
      settings && whole && at >= 0
        ? meanCell(settings.metrics[at], whole[at], toCases)
        : make("td", { class: "right" }, summary ? "–" : "…"),
      make("td", { class: "nowrap" }, runCost(summary || run) || "–"),
    );
  };
  const heads = ["Run", "Started", "Gates", "Models", select, "Cost"].map((words) =>
    make("th", { scope: "col" }, words),
  );
  const table = tableCard("groups", "All runs", heads, [], { class: "overview" });
  const draw = () => table.querySelector("tbody").replaceChildren(...runs.map(row));
  select.addEventListener("change", draw);
  draw();
  /** @param {RunSummary} summary */
  const add = (summary) => {
    summaries.set(summary.key, summary);
    const known = [...select.options].map(({ value }) => value);
    const added = summary.settings.metrics.filter(({ name }) => !known.includes(name));
    select.append(...added.map(({ name }) => make("option", { value: name }, name)));
    draw();
  };
  return { table, add };
};

/** What the rows of all runs are made by. @param {Run[]} runs @param {string | undefined} by */
const groupChooser = (runs, by) => {
  const hasPrompts = runs.some(({ prompts }) => prompts && prompts.length > 1);
  const words = [
    ["", hasPrompts ? "by model and prompt" : "by model"],
    ...(hasPrompts ? [["prompt", "by prompt"]] : []),
    ["tags", "by tag"],
  ];
  if (by && !words.some(([known]) => known === by)) words.push([by, `by ${by}`]);
  const options = words.map(([value, name]) => make("option", { value, selected: value === (by || "") }, name));
  const select = /** @type {HTMLSelectElement} */ (make("select", { id: "group" }, options));
  select.addEventListener("change", () => goTo("runs", { by: select.value }));
  return make("div", { class: "tools" }, make("label", {}, "Means ", select));
};

/** @param {import("./page.js").Query} query */
export const showRuns = async (query) => {
  const { probare, runs, settings } = /** @type {import("./contract").RunList} */ (await fetchJson("runs", {}));
  hide(settings.hidden);
  elementById("version").textContent = probare;
  setTrail(make("span", { "aria-current": "page" }, "Runs"));
  const newest = runs.slice().reverse();
  const cards = newest.map((run) => runCard(run, query.by));
  const overview = runs.length > 1 ? runsTable(newest) : null;
  const [trends, costs] = [make("div", { id: "trends" }), make("div", { id: "costs" })];
  const none = runs.length
    ? null
    : make("p", { class: "soft" }, "The store has no runs yet. Start one with `probare run`.");
  drawCompareBar();
  const grouping = runs.length ? groupChooser(runs, query.by) : null;
  show("Runs", [
    make("h1", {}, "Runs"),
    none,
    overview?.table,
    grouping,
    ...cards.map(({ card }) => card),
    costs,
    trends,
    compareBar,
  ]);
  // Two at a time, the newest first: what is above is seen first, and a file that takes long does not hold up the rest.
  const waiting = cards.entries();
  /** @type {(import("./contract").RunSummary | null)[]} */
  const found = cards.map(() => null);
  const fillNext = async () => {
    for (const [place, { card, fill }] of waiting) {
      if (!card.isConnected) return;
      const summary = await fill();
      if (!summary) continue;
      found[place] = summary;
      overview?.add(summary);
    }
  };
  await Promise.all([fillNext(), fillNext()]);
  const summaries = found.filter((summary) => summary !== null);
  if (!costs.isConnected) return;
  const chart = costChart(summaries);
  if (chart) costs.append(chart);
  if (runs.length > 1 && currentAddress().view === "runs") {
    const keyOf = (/** @type {string} */ name) => runs.find((run) => run.name === name)?.key;
    /** The cases of a point of a trend, the worst first. @param {string} name @param {import("./contract").SeriesView} series */
    const toCases = (name, { model, metric }) => {
      const summary = summaries.find((one) => one.name === name);
      const row = summary?.rows.find((one) => one.name === model);
      const better = summary?.settings.metrics.find((one) => one.name === metric)?.better;
      const sort = better === "lower" ? `-${metric}` : metric;
      return summary ? linkTo("cases", { run: summary.key, q: row?.filter, sort }) : null;
    };
    const drawn = await fetchJson("history", {}).then((found) => trendsOf(found, { keyOf, toCases }), failure);
    trends.replaceChildren(...[drawn].filter((part) => part !== null));
  }
};
