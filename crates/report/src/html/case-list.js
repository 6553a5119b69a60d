// The cases of a run that fit a filter: as a table of scores, or as a grid of answers.
import { amount, breakable, cellOf, count, hide, make, short, valueOf } from "./case.js";
import { completeConditions } from "./completion.js";
import {
  announce,
  button,
  checkMenu,
  currentAddress,
  download,
  elementById,
  fileName,
  goTo,
  link,
  linkTo,
  money,
  quoted,
  setTrail,
  show,
  tell,
  withCondition,
  withDots,
} from "./page.js";
import { clearFailure, failure, fetchJson, RequestError, source } from "./source.js";

/**
 * @typedef {import("./page.js").Query} Query
 * @typedef {import("./contract").OutputRow} Output
 * @typedef {import("./contract").CaseRow} CaseRow
 * @typedef {import("./contract").CasePage} CasePage
 */

export const casesPerPage = 50;
// Rows that fill a window: they are seen before the others are made.
const rowsAtOnce = 12;
// A tab that nobody looks at is not painted.
const painted = () =>
  new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);
  });

// The case that was looked at last.
let lastCase = "";
/** @param {string} run @param {number[]} at */
export const rememberCase = (run, at) => {
  lastCase = `${run} ${at.join(",")}`;
};

/** Whose output it is, which prompt was used, and which of several it is. @param {Output | import("./contract").OutputDetail} output */
export const outputName = (output) => {
  const model = output.answered_by ? `${output.model} (answered by ${output.answered_by})` : output.model;
  const repeat = output.repeat ? `repeat ${output.repeat + 1}` : "";
  return withDots([model, output.prompt, repeat]).join("");
};

/** @param {CasePage} found @param {Query} query */
const filterTools = (found, query) => {
  const { metrics } = found.settings;
  const again = (/** @type {Record<string, any>} */ changed) =>
    goTo("cases", { ...query, hide: currentAddress().hidden, from: undefined, ...changed });
  const input = /** @type {HTMLInputElement} */ (
    make("input", {
      type: "search",
      id: "filter",
      spellcheck: "false",
      autocomplete: "off",
      placeholder: 'token_f1<0.5 status:failed tag:en model:x text~"refund" flipped',
      "aria-label": "Filter",
      "aria-describedby": "filter-error",
    })
  );
  // As it is, and not as it is shown: a sign that nobody sees is looked for, too.
  input.value = query.q || "";
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") again({ q: input.value.trim() });
    if (event.key === "Escape") input.blur();
  });
  input.addEventListener("search", () => input.value === "" && query.q && again({ q: "" }));
  const orders = [
    ...source.orders,
    ...metrics.flatMap(({ name }) => [
      [name, `${name}, lowest first`],
      [`-${name}`, `${name}, highest first`],
    ]),
  ];
  const options = orders.map(([value, words]) =>
    make("option", { value, selected: value === (query.sort || "") }, words),
  );
  const sort = /** @type {HTMLSelectElement} */ (make("select", { id: "sort" }, options));
  sort.addEventListener("change", () => again({ sort: sort.value }));
  const isGrid = query.layout === "grid";
  const layout = button(
    isGrid ? "Show as table" : "Show as grid",
    () => again({ layout: isGrid ? undefined : "grid" }),
    {
      class: "quiet",
      title: isGrid ? "One row for each output" : "One row for each case, one column for each model",
    },
  );
  return make(
    "div",
    { class: "tools", role: "search" },
    input,
    completeConditions(input, found),
    button("Filter", () => again({ q: input.value.trim() })),
    make("label", {}, make("span", { class: "sr" }, "Sort"), sort),
    make("output", { id: "amount" }, countWords(found, query)),
    layout,
    columnChooser(found, query),
    exporter(found, query),
    saver(found, query),
    source.hasLabels ? link(linkTo("labels", { run: query.run }), "Label") : null,
  );
};
/** @param {CasePage} found @param {Query} query */
const countWords = (found, query) =>
  `${amount(found.total, "case")}${query.q ? (found.total === 1 ? " fits" : " fit") : ""}`;

