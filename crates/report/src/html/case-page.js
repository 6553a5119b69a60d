// One case: what all answers share, and each answer with what every metric said about it and why.
import { breakable, cellOf, count, hide, idleOf, make, panelOf, short, textsOf } from "./case.js";
import { casesPerPage, outputName, rememberCase } from "./case-list.js";
import { difference } from "./difference.js";
import { isMarkdown, rendered } from "./markdown.js";
import {
  button,
  checkMenu,
  copy,
  currentAddress,
  goTo,
  link,
  linkTo,
  money,
  quoted,
  setTrail,
  show,
  tableCard,
  withCondition,
  withDots,
} from "./page.js";
import { fetchJson, source } from "./source.js";

/**
 * @typedef {import("./contract").PageMetric} Metric
 * @typedef {import("./page.js").Query} Query
 * @typedef {import("./case.js").Shown} Shown
 * @typedef {import("./contract").OutputDetail} Answer
 * @typedef {import("./contract").CaseDetail} CaseDetail
 */

/** @param {Answer} output @param {number} at */
const answerName = (output, at) => outputName(output) || (at ? `answer ${at + 1}` : "answer");

/** @param {Shown} a @param {Shown} b */
const isSameText = (a, b) => a.field === b.field && a.index === b.index && a.path === b.path && a.text === b.text;
/**
 * Fields that are the same for all answers. An answer is shown with its own card, even if another one says the same; messages are
 * shared as a whole or not at all, so that no conversation is torn apart.
 * @param {Answer[]} outputs
 */
const sharedFields = (outputs) => {
  if (outputs.length < 2) return new Set();
  const textsOfField = (/** @type {Answer} */ output, /** @type {string} */ field) =>
    output.record.texts.filter((text) => text.field === field);
  const fields = new Set(outputs.flatMap(({ record }) => record.texts.map(({ field }) => field)));
  fields.delete("response");
  const isShared = (/** @type {string} */ field) => {
    const first = textsOfField(outputs[0], field);
    return outputs.every((output) => {
      const own = textsOfField(output, field);
      return own.length === first.length && own.every((text, at) => isSameText(text, first[at]));
    });
  };
  return new Set([...fields].filter(isShared));
};

/** @param {Answer} output */
const answerFacts = (output) => {
  const status =
    output.status === "scored"
      ? ""
      : make("span", { class: `tag ${output.status === "not_applicable" ? "" : "bad"}` }, output.status);
  return withDots([
    status,
    output.cost_usd ? money(output.cost_usd) : "",
    output.latency_ms ? `${count(output.latency_ms)} ms` : "",
    output.input_tokens ? `${count(output.input_tokens)} tokens in` : "",
    output.output_tokens ? `${count(output.output_tokens)} out` : "",
    output.attempts && output.attempts > 1 ? `${output.attempts} attempts` : "",
  ]);
};
/** @param {Answer} output */
const responseText = (output) => (output.record.texts.find(({ field }) => field === "response") || { text: "" }).text;

/** The answer as Markdown, where it is some: made when somebody opens it. @param {Answer} output */
const renderedFold = (output) => {
  const text = responseText(output);
  if (!isMarkdown(text)) return [];
  const fold = make("details", { class: "as-markdown" }, make("summary", {}, "As Markdown"));
  fold.addEventListener("toggle", () => fold.childElementCount > 1 || fold.append(rendered(text)));
  return [fold];
};

/** All scores of all answers. @param {Metric[]} metrics @param {Answer[]} outputs */
const scoresMatrix = (metrics, outputs) => {
  if (outputs.length < 2) return null;
  const heads = outputs.map((output, at) =>
    make("th", { scope: "col", class: "right" }, make("bdi", {}, answerName(output, at))),
  );
  const rows = metrics.map((metric, at) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, breakable(metric.name)),
      outputs.map((output) => cellOf(metrics, output.entry, at)),
    ),
  );
  return tableCard("cases", "Scores of all answers", [make("th", { scope: "col" }, "Metric"), heads], rows);
};

// Metrics whose evidence is not marked in the texts.
/** @type {Set<string>} */
const unmarked = new Set();
const kindsOfMarks = [
  ["good", "supports it"],
  ["bad", "counts against it"],
  ["compared", "compared or unverified"],
  ["support", "compared with"],
  ["note", "note"],
];
/** What the marks mean, and whose are seen. @param {Metric[]} metrics @param {() => void} redraw @param {boolean} isOpen */
const marksMenu = (metrics, redraw, isOpen) => {
  const boxes = metrics.map(({ name }) => ({ name, isChecked: !unmarked.has(name) }));
  /** @param {string} name @param {boolean} isChecked */
  const choose = (name, isChecked) => {
    if (isChecked) unmarked.delete(name);
    else unmarked.add(name);
    redraw();
    const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".menu input"));
    [...inputs].find(({ value }) => value === name)?.focus();
  };
  const legend = kindsOfMarks.map(([kind, words]) => make("span", {}, make("mark", { class: kind }, words)));
  return checkMenu("Marks", boxes, choose, legend, isOpen);
};

