// The viewer: runs, the cases of a run, one case. What it shows it asks for, page by page; the address says what is shown, so a
// link or the button back leads to the same view. All text goes in as text, never as markup.
import { askedFold } from "./asked.js";
import { amount, breakable, cellOf, count, hide, idleOf, make, panelOf, rounded, short, textsOf } from "./case.js";
import { panelsOf } from "./panel.js";
import { trendsOf } from "./trend.js";
import { labelKeys, labelsView } from "./labels.js";

/**
 * @typedef {import("./case.js").Metric} Metric
 * @typedef {import("./case.js").Entry} Entry
 * @typedef {import("./case.js").CaseRecord} CaseRecord
 * @typedef {{ key: string, name: string, kind: string, state?: string, made?: number | null, finished?: number, samples?: number,
 *   errors?: [string, number][], cost?: string | null, config?: string, suite?: string | null, models?: string[],
 *   datasets?: string[], notes?: string[] }} Run
 * @typedef {{ sample?: number, model: string | null, repeat: number, status: string, answer?: string | null, prompt?: string | null, entry: Entry, record: CaseRecord,
 *   cost_usd?: number | null, latency_ms?: number | null, attempts?: number | null, input_tokens?: number | null,
 *   output_tokens?: number | null, answered_by?: string | null }} Answer
 */

/** @param {string} id @returns {HTMLElement} */
const there = (id) => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
};
const main = there("main");
const trail = there("trail");
const told = there("told");
const help = /** @type {HTMLDialogElement} */ (there("help"));
const perPage = 50;

// The token came behind the # of the address, which no server sees; it stays with this tab and leaves the address.
const storedToken = "probare-token";
const given = /^#token=([^&/]+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem(storedToken, decodeURIComponent(given[1]));
  history.replaceState(null, "", "#/runs");
}

class Refused extends Error {
  /** @param {number} status @param {string} words */
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

// Parameters as an address has them; a list stands there once for each of its items.
/** @param {Record<string, any>} asked */
const parameters = (asked) => {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null && one !== "") words.append(name, String(one));
  }
  return words;
};
/** @param {string} path @param {Record<string, any>} asked @param {RequestInit} [how] */
const send = async (path, asked, how) => {
  const words = parameters(asked);
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(storedToken) || ""}`, ...(how && how.headers) };
  const reply = await fetch(`/view/api/${path}${words.size ? `?${words}` : ""}`, { ...how, headers, cache: "no-store" });
  if (reply.ok) return reply;
  const said = await reply.json().catch(() => ({}));
  throw new Refused(reply.status, said.error || `the server answered ${reply.status}`);
};
// What a view still waits for when another one is opened is not waited for any longer, so it cannot come after it and take its place.
let leaving = new AbortController();
/** @param {string} path @param {Record<string, any>} asked */
const ask = async (path, asked) => (await send(path, asked, { signal: leaving.signal })).json();

// What the address says: a view and its parameters.
const where = () => {
  const [view, ...words] = location.hash.replace(/^#\/?/, "").split("?");
  const given = new URLSearchParams(words.join("?"));
  return { view: view || "runs", asked: Object.fromEntries(given), runs: given.getAll("run") };
};
/** @param {string} view @param {Record<string, any>} [asked] */
const linkTo = (view, asked) => {
  const words = parameters(asked || {});
  return `#/${view}${words.size ? `?${words}` : ""}`;
};
/** @param {string} view @param {Record<string, any>} [asked] */
const goTo = (view, asked) => {
  location.hash = linkTo(view, asked);
};
/** @param {string} href @param {...any} words */
const link = (href, ...words) => make("a", { href }, ...words);
/** @param {string} words @param {() => void} action @param {Record<string, any>} [attributes] */
const button = (words, action, attributes) => {
  const made = make("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", action);
  return made;
};
const tell = (words) => {
  told.textContent = words;
};
const money = (usd) => (usd === null || usd === undefined ? null : `$${usd >= 0.01 || usd === 0 ? usd.toFixed(2) : rounded(usd)}`);
const moment = (seconds) => (seconds ? `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC` : null);
const dots = (pieces) => pieces.filter((piece) => piece !== null && piece !== undefined && piece !== "" && piece !== false).flatMap((piece, at) => (at ? [" · ", piece] : [piece]));

/** @param {...any} steps */
const setTrail = (...steps) => {
  trail.replaceChildren(...steps.flatMap((step, at) => (at ? [make("span", { "aria-hidden": "true" }, "›"), step] : [step])));
};
/** @param {string} title @param {any[]} content */
const show = (title, content) => {
  document.title = `${title} · Probare`;
  main.replaceChildren(...content.filter(Boolean));
  main.removeAttribute("aria-busy");
};
const failure = (error) => {
  if (error instanceof Refused && error.status === 401) return tokenWanted();
  return make("div", { class: "banner bad", role: "alert" }, make("b", {}, "This cannot be shown"), make("span", {}, make("bdi", {}, short(error.message, 800))));
};
const tokenWanted = () => {
  const field = /** @type {HTMLInputElement} */ (make("input", { type: "password", autocomplete: "off", "aria-label": "Token" }));
  const use = () => {
    sessionStorage.setItem(storedToken, field.value.trim());
    render();
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && use());
  return make("div", { class: "banner bad", role: "alert" }, make("b", {}, "The token is missing"), make("span", {}, "Open the address that the terminal shows, with everything behind the #, or give its token here."), make("div", { class: "tools" }, field, button("Use it", use)));
};