// The column that was chosen last: the menu stays open for who chooses several.
let lastColumn = "";
/** Which metrics have a column. @param {CasePage} found @param {Query} query */
const columnChooser = (found, query) => {
  const { metrics } = found.settings;
  if (metrics.length < 2) return null;
  const { hidden } = currentAddress();
  const boxes = metrics.map(({ name }) => ({ name, isChecked: !hidden.includes(name) }));
  const words = hidden.length ? `Columns (${metrics.length - hidden.length} of ${metrics.length})` : "Columns";
  /** @param {string} name @param {boolean} isChecked */
  const choose = (name, isChecked) => {
    lastColumn = name;
    goTo("cases", { ...query, hide: hidden.filter((one) => one !== name).concat(isChecked ? [] : [name]) });
  };
  const menu = checkMenu(words, boxes, choose, [], Boolean(lastColumn));
  const last = [...menu.querySelectorAll("input")].find(({ value }) => value === lastColumn);
  lastColumn = "";
  // Not before it is on the page.
  if (last) setTimeout(() => last.focus());
  return menu;
};
/** @param {CasePage} found @param {Query} query */
const exporter = (found, query) => {
  if (!found.total) return null;
  const pressed = button(
    "Export",
    async () => {
      if (pressed.getAttribute("aria-busy")) return;
      pressed.setAttribute("aria-busy", "true");
      clearFailure(pressed);
      try {
        const lines = await source.exportCases({ run: query.run, q: query.q, sort: query.sort });
        download(lines, `${fileName(found.run.name)}-cases.jsonl`);
        tell(`${amount(found.total, "case")} exported as JSON lines`);
      } catch (error) {
        pressed.after(failure(error));
      }
      pressed.removeAttribute("aria-busy");
    },
    { class: "quiet", title: "The results of these cases as JSON lines" },
  );
  return pressed;
};

/** @param {CasePage} found @param {Query} query */
const saver = (found, query) => {
  const { savePage } = source;
  if (!found.total || !savePage) return null;
  const title = query.q
    ? "A page with the cases that fit, which opens by a double click"
    : "A page with all cases, which opens by a double click: filter before for a part of them";
  const pressed = /** @type {HTMLButtonElement} */ (
    button("Save as one file", () => savePage(found.run, pressed, query.q), { class: "quiet", title })
  );
  return pressed;
};

/** @param {CaseRow} row @param {Query} query */
const caseHead = (row, query) => {
  const at = row.at.join(",");
  const { hidden } = currentAddress();
  const to = linkTo("case", { run: query.run, at, q: query.q, sort: query.sort, layout: query.layout, hide: hidden });
  const opener = make(
    "a",
    { href: to, class: "open", "data-at": at },
    make("b", {}, make("bdi", {}, short(row.id, 80))),
    make("span", {}, make("bdi", {}, row.query)),
  );
  const tags = row.tags.slice(0, 6).map((tag) => {
    const filter = withCondition(query.q, `tag:${quoted(tag)}`);
    const href = linkTo("cases", { ...query, hide: hidden, from: undefined, q: filter });
    return make("a", { class: "tag", href, title: "Only cases with this tag" }, short(tag, 40));
  });
  return [opener, tags.length ? make("span", { class: "labels" }, tags) : null];
};
/** @param {Output} output @param {boolean} hasTexts */
const answerWords = (output, hasTexts) => {
  if (output.answer) return make("span", {}, make("bdi", {}, output.answer));
  if (output.answer === "") return make("span", { class: "none" }, "empty");
  return make("span", { class: "none" }, hasTexts ? "no answer" : "text not in this file");
};

/** Where a label leads: to the cases of this list that have it. @param {Query} query */
const labelLinks = (query) => (/** @type {string} */ metric, /** @type {string} */ label) =>
  linkTo("cases", {
    ...query,
    hide: currentAddress().hidden,
    from: undefined,
    q: withCondition(query.q, `${quoted(metric)}:${quoted(label)}`),
  });

