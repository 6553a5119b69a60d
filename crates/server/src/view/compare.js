// Two runs or models, or more, against the first.
import { breakable, count, hide, make, panelOf, short } from "./case.js";
import { svg } from "./chart.js";
import { difference } from "./difference.js";
import { button, contentWidth, currentAddress, goTo, link, linkTo, setTrail, show, tableCard } from "./page.js";
import { failure, fetchJson, isFilled } from "./source.js";

/**
 * @typedef {import("./contract").DifferenceView} Difference
 * @typedef {import("./contract").SliceView} Slice
 * @typedef {import("./contract").CaseChangeView} Change
 * @typedef {import("./contract").MetricComparisonView} MetricComparison
 * @typedef {import("./contract").Comparison} Comparison
 */

/** Differences with their intervals around zero, as shares of the range of each metric. @param {MetricComparison[]} metrics */
const forest = (metrics) => {
  const drawn = metrics.flatMap((one) => (one.whole ? [{ ...one, whole: one.whole }] : []));
  if (!drawn.length) return null;
  const width = Math.min(Math.max(contentWidth() - 80, 280), 640);
  const [left, row] = [Math.min(190, width * 0.4), 26];
  const share = (/** @type {MetricComparison} */ one, /** @type {number} */ value) => value / (one.width || 1);
  const ends = drawn.flatMap((one) =>
    [one.whole.mean, ...(one.whole.ends || [])].map((end) => Math.abs(share(one, end))),
  );
  const reach = Math.max(...ends, 1e-9);
  const x = (/** @type {number} */ value) => left + 30 + ((value / reach + 1) / 2) * (width - left - 60);
  const height = drawn.length * row + 34;
  const words = drawn.map(({ metric, whole }) => `${metric} ${whole.difference}, ${whole.interval}`).join("; ");
  const frame = { viewBox: `0 0 ${width} ${height}`, width, class: "chart forest", role: "img", "aria-label": words };
  const picture = svg("svg", frame);
  picture.append(svg("line", { x1: x(0), x2: x(0), y1: 6, y2: height - 24, class: "axis zero" }));
  drawn.forEach((one, at) => {
    const { metric, better, whole } = one;
    const y = 20 + at * row;
    const gain = better === "lower" ? -whole.mean : whole.mean;
    const isShown = whole.verdict === "better" || whole.verdict === "worse";
    const tone = isShown ? (gain > 0 ? "good" : "bad") : "plain";
    const name = document.createTextNode(short(metric, Math.floor(left / 7.3)));
    picture.append(svg("text", { x: left, y: y + 4, "text-anchor": "end", class: "label" }, name));
    if (whole.ends) {
      const [from, to] = whole.ends.map((end) => x(share(one, end)));
      picture.append(svg("line", { x1: from, x2: to, y1: y, y2: y, class: `reach ${tone}` }));
    }
    picture.append(svg("circle", { cx: x(share(one, whole.mean)), cy: y, r: 4.5, class: `point ${tone}` }));
  });
  for (const value of [-reach, 0, reach]) {
    const label = value === 0 ? "0" : `${value > 0 ? "+" : ""}${Math.round(value * 1000) / 10} %`;
    picture.append(
      svg("text", { x: x(value), y: height - 8, "text-anchor": "middle" }, document.createTextNode(label)),
    );
  }
  const note = "Differences with their 95 % intervals, as a share of the range of each metric";
  return make("div", { class: "card chart-card" }, picture, make("p", { class: "small soft" }, note));
};

// Changes that stand open, by the address of their comparison: they are open again for who comes back.
/** @type {Map<string, Set<string>>} */
const openChanges = new Map();

/** The part of a run that a side names behind its key: `@MODEL`, `@prompt:NAME`, or both. @param {string | undefined} side */
const partOf = (side) => {
  const [, ...words] = (side || "").split(/@(?=prompt:)|(?<=^[^@]*)@/);
  const prompt = words.find((word) => word.startsWith("prompt:"));
  return { model: words.find((word) => word !== prompt), prompt: prompt?.slice("prompt:".length) };
};
/** @param {import("./case-page.js").Answer} output @param {{ model?: string, prompt?: string }} part @param {string | null | undefined} rest */
const isOfPart = (output, part, rest) => {
  const others = [part.model ? null : output.model, part.prompt || !output.prompt ? null : `prompt ${output.prompt}`];
  const isPart = (!part.model || output.model === part.model) && (!part.prompt || output.prompt === part.prompt);
  return isPart && (!rest || others.filter(Boolean).join(", ") === rest);
};