/** @param {Query} query */
export const showCase = async (query) => {
  const found = /** @type {CaseDetail} */ (
    await fetchJson("case", { run: query.run, at: query.at, id: query.id, n: query.n, q: query.q, sort: query.sort })
  );
  rememberCase(query.run || "", found.at);
  hide(found.settings.hidden);
  drawCase(found, query, false);
};
/** @param {CaseDetail} found @param {Query} query @param {boolean} isMenuOpen */
const drawCase = (found, query, isMenuOpen) => {
  const { hidden } = currentAddress();
  const { metrics } = found.settings;
  const { outputs } = found;
  const list = { run: query.run, q: query.q, sort: query.sort, layout: query.layout, hide: hidden };
  const from = found.number ? Math.floor((found.number - 1) / casesPerPage) * casesPerPage || undefined : undefined;
  const toList = link(linkTo("cases", { ...list, from }), make("bdi", {}, short(found.run.name, 60)));
  toList.id = "to-list";
  const here = make("span", { "aria-current": "page" }, make("bdi", {}, short(found.id, 60)));
  setTrail(...(source.home ? [source.home()] : []), toList, here);
  const isMarked = (/** @type {number} */ at) => !unmarked.has(metrics[at].name);
  const shared = sharedFields(outputs);
  const whole = make("div", { class: "whole" });
  const sharedPlace = make("div", { class: "shared" });
  let active = -1;
  /** Marks in what all share are those of one answer. @param {number} at */
  const activate = (at) => {
    if (active === at || outputs.length < 2) return;
    active = at;
    const { entry, record } = outputs[at];
    const texts = record.texts.filter(({ field }) => shared.has(field));
    sharedPlace.replaceChildren(
      textsOf(metrics, { ...entry, tags: undefined }, { ...record, texts, asked: undefined }, isMarked),
    );
    const marks = sharedPlace.querySelectorAll("mark").length;
    const words = `marked: the evidence for the scores of ${answerName(outputs[at], at)}`;
    if (marks) sharedPlace.append(make("p", { class: "small soft" }, words));
    for (const card of whole.querySelectorAll(".output")) {
      card.classList.toggle("active", Number(/** @type {HTMLElement} */ (card).dataset.at) === at);
    }
  };
  const baseline = query.diff === undefined ? -1 : Number(query.diff);
  const cards = outputs.map((output, at) => {
    const { entry, record } = output;
    const { excuse } = entry;
    // Only traces have notes.
    const notes = (output.trace_notes || []).map((note) => make("p", { class: "small soft" }, make("bdi", {}, note)));
    const excused = excuse ? make("p", { class: "small soft" }, "expected to fail: ", make("bdi", {}, excuse)) : null;
    const own = { ...record, texts: record.texts.filter(({ field }) => !shared.has(field)) };
    const texts = textsOf(metrics, { ...entry, tags: undefined }, own, isMarked);
    if (outputs[baseline] && at !== baseline) {
      const said = texts.querySelector(".field.response .said");
      const words = difference(responseText(outputs[baseline]), responseText(output))[1];
      if (said) said.replaceChildren(...words);
    }
    texts.querySelector(".field.response")?.append(...renderedFold(output));
    const panels = metrics
      .map((_, metric) => panelOf(metrics, entry, record, metric))
      .filter((panel) => panel !== null);
    for (const panel of panels) {
      panel.tabIndex = 0;
      panel.setAttribute("role", "group");
      panel.setAttribute(
        "aria-label",
        `${metrics[Number(panel.dataset.metric)].name}: evidence is marked in the texts`,
      );
    }
    const facts = answerFacts(output);
    const head = make(
      "header",
      {},
      make("h2", {}, make("bdi", {}, answerName(output, at))),
      facts.length ? make("p", { class: "small soft" }, facts) : null,
    );
    return make(
      "article",
      { class: "output card", "data-at": at },
      outputs.length > 1 || facts.length ? head : make("h2", { class: "sr" }, answerName(output, at)),
      make("div", { class: "split" }, texts, make("div", {}, excused, notes, panels, idleOf(metrics, record))),
      source.callsFold?.({ run: query.run, at: found.at.join(","), sample: output.sample }),
    );
  });
  const sharedHead = outputs.length > 1 ? make("h2", { class: "sr" }, "What all answers share") : null;
  const top = make("div", { class: "top" }, sharedHead, sharedPlace, scoresMatrix(metrics, outputs));
  whole.append(top, make("div", { class: outputs.length > 1 ? "side-by-side" : "alone" }, cards));
  lightEvidence(whole, sharedPlace, activate);
  activate(0);
  const tags = (outputs[0]?.entry.tags || []).map((tag) => {
    const filter = withCondition(query.q, `tag:${quoted(tag)}`);
    return make(
      "a",
      { class: "tag", href: linkTo("cases", { run: query.run, q: filter }), title: "Cases with this tag" },
      tag,
    );
  });
  const title = make("h1", {}, make("bdi", {}, short(found.id, 200)));
  const tagList = tags.length ? make("p", { class: "labels" }, tags) : null;
  const head = make("div", { class: "case-head" }, title, neighbours(found, list));
  const marks = marksMenu(metrics, () => drawCase(found, query, true), isMenuOpen);
  const tools = make("div", { class: "tools case-tools" }, differenceTools(outputs, query, baseline), marks);
  show(found.id, [head, tagList, tools, whole, found.command ? terminalCommand(found.command) : null]);
};
/** Pointing at a score lights the places that it rests on. @param {HTMLElement} whole @param {HTMLElement} sharedPlace @param {(at: number) => void} activate */
const lightEvidence = (whole, sharedPlace, activate) => {
  /** @param {Event} event */
  const light = (event) => {
    const target = event.target instanceof Element ? event.target.closest(".panel[data-metric]") : null;
    const panel = /** @type {HTMLElement | null} */ (target);
    for (const element of whole.querySelectorAll(".on")) element.classList.remove("on");
    whole.classList.toggle("lit", Boolean(panel));
    const card = /** @type {HTMLElement | null} */ (panel && panel.closest(".output"));
    if (!panel || !card) return;
    activate(Number(card.dataset.at));
    panel.classList.add("on");
    for (const part of [sharedPlace, card]) {
      for (const mark of /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll("mark[data-of]"))) {
        const of = (mark.dataset.of || "").split(" ");
        mark.classList.toggle("on", of.includes(String(panel.dataset.metric)));
      }
    }
  };
  /** Shows the place of a piece of evidence. @param {Element | null} found */
  const goToPlace = (found) => {
    const piece = /** @type {HTMLElement | null} */ (found);
    const card = piece?.closest(".output");
    if (!piece || !card) return;
    const said = [sharedPlace, card].flatMap((part) => [
      .../** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll(".texts [data-text]")),
    ]);
    const text = said.find(({ dataset }) => dataset.text === piece.dataset.text);
    const fold = /** @type {HTMLDetailsElement | null | undefined} */ (text?.closest("details"));
    if (fold) fold.open = true;
    (text?.querySelector(`mark[data-from="${Number(piece.dataset.from)}"]`) || text)?.scrollIntoView({
      block: "center",
    });
  };
  whole.addEventListener("click", ({ target }) => {
    if (target instanceof Element && !target.closest("summary")) goToPlace(target.closest(".evidence li[data-from]"));
  });
  whole.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target instanceof Element && target.matches(".panel[data-metric]"))
      goToPlace(target.querySelector(".evidence li[data-from]"));
  });
  for (const kind of ["pointerover", "focusin"]) whole.addEventListener(kind, light);
  whole.addEventListener("pointerleave", light);
};
/** Which words differ between two answers. @param {Answer[]} outputs @param {Query} query @param {number} baseline */
const differenceTools = (outputs, query, baseline) => {
  if (outputs.length < 2) return null;
  const options = outputs.map((output, at) =>
    make("option", { value: at, selected: at === baseline }, `different from ${answerName(output, at)}`),
  );
  const select = /** @type {HTMLSelectElement} */ (
    make("select", { id: "difference" }, make("option", { value: "" }, "evidence"), options)
  );
  select.addEventListener("change", () => {
    goTo("case", { ...query, hide: currentAddress().hidden, diff: select.value === "" ? undefined : select.value });
  });
  return make("label", {}, "Mark in the answers ", select);
};
/** @param {CaseDetail} found @param {Record<string, any>} list */
const neighbours = (found, list) => {
  /** @param {string} words @param {[number, number] | null} at @param {string} key */
  const step = (words, at, key) => {
    if (!at) return make("span", { class: "none" }, words);
    const href = linkTo("case", { ...list, at: at.join(",") });
    return make("a", { href, class: "step-link", "data-key": key, rel: key === "j" ? "next" : "prev" }, words);
  };
  const place = found.number ? `${count(found.number)} of ${count(found.total)}` : "not in the list";
  return make(
    "nav",
    { class: "tools pager", "aria-label": "Previous and next case" },
    step("Previous", found.previous, "k"),
    make("span", {}, place),
    step("Next", found.next, "j"),
  );
};
/** @param {string} command */
const terminalCommand = (command) => {
  const tools = make(
    "div",
    { class: "tools" },
    make("code", {}, command),
    button("Copy", () => copy(command, "Command")),
  );
  return make("details", { class: "command" }, make("summary", {}, "The same in a terminal"), tools);
};