/** One row for each output, one column for each metric. @param {CasePage} found @param {Query} query */
const scoresTable = (found, query) => {
  const { hidden } = currentAddress();
  const all = found.settings.metrics;
  const shown = all.map((_, at) => at).filter((at) => !hidden.includes(all[at].name));
  const outputs = found.rows.flatMap((row) => row.outputs);
  const hasCost = outputs.some(({ cost_usd }) => cost_usd);
  const hasLatency = outputs.some(({ latency_ms }) => latency_ms);
  const toLabel = labelLinks(query);
  /** @param {string} by @param {any} words @param {string | null} title @param {string} [name] */
  const head = (by, words, title, name = by) => {
    const now = query.sort === by ? "ascending" : query.sort === `-${by}` ? "descending" : null;
    const sort = () =>
      goTo("cases", { ...query, hide: hidden, from: undefined, sort: now === "ascending" ? `-${by}` : by });
    const control = button("", sort, { "aria-label": `Sort by ${name}` });
    control.append(...words);
    return make("th", { scope: "col", class: "right", "aria-sort": now, title }, control);
  };
  const heads = shown.map((at) => head(all[at].name, breakable(all[at].name), all[at].summary));
  if (hasCost) heads.push(head("cost", ["Cost"], "What the answer cost"));
  if (hasLatency) heads.push(head("latency", ["Time"], "How long the answer took", "time"));
  /** @param {CaseRow} row */
  const body = (row) => {
    const rows = row.outputs.map((output, at) => {
      const name = outputName(output);
      const span = { scope: "row", rowspan: row.outputs.length + (row.more ? 1 : 0) };
      const first = at ? null : make("th", span, caseHead(row, query));
      const whose = name ? make("span", { class: "whose" }, make("bdi", {}, name)) : null;
      const answer = make("td", { class: "answer-cell" }, whose, answerWords(output, found.has_texts));
      const cells = shown.map((metric) => cellOf(all, output.entry, metric, toLabel));
      if (hasCost) cells.push(make("td", { class: "right nowrap" }, money(output.cost_usd) || "–"));
      if (hasLatency)
        cells.push(make("td", { class: "right nowrap" }, output.latency_ms ? `${count(output.latency_ms)} ms` : "–"));
      return make("tr", {}, first, answer, cells);
    });
    if (row.more) {
      const words = `and ${amount(row.more, "more output")}`;
      rows.push(make("tr", {}, make("td", { colspan: heads.length + 1, class: "soft small" }, words)));
    }
    return make("tbody", { class: "case" }, rows);
  };
  const names = [make("th", { scope: "col" }, "Case"), make("th", { scope: "col" }, "Answer")];
  const caption = make("caption", { class: "sr" }, "Cases, with one row for each output");
  return { table: make("table", {}, caption, make("thead", {}, make("tr", {}, names, heads))), body };
};

/** One row for each case, one column for each model, prompt and repeat. @param {CasePage} found @param {Query} query */
const answersGrid = (found, query) => {
  const { hidden } = currentAddress();
  const all = found.settings.metrics;
  const shown = all.map((_, at) => at).filter((at) => !hidden.includes(all[at].name));
  const toLabel = labelLinks(query);
  /** @param {Output} output */
  const column = (output) => outputName(output) || "answer";
  const columns = [...new Set(found.rows.flatMap((row) => row.outputs.map(column)))];
  /** @param {Output | undefined} output */
  const cell = (output) => {
    if (!output) return make("td", { class: "answer-cell" }, make("span", { class: "none" }, "–"));
    const scores = shown.map((metric) => {
      const value = output.entry.values[metric];
      if (value === null || value === undefined) return null;
      const fails = (output.entry.missed || []).includes(metric);
      const href = value && value[2] ? toLabel(all[metric].name, value[2]) : undefined;
      const words = value === false ? [make("span", { class: "tag bad" }, "failed")] : valueOf(value, fails, href);
      return make("span", { class: "grid-score" }, make("span", { class: "soft" }, all[metric].name), " ", words);
    });
    return make(
      "td",
      { class: "answer-cell" },
      answerWords(output, found.has_texts),
      make("div", { class: "grid-scores" }, scores),
    );
  };
  /** @param {CaseRow} row */
  const body = (row) => {
    const byColumn = new Map(row.outputs.map((output) => [column(output), output]));
    const cells = columns.map((name) => cell(byColumn.get(name)));
    const more = row.more ? make("span", { class: "soft small" }, `and ${amount(row.more, "more output")}`) : null;
    const head = make("th", { scope: "row" }, caseHead(row, query), more);
    return make("tbody", { class: "case" }, make("tr", {}, head, cells));
  };
  const heads = columns.map((name) => make("th", { scope: "col" }, make("bdi", {}, name)));
  const caption = make("caption", { class: "sr" }, "Cases, with one column for each model");
  const head = make("tr", {}, make("th", { scope: "col" }, "Case"), heads);
  return { table: make("table", { class: "grid" }, caption, make("thead", {}, head)), body };
};

/** @param {CasePage} found @param {Query} query */
const pager = (found, query) => {
  const last = Math.max(0, Math.ceil(found.total / casesPerPage) - 1);
  const page = Math.floor(found.from / casesPerPage);
  const { hidden } = currentAddress();
  /** @param {string} words @param {number} to */
  const turn = (words, to) =>
    button(words, () => goTo("cases", { ...query, hide: hidden, from: to * casesPerPage || undefined }), {
      disabled: to === page || to < 0 || to > last,
    });
  const end = found.from + found.rows.length;
  const words = found.total ? `${count(found.from + 1)} to ${count(end)} of ${count(found.total)}` : "none";
  return make(
    "nav",
    { class: "tools pager", "aria-label": "Pages of cases" },
    turn("First", 0),
    turn("Previous", page - 1),
    make("span", {}, words),
    turn("Next", page + 1),
    turn("Last", last),
  );
};