// Runs.

/** A mean with its interval, drawn where the range has two ends. @param {Metric} metric @param {any} cell */
const meanOf = (metric, cell) => {
  if (!cell || cell.mean === null) {
    const words = cell && cell.failed ? `${count(cell.failed)} failed` : "–";
    return make("td", { class: "right" }, make("span", { class: cell && cell.failed ? "tag bad" : "none" }, words));
  }
  const [low, high] = metric.range;
  const parts = [make("span", { class: "mean" }, cell.words)];
  if (low !== null && high !== null && high > low) {
    const share = (value) => `${(Math.min(Math.max((value - low) / (high - low), 0), 1) * 100).toFixed(1)}%`;
    const bar = make("i", { class: "s0" });
    bar.style.width = share(cell.mean);
    const meter = make("span", { class: "meter", "aria-hidden": "true" }, bar);
    if (cell.ends) {
      const reach = make("b", {});
      reach.style.left = share(cell.ends[0]);
      reach.style.width = `calc(${share(cell.ends[1])} - ${share(cell.ends[0])})`;
      meter.append(reach);
    }
    parts.push(meter);
  }
  const counts = dots([cell.interval, amount(cell.cases, "case"), cell.not_applicable ? `${count(cell.not_applicable)} n/a` : ""]);
  parts.push(make("span", { class: "small soft", title: cell.method ? `95 % interval, ${cell.method}` : null }, counts));
  if (cell.unsure) parts.push(make("span", { class: "small soft" }, `coverage ${rounded(Number(((100 * (cell.scored - cell.unsure)) / cell.scored).toFixed(2)))} % (${count(cell.scored - cell.unsure)} of ${count(cell.scored)} decided)`));
  if (cell.failed) parts.push(make("span", { class: "tag bad" }, `${count(cell.failed)} failed`));
  return make("td", { class: "right" }, parts);
};
// What is to be compared, in the order in which it was chosen: the first is the baseline.
/** @type {string[]} */
let chosen = [];
const compareBar = make("div", { class: "compare-bar", role: "region", "aria-label": "Compare", hidden: true });
const compareChosen = () => {
  if (chosen.length > 1) goTo("compare", { run: chosen });
  else tell("choose at least two to compare");
};
const choose = (side, yes) => {
  chosen = chosen.filter((one) => one !== side).concat(yes ? [side] : []);
  compareBar.hidden = chosen.length === 0;
  const words = chosen.length > 1 ? `${chosen.length} chosen; the first is the baseline` : "1 chosen; choose what to hold against it";
  compareBar.replaceChildren(make("span", {}, words), button("Compare", compareChosen, { disabled: chosen.length < 2 }));
};
const chooser = (side, words) => {
  const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", class: "choose", value: side, checked: chosen.includes(side), "aria-label": `Compare ${words}` }));
  box.addEventListener("change", () => choose(side, box.checked));
  return box;
};
/** The filter for a part of a run. @param {{ model?: string | null, prompt?: string | null }} part */
const filterOf = (part) => Object.entries(part).filter(([, name]) => name).map(([what, name]) => `${what}:"${String(name).replace(/(["\\])/g, "\\$1")}"`).join(" ");
/** @param {any} summary */
const modelsTable = (summary) => {
  const metrics = /** @type {Metric[]} */ (summary.settings.metrics);
  const head = make("tr", {}, make("th", { scope: "col" }, summary.prompts && summary.prompts.length > 1 ? "Model and prompt" : "Model"), metrics.map((metric) => make("th", { scope: "col", class: "right", title: metric.summary }, breakable(metric.name), " ", make("span", { class: "soft", "aria-label": `${/** @type {any} */ (metric).better} is better` }, /** @type {any} */ (metric).better === "lower" ? "↓" : "↑"))));
  const row = (name, cells, cost, outputs, filter, side) =>
    make("tr", {}, make("th", { scope: "row" }, side ? chooser(side, `${name} of ${summary.name}`) : "", link(linkTo("cases", { run: summary.key, q: filter }), make("bdi", {}, name)), make("span", { class: "small soft" }, dots([amount(outputs, "output"), money(cost)]))), cells.map((cell, at) => meanOf(metrics[at], cell)));
  const rows = summary.rows.map((one) => row(one.model === "(none)" ? "answers of the file" : one.model, one.cells, one.cost_usd, one.outputs, one.model.startsWith("(") ? "" : filterOf(one.part), one.model.startsWith("(") ? summary.key : `${summary.key}@${one.part.model && one.part.prompt ? `${one.part.model}@prompt:${one.part.prompt}` : one.part.prompt ? `prompt:${one.part.prompt}` : one.part.model}`));
  if (summary.rows.length > 1) rows.push(row("all", summary.whole, null, summary.outputs, "", summary.key));
  return make("div", { class: "groups card scroll" }, make("table", {}, make("caption", { class: "sr" }, `Means of ${summary.name}`), make("thead", {}, head), make("tbody", {}, rows)));
};
/** @param {any} summary */
const gatesOf = (summary) => {
  if (!summary.gates.length) return null;
  const passed = summary.gates.every((gate) => gate.passed);
  return make("div", { class: `banner ${passed ? "good" : "bad"}` }, make("b", {}, passed ? "Gates passed" : "Gates failed"), make("ul", {}, summary.gates.map((gate) => make("li", { class: gate.passed ? "good" : "bad" }, make("bdi", {}, gate.words)))));
};
/** @param {Run} run */
const factsOf = (run) => {
  const [errors, datasets] = [run.errors || [], run.datasets || []];
  const failed = errors.reduce((sum, [, number]) => sum + number, 0);
  const left = run.state === "open" ? "open" : run.finished === undefined ? "" : amount(run.finished, "sample");
  return make("p", { class: "soft facts" }, dots([run.suite, make("bdi", {}, short(run.config || "", 120)), datasets.length > 1 ? `${datasets.length} data sets` : "", moment(run.made), left, run.cost ? make("bdi", {}, run.cost) : "", failed ? make("span", { class: "tag bad" }, `${count(failed)} results failed: ${errors.map(([kind, number]) => `${kind} ${count(number)}`).join(", ")}`) : ""]));
};
// A run that is still written: how far it is, told by the server as it goes on.
/** @param {Run} run @param {() => void} atEnd @param {() => void} [showNew] */
const liveLine = (run, atEnd, showNew) => {
  const words = make("span", {}, "…");
  const bar = /** @type {HTMLProgressElement} */ (make("progress", { max: run.samples || 1, value: run.finished || 0, "aria-label": "Samples finished" }));
  const line = make("div", { class: "live", role: "group", "aria-label": "Live" }, bar, words, showNew ? button("Show what is new", showNew) : null);
  const stop = new AbortController();
  /** @type {[number, number][]} */
  let seen = [];
  const update = (/** @type {Run} */ now) => {
    if (!line.isConnected) return stop.abort();
    const at = performance.now() / 1000;
    seen = [...seen.filter(([then]) => at - then < 20), [at, now.finished || 0]];
    const [[since, before]] = seen;
    const rate = at > since ? ((now.finished || 0) - before) / (at - since) : 0;
    const left = rate > 0 ? ((now.samples || 0) - (now.finished || 0)) / rate : null;
    const failed = (now.errors || []).map(([kind, number]) => `${kind} ${count(number)}`).join(", ");
    const still = seen.length > 10 && rate === 0 ? "nothing new for a while: it may have been ended" : "";
    bar.value = now.finished || 0;
    words.replaceChildren(...dots([`${count(now.finished)} of ${count(now.samples)} samples`, rate > 0 ? `${rounded(Number(rate.toFixed(1)))} a second` : "", left === null ? "" : left > 90 ? `${Math.round(left / 60)} min left` : `${Math.round(left)} s left`, now.cost ? make("bdi", {}, now.cost) : "", failed ? `failed: ${failed}` : "", still]));
    return undefined;
  };
  const listen = async () => {
    for (;;) {
      try {
        const reply = await send("live", { run: run.key }, { signal: stop.signal });
        const reader = /** @type {ReadableStream<any>} */ (reply.body).pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          const events = (rest + value).split("\n\n");
          rest = events.pop() || "";
          for (const event of events) {
            const data = /^data: (.*)$/m.exec(event);
            if (data) update(JSON.parse(data[1]));
            if (event.startsWith("event: complete")) {
              line.remove();
              return atEnd();
            }
          }
        }
      } catch (error) {
        if (stop.signal.aborted) return undefined;
        if (error instanceof Refused && error.status === 404) {
          words.replaceChildren(make("bdi", {}, short(error.message, 300)));
          return undefined;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (!line.isConnected) return undefined;
    }
  };
  // Not before it is on the page.
  setTimeout(listen);
  return line;
};
/** @param {Run} run @param {HTMLElement} at */
const save = async (run, at) => {
  tell("the page is being written");
  at.setAttribute("aria-busy", "true");
  try {
    const page = await (await send("save", { run: run.key })).blob();
    const to = URL.createObjectURL(page);
    const download = make("a", { download: `${run.name.replace(/[^\w.-]+/g, "-")}.html` });
    /** @type {HTMLAnchorElement} */ (download).href = to;
    download.click();
    setTimeout(() => URL.revokeObjectURL(to), 60000);
    tell("saved");
  } catch (error) {
    at.after(failure(error));
  }
  at.removeAttribute("aria-busy");
};
/** @param {Run} run */
const runCard = (run) => {
  const name = make("h2", {}, link(linkTo("cases", { run: run.key }), make("bdi", {}, run.name)));
  const place = make("div", { "aria-busy": "true" }, make("p", { class: "soft" }, "counting …"));
  const saver = button("Save as one file", () => save(run, saver), { class: "quiet" });
  const card = make("article", { class: "run", "data-run": run.key }, make("div", { class: "run-head" }, name, link(linkTo("labels", { run: run.key }), "Label"), saver), run.kind === "file" ? null : factsOf(run), run.state === "open" ? liveLine(run, () => fill(), () => fill()) : null, place);
  const fill = async () => {
    try {
      const summary = await ask("summary", { run: run.key });
      const notes = (summary.notes || []).map((note) => make("p", { class: "small soft" }, make("bdi", {}, note)));
      // What the thresholds of labels are worth, and what to do about what is unsure: the words of the report.
      const remarks = (summary.remarks || []).map(([word, words]) => make("p", { class: "small soft" }, make("b", {}, `${word}: `), make("bdi", {}, words)));
      place.replaceChildren(...[run.kind === "file" ? factsOf(summary) : null, gatesOf(summary), ...panelsOf(summary.panels, (id) => linkTo("case", { run: run.key, id })), modelsTable(summary), ...remarks, ...notes].filter(Boolean));
    } catch (error) {
      place.replaceChildren(failure(error));
    }
    place.removeAttribute("aria-busy");
  };
  return { card, fill };
};
const showRuns = async () => {
  const { probare, runs, settings } = await ask("runs", {});
  hide(settings.hidden);
  there("version").textContent = probare;
  setTrail(make("span", { "aria-current": "page" }, "Runs"));
  const cards = runs.slice().reverse().map(runCard);
  const trends = make("section", { id: "trends", "aria-label": "Trend" });
  show("Runs", [make("h1", {}, "Runs"), trends, runs.length ? null : make("p", { class: "soft" }, "The store has no run yet."), ...cards.map(({ card }) => card), compareBar]);
  // One after the other, the newest first: what is above is seen first.
  for (const { card, fill } of cards) {
    if (!card.isConnected) return;
    await fill();
  }
  if (runs.length > 1) trends.replaceChildren(...[await ask("history", {}).then(trendsOf, failure)].filter((made) => made !== null));
};

// Cases of a run.

// Rows that fill a window: they are seen before the others are made.
const atOnce = 12;
// A tab that nobody looks at is not painted.
const painted = () => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 200);
});
// The case that was looked at last.
let lastCase = "";
/** @param {Record<string, string>} asked */
const showCases = async (asked) => {
  const found = await ask("cases", { ...asked, most: perPage }).catch((error) => {
    if (error instanceof Refused && error.status === 422) return { error, run: { key: asked.run, name: asked.run }, settings: { metrics: [], hidden: [] }, rows: [], total: 0, from: 0 };
    throw error;
  });
  if (!found.error) hide(found.settings.hidden);
  const metrics = /** @type {Metric[]} */ (found.settings.metrics);
  const run = found.run;
  setTrail(link("#/runs", "Runs"), make("span", { "aria-current": "page" }, make("bdi", {}, run.name)));
  const filter = /** @type {HTMLInputElement} */ (make("input", { type: "search", id: "filter", value: asked.q || "", spellcheck: "false", autocomplete: "off", placeholder: 'token_f1<0.5 status:failed tag:en model:x text~"refund" flipped', "aria-label": "Filter", "aria-describedby": "filter-error" }));
  const again = (changed) => goTo("cases", { ...asked, from: undefined, ...changed });
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") again({ q: filter.value.trim() });
    if (event.key === "Escape") filter.blur();
  });
  filter.addEventListener("search", () => filter.value === "" && asked.q && again({ q: "" }));
  const sorts = [["", "In order"], ...metrics.flatMap(({ name }) => [[name, `${name}, lowest first`], [`-${name}`, `${name}, highest first`]]), ["-cost", "Dearest first"], ["-latency", "Slowest first"]];
  const sort = /** @type {HTMLSelectElement} */ (make("select", { id: "sort" }, sorts.map(([value, words]) => make("option", { value, selected: value === (asked.sort || "") }, words))));
  sort.addEventListener("change", () => again({ sort: sort.value }));
  const words = `${amount(found.total, "case")}${asked.q ? (found.total === 1 ? " fits" : " fit") : ""}`;
  const tools = make("div", { class: "tools", role: "search" }, filter, button("Filter", () => again({ q: filter.value.trim() })), make("label", {}, make("span", { class: "sr" }, "Sort"), sort), make("output", { "aria-live": "polite", id: "amount" }, words), link(linkTo("labels", { run: asked.run }), "Label"));
  const error = make("p", { class: "wrong", id: "filter-error", role: "alert" }, found.error ? make("bdi", {}, found.error.message) : "");
  const sortHead = (metric) => {
    const now = asked.sort === metric.name ? "ascending" : asked.sort === `-${metric.name}` ? "descending" : null;
    return make("th", { scope: "col", class: "right", "aria-sort": now, title: metric.summary }, button("", () => again({ sort: now === "ascending" ? `-${metric.name}` : metric.name }), { "aria-label": `Sort by ${metric.name}` }));
  };
  const heads = metrics.map((metric) => {
    const head = sortHead(metric);
    head.firstElementChild?.append(...breakable(metric.name));
    return head;
  });
  const table = make("table", {}, make("caption", { class: "sr" }, "Cases, with one row for each output"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Case"), make("th", { scope: "col" }, "Answer"), heads)));
  /** @param {any} row */
  const bodyOf = (row) => {
    const to = linkTo("case", { run: asked.run, at: row.at.join(","), q: asked.q, sort: asked.sort });
    const opener = make("a", { href: to, class: "open", "data-at": row.at.join(",") }, make("b", {}, make("bdi", {}, short(row.id, 80))), make("span", {}, make("bdi", {}, row.query)));
    const tags = row.tags.length ? make("span", { class: "labels" }, row.tags.slice(0, 6).map((tag) => make("span", { class: "tag" }, short(tag, 40)))) : null;
    const body = make("tbody", { class: "case" });
    row.outputs.forEach((/** @type {Answer} */ output, at) => {
      const whose = dots([whoAnswered(output), output.repeat ? `repeat ${output.repeat + 1}` : ""]);
      const answer = make("td", { class: "answer-cell" }, whose.length ? make("span", { class: "whose" }, make("bdi", {}, ...whose)) : null, output.answer === null || output.answer === undefined ? make("span", { class: "none" }, "no answer") : make("span", {}, make("bdi", {}, output.answer || "empty")));
      const first = at ? null : make("th", { scope: "row", rowspan: row.outputs.length + (row.more ? 1 : 0) }, opener, tags);
      body.append(make("tr", {}, first, answer, metrics.map((_, metric) => cellOf(metrics, output.entry, metric))));
    });
    if (row.more) body.append(make("tr", {}, make("td", { colspan: metrics.length + 1, class: "soft small" }, `and ${amount(row.more, "more output")}`)));
    return body;
  };
  table.append(...found.rows.slice(0, atOnce).map(bodyOf));
  const pager = make("nav", { class: "tools pager", "aria-label": "Pages of cases" });
  const last = Math.max(0, Math.ceil(found.total / perPage) - 1);
  const page = Math.floor(found.from / perPage);
  const turn = (name, to) => button(name, () => goTo("cases", { ...asked, from: to * perPage || undefined }), { disabled: to === page || to < 0 || to > last });
  pager.append(turn("First", 0), turn("Previous", page - 1), make("span", {}, found.total ? `${count(found.from + 1)} to ${count(found.from + found.rows.length)} of ${count(found.total)}` : "none"), turn("Next", page + 1), turn("Last", last));
  show(run.name, [make("h1", {}, make("bdi", {}, run.name)), found.error ? null : factsOf(run), run.state === "open" ? liveLine(run, render, render) : null, tools, error, found.total > perPage ? pager : null, found.rows.length ? make("div", { class: "cases card scroll" }, table) : null]);
  tell(words);
  if (found.rows.length > atOnce) {
    await painted();
    if (!table.isConnected) return false;
    table.append(...found.rows.slice(atOnce).map(bodyOf));
  }
  // Who comes back from a case is where it stands.
  const before = /** @type {HTMLElement | undefined} */ ([...table.querySelectorAll("a.open")].find((opener) => lastCase === `${asked.run} ${/** @type {HTMLElement} */ (opener).dataset.at}`));
  lastCase = "";
  if (before) {
    before.focus({ preventScroll: true });
    before.scrollIntoView({ block: "center", behavior: "instant" });
  }
  return Boolean(before);
};

// One case.

const sameText = (a, b) => a.field === b.field && a.index === b.index && a.path === b.path && a.text === b.text;
/** Whose output it is, in words. @param {string | null | undefined} model @param {string | null | undefined} prompt */
const sourceOf = (model, prompt) => [model, prompt && `prompt ${prompt}`].filter(Boolean).join(", ");
/** @param {Answer} output */
const whoAnswered = (output) => sourceOf(output.answered_by ? `${output.model} (answered by ${output.answered_by})` : output.model, output.prompt);
/** The part of a run that a side of a comparison names behind its @. @param {string | null} text @returns {{ model?: string, prompt?: string }} */
const partOf = (text) => {
  if (!text) return {};
  const at = text.startsWith("prompt:") ? -1 : text.lastIndexOf("@prompt:");
  if (at < 0) return text.startsWith("prompt:") ? { prompt: text.slice(7) } : { model: text };
  return { model: text.slice(0, at), prompt: text.slice(at + 8) };
};
/** @param {Answer} output @param {number} at */
const nameOf = (output, at) => whoAnswered(output) || (output.repeat ? `repeat ${output.repeat + 1}` : at ? `answer ${at + 1}` : "answer");
/** @param {Record<string, string>} asked */
const showCase = async (asked) => {
  const found = await ask("case", asked);
  lastCase = `${asked.run} ${found.at.join(",")}`;
  hide(found.settings.hidden);
  const metrics = /** @type {Metric[]} */ (found.settings.metrics);
  const outputs = /** @type {Answer[]} */ (found.outputs);
  const list = { run: asked.run, q: asked.q, sort: asked.sort };
  setTrail(link("#/runs", "Runs"), link(linkTo("cases", { ...list, from: found.number ? Math.floor((found.number - 1) / perPage) * perPage || undefined : undefined }), make("bdi", {}, found.run.name)), make("span", { "aria-current": "page" }, make("bdi", {}, short(found.id, 60))));
  const isMarked = () => true;
  const isShared = (text) => outputs.length > 1 && outputs.every(({ record }) => record.texts.some((other) => sameText(text, other)));
  const whole = make("div", { class: "whole" });
  const sharedAt = make("section", { class: "shared", "aria-label": "What all answers share" });
  let active = -1;
  /** Marks in what all share are those of one answer. @param {number} at */
  const activate = (at) => {
    if (active === at || outputs.length < 2) return;
    active = at;
    const { entry, record } = outputs[at];
    sharedAt.replaceChildren(textsOf(metrics, entry, { ...record, texts: record.texts.filter(isShared), asked: undefined }, isMarked));
    const marks = sharedAt.querySelectorAll("mark").length;
    if (marks) sharedAt.append(make("p", { class: "small soft" }, `marked: what the scores of ${nameOf(outputs[at], at)} go by`));
    for (const card of whole.querySelectorAll(".output")) card.classList.toggle("active", Number(/** @type {HTMLElement} */ (card).dataset.at) === at);
  };
  const cards = outputs.map((output, at) => {
    const { entry, record } = output;
    const own = { ...record, texts: record.texts.filter((text) => !isShared(text)) };
    const texts = textsOf(metrics, outputs.length > 1 ? { ...entry, t: undefined } : entry, own, isMarked);
    const panels = metrics.map((_, metric) => panelOf(metrics, entry, record, metric)).filter(Boolean);
    for (const panel of panels) {
      panel.tabIndex = 0;
      panel.setAttribute("aria-label", `${metrics[Number(panel.dataset.metric)].name}: pointing here lights what it goes by`);
    }
    const facts = dots([output.status === "scored" ? "" : make("span", { class: `tag ${output.status === "not_applicable" ? "" : "bad"}` }, output.status), money(output.cost_usd), output.latency_ms !== null && output.latency_ms !== undefined ? `${count(output.latency_ms)} ms` : "", output.input_tokens ? `${count(output.input_tokens)} tokens in` : "", output.output_tokens ? `${count(output.output_tokens)} out` : "", output.attempts && output.attempts > 1 ? `${output.attempts} attempts` : ""]);
    const excuse = entry.e ? make("p", { class: "small soft" }, "expected to fail: ", make("bdi", {}, entry.e)) : null;
    const head = make("header", {}, make("h2", {}, make("bdi", {}, nameOf(output, at)), output.model && output.repeat ? make("span", { class: "soft" }, ` repeat ${output.repeat + 1}`) : ""), facts.length ? make("p", { class: "small soft" }, facts) : null);
    return make("article", { class: "output card", "data-at": at }, outputs.length > 1 || facts.length ? head : null, make("div", { class: "split" }, texts, make("div", {}, excuse, panels, idleOf(metrics, record))), askedFold(() => ask("asked", { run: asked.run, at: found.at.join(","), sample: output.sample }), failure));
  });
  const matrix = outputs.length > 1 ? make("div", { class: "cases card scroll" }, make("table", {}, make("caption", { class: "sr" }, "Scores of all answers"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Metric"), outputs.map((output, at) => make("th", { scope: "col", class: "right" }, make("bdi", {}, nameOf(output, at)), output.model && output.repeat ? ` ${output.repeat + 1}` : "")))), make("tbody", {}, metrics.map((metric, at) => make("tr", {}, make("th", { scope: "row" }, breakable(metric.name)), outputs.map((output) => cellOf(metrics, output.entry, at))))))) : null;
  whole.append(make("div", { class: "top" }, sharedAt, matrix), make("div", { class: outputs.length > 1 ? "side-by-side" : "alone" }, cards));
  /** @param {Event} event */
  const light = (event) => {
    const panel = /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest(".panel[data-metric]") : null);
    for (const element of whole.querySelectorAll(".on")) element.classList.remove("on");
    whole.classList.toggle("lit", Boolean(panel));
    const card = /** @type {HTMLElement | null} */ (panel && panel.closest(".output"));
    if (!panel || !card) return;
    activate(Number(card.dataset.at));
    panel.classList.add("on");
    for (const part of [sharedAt, card]) {
      for (const mark of part.querySelectorAll("mark[data-of]")) {
        const of = (/** @type {HTMLElement} */ (mark).dataset.of || "").split(" ");
        mark.classList.toggle("on", of.includes(String(panel.dataset.metric)));
      }
    }
  };
  for (const kind of ["pointerover", "focusin"]) whole.addEventListener(kind, light);
  whole.addEventListener("pointerleave", light);
  activate(0);
  const step = (words, at, key) => (at ? make("a", { href: linkTo("case", { ...list, at: at.join(",") }), class: "step-link", "data-key": key, rel: key === "j" ? "next" : "prev" }, words) : make("span", { class: "none" }, words));
  const steps = make("nav", { class: "tools pager", "aria-label": "Cases beside this one" }, step("Previous", found.previous, "k"), make("span", {}, found.number ? `${count(found.number)} of ${count(found.total)}` : "not in the list"), step("Next", found.next, "j"));
  const copied = button("Copy", () => navigator.clipboard && navigator.clipboard.writeText(found.command).then(() => tell("copied")));
  const command = make("details", { class: "command" }, make("summary", {}, "The same in a terminal"), make("div", { class: "tools" }, make("code", {}, found.command), copied));
  show(found.id, [make("div", { class: "case-head" }, make("h1", {}, make("bdi", {}, short(found.id, 200))), steps), whole, command]);
};

// Two runs, or more, against the first.

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
};
/** Differences with their intervals around zero. @param {any[]} metrics */
const forest = (metrics) => {
  const drawn = metrics.filter(({ whole }) => whole);
  if (!drawn.length) return null;
  const width = Math.min(Math.max(main.clientWidth - 80, 280), 640);
  const [left, row] = [Math.min(190, width * 0.4), 26];
  // Metrics have ranges of their own: what is drawn is the share of it.
  const share = (one, value) => value / (one.width || 1);
  const reach = Math.max(...drawn.flatMap((one) => [one.whole.mean, ...(one.whole.ends || [])].map((value) => Math.abs(share(one, value)))), 1e-9);
  const x = (value) => left + 30 + ((value / reach + 1) / 2) * (width - left - 60);
  const height = drawn.length * row + 34;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, class: "chart forest", role: "img", "aria-label": drawn.map(({ metric, whole }) => `${metric} ${whole.difference}, ${whole.interval}`).join("; ") });
  picture.append(svg("line", { x1: x(0), x2: x(0), y1: 6, y2: height - 24, class: "axis zero" }));
  drawn.forEach((one, at) => {
    const { metric, better, whole } = one;
    const y = 20 + at * row;
    const gain = better === "lower" ? -whole.mean : whole.mean;
    const tone = whole.verdict === "better" || whole.verdict === "worse" ? (gain > 0 ? "good" : "bad") : "plain";
    picture.append(svg("text", { x: left, y: y + 4, "text-anchor": "end", class: "label" }, document.createTextNode(short(metric, Math.floor(left / 7.3)))));
    if (whole.ends) picture.append(svg("line", { x1: x(share(one, whole.ends[0])), x2: x(share(one, whole.ends[1])), y1: y, y2: y, class: `reach ${tone}` }));
    picture.append(svg("circle", { cx: x(share(one, whole.mean)), cy: y, r: 4.5, class: `point ${tone}` }));
  });
  for (const value of [-reach, 0, reach]) picture.append(svg("text", { x: x(value), y: height - 8, "text-anchor": "middle" }, document.createTextNode(value === 0 ? "0" : `${value > 0 ? "+" : ""}${Math.round(value * 1000) / 10} %`)));
  return make("div", { class: "card chart-card" }, picture, make("p", { class: "small soft" }, "Differences with their 95 % intervals, as a share of the range of each metric"));
};
const mostWords = 1200;
/** What one text has and the other has not, by words and the signs between them. @param {string} before @param {string} after */
const difference = (before, after) => {
  const [a, b] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) || []);
  if (a.length > mostWords || b.length > mostWords) return [[before], [after]];
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) rows[i][j] = a[i] === b[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
  /** @type {any[][]} */
  const [left, right] = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push(a[i]);
      right.push(b[j]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && rows[i + 1][j] >= rows[i][j + 1])) left.push(make("del", {}, a[i++]));
    else right.push(make("ins", {}, b[j++]));
  }
  return [left, right];
};
/** @param {any} found @param {number} other @param {string} metric @param {any} change */
const changeOf = (found, other, metric, change) => {
  const place = make("div", { class: "sides" });
  const words = [make("span", { class: `tag ${change.improved ? "good" : "bad"}` }, change.improved ? "better" : "worse"), " ", make("b", {}, make("bdi", {}, short(change.id, 80))), change.model ? [" ", make("bdi", {}, change.model)] : "", ` ${change.step} `, change.flipped ? make("span", { class: "tag" }, change.improved ? "bad to good" : "good to bad") : ""];
  const body = make("details", { class: "card pair" }, make("summary", {}, words.flat()), place);
  const load = async () => {
    if (place.childElementCount) return;
    place.append(make("p", { class: "soft" }, "…"));
    try {
      const sides = await Promise.all([0, other + 1].map(async (at) => {
        const [run, part] = [found.keys[at], partOf(found.models[at])];
        const whole = await ask("case", { run, id: change.id, n: change.occurrence });
        const output = whole.outputs.find((one) => (!part.model || one.model === part.model) && (!part.prompt || one.prompt === part.prompt) && (!change.model || sourceOf(part.model ? null : one.model, part.prompt ? null : one.prompt) === change.model)) || whole.outputs[0];
        return { run, whole, output };
      }));
      const answers = sides.map(({ output }) => (output.record.texts.find(({ field }) => field === "response") || { text: "" }).text);
      const marked = difference(answers[0], answers[1]);
      const question = sides[0].output.record.texts.find(({ field }) => field === "query");
      const columns = sides.map(({ run, whole, output }, at) => {
        const all = /** @type {Metric[]} */ (whole.settings.metrics);
        const number = all.findIndex(({ name }) => name === metric);
        return make("div", {}, make("h4", {}, link(linkTo("case", { run, at: whole.at.join(",") }), make("bdi", {}, at ? found.others[other].name : found.baseline))), make("div", { class: "said", dir: "auto" }, marked[at]), number < 0 ? null : panelOf(all, output.entry, output.record, number));
      });
      place.replaceChildren(...columns);
      if (question) place.before(make("p", { class: "said" }, make("bdi", {}, short(question.text, 600))));
    } catch (error) {
      place.replaceChildren(failure(error));
    }
  };
  body.addEventListener("toggle", () => /** @type {HTMLDetailsElement} */ (body).open && load());
  return body;
};
const columnsOf = [["baseline", "Baseline"], ["other", "Other"], ["difference", "Difference"], ["interval", "95 % interval"], ["p", "p"], ["adjusted_interval", "Adjusted interval"], ["adjusted", "Adjusted p"], ["detectable", "Detectable"], ["pairs", "Pairs"]];
/** @param {string} title @param {string} first @param {{ name: string, told: any }[]} rows */
const findings = (title, first, rows) =>
  make("div", { class: "groups card scroll" }, make("table", { class: "findings" }, make("caption", { class: "sr" }, title), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, first), make("th", { scope: "col" }, "Verdict"), columnsOf.map(([, words]) => make("th", { scope: "col", class: "right" }, words)))), make("tbody", {}, rows.map(({ name, told }) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, name)), make("td", {}, told ? make("span", { class: `tag ${told.verdict === "better" ? "good" : told.verdict === "worse" ? "bad" : ""}` }, told.verdict) : "no pair was scored"), columnsOf.map(([key]) => make("td", { class: "right nowrap" }, told ? String(told[key]) : "–")))))));