/** @param {Comparison} found @param {number} other @param {string} metric @param {Change} change */
const changeFold = (found, other, metric, change) => {
  const { runs } = currentAddress();
  const address = location.hash;
  const key = JSON.stringify([other, metric, change.id, change.occurrence, change.model]);
  const place = make("div", { class: "sides" });
  const direction = make(
    "span",
    { class: `tag ${change.improved ? "good" : "bad"}` },
    change.improved ? "better" : "worse",
  );
  const flip = change.improved ? "bad to good" : "good to bad";
  const summary = make(
    "summary",
    {},
    direction,
    " ",
    make("b", {}, make("bdi", {}, short(change.id, 80))),
    change.model ? [" ", make("bdi", {}, change.model)] : "",
    make("span", { class: "step-words" }, change.step),
    change.flipped ? make("span", { class: "tag" }, flip) : "",
    change.query ? make("span", { class: "question" }, make("bdi", {}, change.query)) : "",
  );
  const fold = /** @type {HTMLDetailsElement} */ (make("details", { class: "pair" }, summary, place));
  /** What one side said. @param {number} at */
  const fetchSide = async (at) => {
    const part = partOf(runs[at]);
    const run = found.keys[at];
    const detail = /** @type {import("./contract").CaseDetail} */ (
      await fetchJson("case", { run, id: change.id, n: change.occurrence })
    );
    const { outputs } = detail;
    return { run, detail, output: outputs.find((one) => isOfPart(one, part, change.model)) || outputs[0] };
  };
  const load = async () => {
    if (isFilled(place)) return;
    place.replaceChildren(make("p", { class: "soft" }, "…"));
    try {
      const sides = await Promise.all([0, other + 1].map(fetchSide));
      const textOf = (/** @type {number} */ at, /** @type {string} */ field) =>
        (sides[at].output.record.texts.find((text) => text.field === field) || { text: "" }).text;
      const marked = difference(textOf(0, "response"), textOf(1, "response"));
      const columns = sides.map(({ run, detail, output }, at) => {
        /** @type {import("./runs.js").Metric[]} */
        const metrics = detail.settings.metrics;
        const number = metrics.findIndex(({ name }) => name === metric);
        const name = make("bdi", {}, at ? found.others[other].name : found.baseline);
        return make(
          "div",
          {},
          make("h4", {}, link(linkTo("case", { run, at: detail.at.join(",") }), name)),
          make("div", { class: "said", dir: "auto" }, marked[at]),
          number < 0 ? null : panelOf(metrics, output.entry, output.record, number),
        );
      });
      place.replaceChildren(...columns);
      const question = textOf(0, "query");
      if (question && !change.query) place.before(make("p", { class: "said" }, make("bdi", {}, short(question, 600))));
    } catch (error) {
      place.replaceChildren(failure(error));
    }
  };
  fold.addEventListener("toggle", () => {
    const open = openChanges.get(address) || new Set();
    if (fold.open) open.add(key);
    else open.delete(key);
    openChanges.set(address, open);
    if (fold.open) load();
  });
  if (openChanges.get(address)?.has(key)) fold.open = true;
  return fold;
};