/** @param {Query} query */
const allCases = (query) => link(linkTo("cases", query), "Show all cases");
/** What is there in place of a table without rows. @param {CasePage} found @param {Query} query */
const emptyState = (found, query) => {
  if (!query.q) return make("p", { class: "soft", id: "hint" }, "The run has no finished sample yet.");
  const words = `${found.hint || "No case fits"}${found.hint?.endsWith("?") ? " " : ". "}`;
  return make("p", { class: "soft", id: "hint" }, words, allCases({ run: query.run, sort: query.sort }));
};

/** The page of cases that was shown last. @type {CasePage | null} */
let lastPage = null;
/** @param {Query} query @returns {Promise<boolean>} whether the page was scrolled to a case */
export const showCases = async (query) => {
  /** @type {CasePage} */
  let found;
  let refusal = "";
  try {
    found = await fetchJson("cases", {
      run: query.run,
      q: query.q,
      sort: query.sort,
      from: query.from,
      most: casesPerPage,
    });
    hide(found.settings.hidden);
  } catch (error) {
    if (!(error instanceof RequestError && error.status === 422)) throw error;
    refusal = error.message;
    // Of the run it says what it said before, so that the line still suggests its metrics.
    const key = query.run || "";
    const { run, settings } =
      lastPage?.run.key === key
        ? lastPage
        : { run: /** @type {const} */ ({ key, name: key, kind: "run" }), settings: { metrics: [], hidden: [] } };
    found = { run, settings, total: 0, from: 0, rows: [], hint: null, has_texts: true };
  }
  lastPage = found;
  const { run } = found;
  const { home, runFacts, liveLine } = source;
  setTrail(...(home ? [home(), make("span", { "aria-current": "page" }, make("bdi", {}, short(run.name, 60)))] : []));
  const facts = make("div", {}, refusal ? null : runFacts?.(run));
  const list = make("div", {});
  const error = make(
    "p",
    { class: "wrong", id: "filter-error", role: "alert" },
    refusal ? make("bdi", {}, refusal) : "",
  );
  // What is new is put in place: filter, focus and scroll stay as they are.
  const refresh = async () => {
    try {
      const parameters = { run: query.run, q: query.q, sort: query.sort, from: query.from, most: casesPerPage };
      found = await fetchJson("cases", parameters);
      if (runFacts) facts.replaceChildren(runFacts(found.run));
      elementById("amount").textContent = countWords(found, query);
      error.replaceChildren();
      await drawList(found, query, list);
    } catch (problem) {
      error.replaceChildren(failure(problem));
    }
  };
  const live = !refusal && run.state === "open" && liveLine ? liveLine(run, refresh, refresh) : null;
  show(run.name, [
    make("h1", {}, make("bdi", {}, home ? run.name : "Cases")),
    facts,
    live,
    filterTools(found, query),
    error,
    list,
  ]);
  if (refusal) {
    elementById("amount").textContent = "";
    list.append(make("p", { class: "soft" }, allCases({ run: query.run })));
  } else {
    announce(countWords(found, query));
    await drawList(found, query, list);
  }
  // Who comes back from a case is where it stands.
  const openers = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("a.open")]);
  const before = openers.find((opener) => lastCase === `${query.run || ""} ${opener.dataset.at}`);
  lastCase = "";
  if (before) {
    before.focus({ preventScroll: true });
    before.scrollIntoView({ block: "center", behavior: "instant" });
  }
  return Boolean(before);
};
/** @param {CasePage} found @param {Query} query @param {HTMLElement} list */
const drawList = async (found, query, list) => {
  if (!found.rows.length) {
    list.replaceChildren(emptyState(found, query));
    return;
  }
  const { table, body } = query.layout === "grid" ? answersGrid(found, query) : scoresTable(found, query);
  table.append(...found.rows.slice(0, rowsAtOnce).map(body));
  const pages = found.total > casesPerPage ? pager(found, query) : null;
  const note = found.has_texts
    ? null
    : make("p", { class: "small soft" }, "This file has no texts. The page of the run (.html) or its store has them.");
  const scroll = make("div", { class: "cases card scroll", tabindex: 0, role: "group", "aria-label": "Cases" }, table);
  list.replaceChildren(...[note, pages, scroll].filter((part) => part !== null));
  if (found.rows.length > rowsAtOnce) {
    await painted();
    if (table.isConnected) table.append(...found.rows.slice(rowsAtOnce).map(body));
  }
};