/** @param {Record<string, string>} asked */
const showCompare = async (asked) => {
  const { runs } = where();
  const found = await ask("compare", { run: runs, by: asked.by });
  found.models = runs.map((side) => (side.includes("@") ? side.slice(side.indexOf("@") + 1) : null));
  setTrail(link("#/runs", "Runs"), make("span", { "aria-current": "page" }, "Compare"));
  const by = /** @type {HTMLInputElement} */ (make("input", { value: asked.by || "", placeholder: "slices by: tags, lang, metadata.KEY", "aria-label": "Slices by" }));
  by.addEventListener("keydown", (event) => event.key === "Enter" && goTo("compare", { run: runs, by: by.value.trim() }));
  const parts = found.others.flatMap((other, at) => [
    make("h2", {}, make("bdi", {}, other.name), " against ", make("bdi", {}, found.baseline)),
    make("p", { class: "soft" }, other.pairing),
    findings(`${other.name} against ${found.baseline}`, "Metric", other.metrics.map(({ metric, whole }) => ({ name: metric, told: whole }))),
    forest(other.metrics),
    ...other.metrics.filter(({ models }) => models.length).map(({ metric, models }) => make("section", {}, make("h3", {}, breakable(metric), " by model"), findings(`${metric} by model`, "model", models.map((model) => ({ name: model.slice, told: model }))))),
    ...other.metrics.filter(({ slices }) => slices.length).map(({ metric, slices }) => make("section", {}, make("h3", {}, breakable(metric), ` by ${found.by}`), findings(`${metric} by ${found.by}`, found.by, slices.map((slice) => ({ name: slice.slice, told: slice }))))),
    ...other.metrics.map(({ metric, movements, changes, more }) => make("section", { class: "moved" }, make("h3", {}, breakable(metric)), make("p", { class: "soft" }, movements), changes.map((change) => changeOf(found, at, metric, change)), more ? make("p", { class: "small soft" }, `and ${count(more)} more`) : null)),
  ]);
  show("Compare", [make("h1", {}, "Compare"), make("div", { class: "tools" }, by, button("Show", () => goTo("compare", { run: runs, by: by.value.trim() }))), ...parts, ...found.notes.map((note) => make("p", { class: "small soft" }, make("bdi", {}, note))), make("p", { class: "small soft" }, "Difference: other minus baseline. Detectable: the least difference that so many pairs show in four of five tries. ", found.rule)]);
};