/** @type {[keyof Difference, string][]} */
const columns = [
  ["baseline", "Baseline"],
  ["other", "Other"],
  ["difference", "Difference"],
  ["interval", "95 % interval"],
  ["p", "p"],
  ["adjusted_interval", "Adjusted interval"],
  ["adjusted", "Adjusted p"],
  ["detectable", "Detectable"],
  ["pairs", "Pairs"],
];
/** Names of both sides, without the run where it is the same. @param {string[]} sides */
const shortSides = (sides) => {
  const runs = sides.map((side) => / in [^]*$/.exec(side)?.[0]);
  return runs[0] && runs[0] === runs[1] ? sides.map((side) => side.slice(0, -(runs[0] || "").length)) : sides;
};
/** @param {string} title @param {string} first @param {string[]} sides names of the baseline and of the other @param {{ name: string, found: Difference | null }[]} rows */
const differencesTable = (title, first, sides, rows) => {
  const heads = columns.map(([, words], at) => {
    const side =
      sides[at] && make("span", { class: "side", title: sides[at] }, make("bdi", {}, short(shortSides(sides)[at], 20)));
    return make("th", { scope: "col", class: "right" }, side, words);
  });
  const body = rows.map(({ name, found }) => {
    const tone = found?.verdict === "better" ? "good" : found?.verdict === "worse" ? "bad" : "";
    const verdict = found ? make("span", { class: `tag ${tone}` }, found.verdict) : "no pair was scored";
    const cells = columns.map(([key]) => make("td", { class: "right nowrap" }, found ? String(found[key]) : "–"));
    return make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, name)), make("td", {}, verdict), cells);
  });
  const names = [first, "Verdict"].map((words) => make("th", { scope: "col" }, words));
  return tableCard("groups", title, [names, heads], body, { class: "findings" });
};

/** @param {Comparison} found @param {number} at */
const otherParts = (found, at) => {
  const other = found.others[at];
  const title = `${other.name} against ${found.baseline}`;
  const sides = [found.baseline, other.name];
  const whole = other.metrics.map(({ metric, whole }) => ({ name: metric, found: whole }));
  const named = (/** @type {Slice[]} */ slices) => slices.map((slice) => ({ name: slice.slice, found: slice }));
  const byModel = other.metrics
    .filter(({ models }) => models.length)
    .map(({ metric, models }) =>
      make(
        "div",
        { class: "slice" },
        make("h3", {}, breakable(metric), " by model"),
        differencesTable(`${metric} by model`, "model", sides, named(models)),
      ),
    );
  const bySlice = other.metrics
    .filter(({ slices }) => slices.length)
    .map(({ metric, slices }) => {
      const table = differencesTable(`${metric} by ${found.by}`, found.by || "", sides, named(slices));
      return make("div", { class: "slice" }, make("h3", {}, breakable(metric), ` by ${found.by}`), table);
    });
  const firstChanged = other.metrics.findIndex(({ changes }) => changes.length);
  const changed = other.metrics.map(({ metric, movements, changes, more }, number) =>
    make(
      "details",
      { class: "moved", open: number === firstChanged },
      make("summary", {}, make("h3", {}, breakable(metric)), " ", make("span", { class: "soft" }, movements)),
      changes.length
        ? make(
            "div",
            { class: "changes card" },
            changes.map((change) => changeFold(found, at, metric, change)),
          )
        : null,
      more ? make("p", { class: "small soft" }, `and ${count(more)} more`) : null,
    ),
  );
  return [
    make("h2", {}, make("bdi", {}, other.name), " against ", make("bdi", {}, found.baseline)),
    make("p", { class: "soft" }, other.pairing),
    differencesTable(title, "Metric", sides, whole),
    forest(other.metrics),
    ...byModel,
    ...bySlice,
    ...changed,
  ];
};

/** @param {import("./page.js").Query} query */
export const showCompare = async (query) => {
  const { runs } = currentAddress();
  const found = /** @type {Comparison} */ (await fetchJson("compare", { run: runs, by: query.by }));
  hide(found.settings.hidden);
  setTrail(link("#/runs", "Runs"), make("span", { "aria-current": "page" }, "Compare"));
  const placeholder = "slices by: tags, lang, metadata.KEY";
  const by = /** @type {HTMLInputElement} */ (
    make("input", { id: "slices", value: query.by || "", placeholder, "aria-label": "Slices by" })
  );
  const slice = () => goTo("compare", { run: runs, by: by.value.trim() });
  by.addEventListener("keydown", (event) => event.key === "Enter" && slice());
  const parts = found.others.flatMap((_, at) => otherParts(found, at));
  const notes = found.notes.map((note) => make("p", { class: "small soft" }, make("bdi", {}, note)));
  const rule =
    "Difference: other minus baseline. Detectable: the minimum detectable effect (80 % power) with this many pairs. ";
  show("Compare", [
    make("h1", {}, "Compare"),
    make("div", { class: "tools" }, by, button("Show", slice)),
    ...parts,
    ...notes,
    make("p", { class: "small soft" }, rule, found.rule),
  ]);
};