// Keys.

const keys = [
  ["j k", "next and previous case"],
  ["Enter", "open the case"],
  ["/", "go to the filter"],
  ["f", "only what failed, and back"],
  ["c", "compare what was chosen among the runs"],
  ["l", "label the outputs of the run"],
  ["u", "up: from a case to its list, from there to the runs"],
  ["?", "these keys"],
];
const showHelp = () => {
  if (help.open) return help.close();
  const listed = where().view === "labels" ? labelKeys : keys;
  help.replaceChildren(make("h2", { id: "help-title" }, "Keys"), make("dl", {}, listed.flatMap(([key, words]) => [make("dt", {}, key.split(" ").map((one) => make("kbd", {}, one))), make("dd", {}, words)])), make("p", { class: "small soft" }, 'A filter: token_f1<0.5 metric:label status:failed tag:en model:x prompt:x dataset:x id:x id~x text~"refund" cost>0.1 latency>900 repeat=1 flipped flipped:token_f1; with - before it a word must not hold.'), button("Close", () => help.close()));
  help.showModal();
  return undefined;
};
const step = (by) => {
  const openers = [...document.querySelectorAll("a.open")];
  if (!openers.length) {
    const to = /** @type {HTMLElement | null} */ (document.querySelector(`a[data-key="${by > 0 ? "j" : "k"}"]`));
    if (to) to.click();
    return;
  }
  const at = openers.findIndex((opener) => opener === document.activeElement);
  const next = /** @type {HTMLElement} */ (openers[Math.min(Math.max(at + by, 0), openers.length - 1)]);
  next.focus();
  next.scrollIntoView({ block: "nearest" });
};
const up = () => {
  const { view, asked } = where();
  if (view === "labels") goTo("cases", { run: asked.run });
  else if (view === "case") goTo("cases", { run: asked.run, q: asked.q, sort: asked.sort });
  else goTo("runs");
};
const toLabels = () => {
  const { asked } = where();
  if (asked.run) goTo("labels", { run: asked.run });
};
const failedOnly = () => {
  const { view, asked } = where();
  if (view !== "cases") return;
  const words = (asked.q || "").split(/\s+/).filter(Boolean);
  const rest = words.filter((word) => word !== "status:failed");
  goTo("cases", { ...asked, from: undefined, q: (rest.length < words.length ? rest : [...words, "status:failed"]).join(" ") });
};
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || (help.open && event.key !== "?")) return;
  const ofView = where().view === "labels" && labels.key(event.key);
  const action = ofView || { j: () => step(1), k: () => step(-1), "/": () => document.getElementById("filter")?.focus(), f: failedOnly, c: compareChosen, l: toLabels, u: up, "?": showHelp }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
there("keys").addEventListener("click", showHelp);
there("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

const labels = labelsView({ ask, send, goTo, linkTo, link, button, show, setTrail, tell, failure });
const views = { runs: showRuns, cases: showCases, case: showCase, compare: showCompare, labels: labels.show };
let turn = 0;
const render = async () => {
  turn += 1;
  const mine = turn;
  leaving.abort();
  leaving = new AbortController();
  const { view, asked } = where();
  // What was told about another view does not stand over this one.
  help.close();
  main.setAttribute("aria-busy", "true");
  try {
    const isPlaced = await (views[view] || showRuns)(asked);
    if (mine === turn && view !== "runs" && !isPlaced) scrollTo({ top: 0, behavior: "instant" });
  } catch (error) {
    if (mine === turn) show("Probare", [failure(error)]);
  }
};
history.scrollRestoration = "manual";
addEventListener("hashchange", render);
render();
