// What every page of Probare shows of a case: its texts with their marks, what each metric said, and the evidence behind it.
// All text goes in as text, never as markup. The viewer loads this file as a module; a page that is one file holds it joined
// with the script of that page, so imports and exports stand on lines of their own.

/**
 * @typedef {{ name: string, summary: string, range: [number | null, number | null] }} Metric
 * @typedef {null | false | [number, number] | [number, number, string, string | null]} Cell
 * @typedef {{ id: string, values: Cell[], missed?: number[], excuse?: string, tags?: string[] }} Entry
 * @typedef {{ field: string, index?: number, path?: string, name: string, text: string, cut?: boolean, more?: number }} Shown
 * @typedef {{ line: { scores: Record<string, any> }, texts: Shown[], tones: any[], asked?: [string, string, boolean][] }} CaseRecord
 */

/**
 * @typedef {{ field?: string, index?: number, path?: string, start: number, end: number }} Place
 * @typedef {Place & { kind: string, text: string, note?: string, cut?: boolean, support?: Place }} Evidence
 * @typedef {{ found: string, lacking: string } | null} Tones
 * @typedef {{ start: number, end: number, class: string, note: string, of: number }} Mark
 */

const mostPieces = 50;

// What a reader would not see, or what would change what a reader sees, is shown by its code.
let hidden = /[^\s\S]/gu;
/** @param {[number, number][]} ranges */
export const hide = (ranges) => {
  const signs = ranges.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`);
  hidden = new RegExp(`[${signs.join("")}]`, "gu");
};
/** @param {(sign: string) => string} code @param {string} text */
export const withoutHidden = (text, code) => text.replace(hidden, code);
/** @param {any} text */
export const shown = (text) =>
  withoutHidden(String(text), (sign) => `\\u{${Number(sign.codePointAt(0)).toString(16)}}`);

/**
 * An element with text as text. Attributes that are absent or false are left out.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any}
 */
export const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, shown(value === true ? "" : value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== "")
      element.append(child instanceof Node ? child : shown(child));
  }
  return element;
};
/** @param {number} number */
export const count = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, number > 9999 ? "\u202f" : "");
/** @param {number} number @param {string} one @param {string} [many] */
export const amount = (number, one, many) => `${count(number)} ${number === 1 ? one : many || `${one}s`}`;
// Three decimals, as the reports round them: what lies in the middle goes to the even neighbour.
/** @param {number} number */
const threeDecimals = (number) => {
  const thousandths = number * 1000;
  const isMiddle = Number.isInteger(thousandths * 2) && !Number.isInteger(thousandths) && thousandths / 1000 === number;
  return isMiddle ? ((2 * Math.round(thousandths / 2)) / 1000).toFixed(3) : number.toFixed(3);
};
/** @param {number} number */
export const column = (number) => {
  const size = Math.abs(number);
  return number === 0 || (size >= 5e-4 && size < 1e6) ? threeDecimals(number) : number.toExponential(2);
};
/** @param {number} number */
export const rounded = (number) => {
  const size = Math.abs(number);
  if (number === 0) return "0";
  return size >= 1e-3 && size < 1e7 ? String(Number(number.toFixed(4))) : number.toExponential(3);
};
// A long name may be cut behind an underscore.
/** @param {string} name @returns {any[]} */
export const breakable = (name) => {
  const pieces = name.split(/(?<=_)/);
  return pieces.flatMap((piece, at) =>
    at > 0 && pieces.slice(0, at).join("").length > 5 ? [make("wbr"), piece] : [piece],
  );
};

// One value in the row of a case.
/** @param {Metric} metric @param {number} value @param {number} step */
export const meter = (metric, value, step) => {
  const [low, high] = metric.range;
  if (low === null || high === null || !(high > low)) return null;
  const bar = make("i", { class: `s${step}` });
  bar.style.width = `${(Math.min(Math.max((value - low) / (high - low), 0), 1) * 100).toFixed(1)}%`;
  return make("span", { class: `meter s${step}`, "aria-hidden": "true" }, bar);
};
/** A value and its label, which leads to the cases that have it where an address is given. @param {Exclude<Cell, null | false>} cell @param {boolean} fails @param {string} [href] */
export const valueOf = (cell, fails, href) => {
  const [value, , label, tone] = cell;
  const title = href ? "Only cases with this label" : null;
  const labelled = make(href ? "a" : "span", { class: tone ? `tag ${tone}` : "label", href, title }, label);
  // A metric of the user's own may give a label alone.
  if (value === null) return [labelled];
  const hint = fails ? "fails a limit" : null;
  if (tone) {
    // A verdict is a word; the number behind it is there for who points at it.
    return [
      make("span", { class: `value${fails ? " missed" : ""}`, title: hint || `value ${rounded(value)}` }, labelled),
    ];
  }
  const number = make("span", { class: `value${fails ? " missed" : ""}`, title: hint }, column(value));
  return label ? [number, labelled] : [number];
};
/** @param {Metric[]} metrics @param {Entry} entry @param {number} at @param {(name: string, label: string) => string} [toLabel] */
export const cellOf = (metrics, entry, at, toLabel) => {
  const cell = entry.values[at];
  if (cell === null || cell === undefined)
    return make("td", {}, make("span", { class: "value none", title: "not applicable" }, "n/a"));
  if (cell === false) return make("td", { class: "right" }, make("span", { class: "tag bad" }, "failed"));
  const fails = (entry.missed || []).includes(at);
  const href = cell[2] ? toLabel?.(metrics[at].name, cell[2]) : undefined;
  return make("td", {}, valueOf(cell, fails, href), cell[0] === null ? null : meter(metrics[at], cell[0], cell[1]));
};

// A text with its marks: cut where any of them starts or ends.
const encoder = new TextEncoder();
// A mark of byte order within a text is a sign like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** @param {string} text @param {Mark[]} marks @returns {any[]} */
export const highlighted = (text, marks) => {
  if (!marks.length) return [shown(text)];
  const bytes = encoder.encode(text);
  const spans = marks
    .map((mark) => ({ ...mark, end: Math.min(mark.end, bytes.length) }))
    .filter((mark) => mark.start < mark.end);
  const edges = [...new Set([0, bytes.length, ...spans.flatMap((mark) => [mark.start, mark.end])])].sort(
    (a, b) => a - b,
  );
  const pieces = [];
  for (let at = 0; at + 1 < edges.length; at += 1) {
    const words = decoder.decode(bytes.subarray(edges[at], edges[at + 1]));
    const active = spans.filter((mark) => mark.start <= edges[at] && mark.end >= edges[at + 1]);
    if (!active.length) {
      pieces.push(shown(words));
      continue;
    }
    const classes = [...new Set(active.map((mark) => mark.class))];
    const notes = [...new Set(active.map((mark) => mark.note))];
    if (notes.length > 4) notes.splice(4, notes.length, `and ${notes.length - 4} more`);
    if (classes.length > 1) classes.push("several");
    const of = [...new Set(active.map((mark) => mark.of))].join(" ");
    const attributes = { class: classes.join(" "), title: notes.join("\n"), "data-of": of, "data-from": edges[at] };
    pieces.push(make("mark", attributes, words));
  }
  return pieces;
};

/** @param {Evidence} piece @param {Tones} tones */
const toneOf = ({ kind, field }, tones) => {
  // What a metric found in the question is what it goes by, and no fault of the answer.
  if (kind === "matched" && field === "query") return tones && tones.found === "good" ? "good" : "plain";
  if (kind === "matched") return tones ? tones.found : "plain";
  if (kind === "missing" || kind === "unsupported" || kind === "contradicted") return tones ? tones.lacking : "bad";
  return kind === "unverified" ? "compared" : kind;
};
/** @param {string} text @param {number} most */
export const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
/** @param {Metric[]} metrics @param {CaseRecord} record @param {Shown} text @param {(at: number) => boolean} isMarked */
export const marksOf = (metrics, record, text, isMarked) => {
  /** @type {Mark[]} */
  const marks = [];
  const here = (/** @type {Place | undefined} */ where) =>
    where &&
    where.field === text.field &&
    (where.index || 0) === (text.index || 0) &&
    (where.path || null) === (text.path || null);
  metrics.forEach((metric, at) => {
    if (!isMarked(at)) return;
    const told = record.line.scores[metric.name];
    for (const piece of /** @type {Evidence[]} */ ((told && told.evidence) || [])) {
      const note = piece.note ? `: ${short(piece.note, 160)}` : "";
      if (here(piece))
        marks.push({
          start: piece.start,
          end: piece.end,
          class: toneOf(piece, record.tones[at]),
          note: `${metric.name}: ${piece.kind}${note}`,
          of: at,
        });
      const { support } = piece;
      if (support && here(support))
        marks.push({
          start: support.start,
          end: support.end,
          class: "support",
          note: `${metric.name}: compared with “${short(piece.text, 80)}”`,
          of: at,
        });
    }
  });
  return marks;
};
/** Names a text of a case. @param {{ field?: string, index?: number, path?: string }} place */
const textName = ({ field, index, path }) => `${field} ${index || 0} ${path || ""}`;
/** @param {Metric[]} metrics @param {CaseRecord} record @param {Shown} text @param {(at: number) => boolean} isMarked @param {boolean} [isPart] of a line */
const saidOf = (metrics, record, text, isMarked, isPart) => {
  const marks = marksOf(metrics, record, text, isMarked);
  const attributes = { class: isPart ? "part" : "said", dir: "auto", "data-text": textName(text) };
  const said = make(isPart ? "span" : "div", attributes);
  if (text.text) said.append(...highlighted(text.text, marks), text.cut ? " […]" : "");
  else said.append(make("span", { class: "none" }, "empty"));
  return { said, marks: marks.length };
};
/** @param {Shown} text */
const moreOf = (text) => (text.more ? make("p", { class: "small soft" }, `${count(text.more)} more not shown`) : "");
/**
 * One text that stands alone, or one item of a list, which can be folded.
 * @param {Metric[]} metrics @param {CaseRecord} record @param {Shown} text @param {(at: number) => boolean} isMarked
 */
export const fieldOf = (metrics, record, text, isMarked) => {
  const { said, marks } = saidOf(metrics, record, text, isMarked);
  if (text.index === undefined) return make("div", { class: `field ${text.field}` }, make("h3", {}, text.name), said);
  const words = marks ? `${text.name} · ${marks} marked` : text.name;
  return make(
    "details",
    { class: "field", open: marks > 0 || text.field !== "context" },
    make("summary", {}, words),
    said,
  );
};
const callPattern = /^((?:\/tool_calls\/\d+)?)\/(?:name|arguments(?:\/(.*))?)$/;
// What is said and done in one step, one behind the other, a call in one line: folded unless a metric points into it or it is short.
/** @param {Metric[]} metrics @param {CaseRecord} record @param {Shown[]} pieces @param {(at: number) => boolean} isMarked */
const stepOf = (metrics, record, pieces, isMarked) => {
  const made = pieces.map((text) => {
    const call = callPattern.exec(text.path || "");
    return { text, call, ...saidOf(metrics, record, text, isMarked, call !== null) };
  });
  const marks = made.reduce((sum, piece) => sum + piece.marks, 0);
  const size = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  const first = pieces[0];
  const opening = first.text.replace(/\s+/g, " ").trim();
  const words = [
    make("b", {}, first.name),
    marks ? ` · ${marks} marked` : "",
    make("span", { class: "opening" }, make("bdi", {}, short(opening, 90))),
  ];
  const rest = [];
  for (let at = 0; at < made.length; at += 1) {
    const { text, call, said } = made[at];
    const isName = call && text.path?.endsWith("/name");
    if (!isName) {
      rest.push(at && !call ? make("p", { class: "small soft part-name" }, text.name) : "", said, moreOf(text));
      continue;
    }
    const given = [];
    while (made[at + 1]?.call?.[1] === call[1] && !made[at + 1].text.path?.endsWith("/name")) {
      at += 1;
      const name = made[at].call?.[2];
      given.push(given.length ? ", " : "", name ? `${name}: ` : "", made[at].said, moreOf(made[at].text));
    }
    rest.push(make("div", { class: "said call" }, said, "(", given, ")"));
  }
  return make("details", { class: "field step", open: marks > 0 || size <= 280 }, make("summary", {}, words), rest);
};
/** @param {Metric[]} metrics @param {Entry} entry @param {CaseRecord} record @param {(at: number) => boolean} isMarked */
export const textsOf = (metrics, entry, record, isMarked) => {
  const texts = make("div", { class: "texts" });
  for (let at = 0; at < record.texts.length;) {
    const text = record.texts[at];
    const isStep = text.path !== undefined && text.index !== undefined;
    let end = at + 1;
    while (
      isStep &&
      end < record.texts.length &&
      record.texts[end].field === text.field &&
      record.texts[end].index === text.index
    )
      end += 1;
    if (isStep) texts.append(stepOf(metrics, record, record.texts.slice(at, end), isMarked));
    else texts.append(fieldOf(metrics, record, text, isMarked), moreOf(text));
    at = end;
  }
  if (record.asked) {
    const asked = record.asked.map(([role, text, cut]) => [
      make("p", { class: "small soft part-name" }, role),
      make("div", { class: "said", dir: "auto" }, ...highlighted(text, []), cut ? " […]" : ""),
    ]);
    texts.append(
      make(
        "details",
        { class: "field" },
        make("summary", {}, `What the model was asked · ${record.asked.length} messages`),
        ...asked.flat(),
      ),
    );
  }
  if (entry.tags)
    texts.append(
      make(
        "div",
        { class: "field" },
        entry.tags.flatMap((name) => [make("span", { class: "tag" }, name), " "]),
      ),
    );
  return texts;
};

// What the metrics say about a case.
/** @param {Record<string, number>} parts */
const partsOf = (parts) => {
  const rows = [];
  const line = [];
  for (const [name, value] of Object.entries(parts)) {
    const weight = parts[`${name}_weight`];
    if (weight !== undefined) {
      rows.push(
        make(
          "tr",
          {},
          make("th", { scope: "row" }, name),
          make("td", {}, column(value)),
          make("td", {}, rounded(weight)),
          make("td", {}, column(value * weight)),
        ),
      );
    } else if (!(name.endsWith("_weight") && parts[name.slice(0, -7)] !== undefined))
      line.push(`${name}\u00a0${rounded(value)}`);
  }
  const heads = ["Part", "Value", "Weight", "Adds"].map((words) => make("th", { scope: "col" }, words));
  return [
    rows.length
      ? make("table", { class: "weighted" }, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows))
      : null,
    line.length ? make("p", { class: "parts" }, line.join(" · ")) : null,
  ];
};
/** @param {Place} place */
const where = (place) => {
  const item = `${place.index === undefined ? "" : ` ${place.index + 1}`}${place.path ? ` ${place.path}` : ""}`;
  return make("span", { class: "place" }, `${place.field}${item}, ${place.start}–${place.end}`);
};
// Places of the same evidence that are named.
const mostPlaces = 6;
/** Evidence that was found once or several times. @param {Evidence[]} pieces @param {Tones} tones */
const pieceOf = (pieces, tones) => {
  const [piece] = pieces;
  const isPlaced = piece.field !== undefined;
  const place = isPlaced ? { "data-text": textName(piece), "data-from": piece.start } : {};
  const line = make(
    "li",
    { class: `${toneOf(piece, tones)} ${piece.kind}`, ...place },
    make("span", { class: "kind" }, piece.kind),
    pieces.length > 1 ? [" ", make("span", { class: "times" }, `${pieces.length} times`)] : null,
    " ",
  );
  // A remark is our own words; what stands in a text, or should, is quoted.
  const quoted = piece.kind !== "note" || piece.field !== undefined;
  const words = short(piece.text, 600) + (piece.cut ? " […]" : "");
  if (piece.text) line.append(make("bdi", {}, quoted ? `“${words}”` : words), " ");
  const remarks = [];
  if (piece.note) remarks.push(make("bdi", {}, short(piece.note, 600)));
  if (isPlaced) remarks.push(...pieces.slice(0, mostPlaces).map(where));
  if (isPlaced && pieces.length > mostPlaces) remarks.push(`and ${count(pieces.length - mostPlaces)} more`);
  if (piece.support) remarks.push(make("span", {}, "compared with ", where(piece.support)));
  if (remarks.length)
    line.append(
      make(
        "span",
        { class: "remark" },
        remarks.flatMap((remark, at) => (at ? [" · ", remark] : [remark])),
      ),
    );
  return line;
};
/** The same evidence in several places is one piece. @param {Evidence[]} evidence */
const groupedEvidence = (evidence) => {
  /** @type {Map<string, Evidence[]>} */
  const groups = new Map();
  for (const piece of evidence) {
    const { kind, field, text, note, support } = piece;
    const key = JSON.stringify([kind, field, text, note, support]);
    const same = groups.get(key);
    if (same) same.push(piece);
    else groups.set(key, [piece]);
  }
  return [...groups.values()];
};
/** @param {Metric[]} metrics @param {Entry} entry @param {CaseRecord} record @param {number} at */
export const panelOf = (metrics, entry, record, at) => {
  const metric = metrics[at];
  const told = record.line.scores[metric.name];
  if (!told) return null;
  const panel = make("section", { class: "panel", "data-metric": at });
  const headed = (/** @type {any[]} */ ...right) =>
    panel.append(make("div", { class: "panel-head" }, make("h3", {}, breakable(metric.name)), make("span", {}, right)));
  if (told.error !== undefined) {
    headed(make("span", { class: "tag bad" }, "failed"));
    panel.append(make("p", { class: "small" }, make("bdi", {}, short(told.error, 600))));
  } else if (told.not_applicable !== undefined) {
    return null;
  } else {
    /** @type {any} */
    const cell = entry.values[at] || [told.value, 0];
    const label = told.label === undefined ? null : make("span", { class: `tag ${cell[3] || ""}` }, told.label);
    const fails = (entry.missed || []).includes(at);
    // A metric of one's own may give a label and no value.
    const value = { class: `value${fails ? " missed" : ""}`, title: fails ? "fails a limit" : null };
    headed(typeof told.value === "number" ? make("span", value, column(told.value)) : null, " ", label);
    panel.append(...partsOf(told.parts || {}).filter((part) => part !== null));
    const evidence = told.evidence || [];
    if (evidence.length) {
      // Many remarks, such as the counts of every length of an n-gram, stand folded behind what is found in the texts.
      const isRemark = (/** @type {Evidence} */ piece) => piece.kind === "note" && piece.field === undefined;
      const isFolded = evidence.filter(isRemark).length > 3;
      const item = (/** @type {Evidence[]} */ pieces) => pieceOf(pieces, record.tones[at]);
      const groups = groupedEvidence(evidence);
      const shownPieces = groups.slice(0, mostPieces);
      const seen = isFolded ? shownPieces.filter(([piece]) => !isRemark(piece)) : shownPieces;
      const list = make("ul", { class: "evidence" }, seen.map(item));
      if (isFolded) {
        const remarks = shownPieces.filter(([piece]) => isRemark(piece));
        const words = make("summary", {}, amount(remarks.length, "note"));
        list.append(make("li", {}, make("details", {}, words, make("ul", { class: "evidence" }, remarks.map(item)))));
      }
      if (groups.length > mostPieces)
        list.append(make("li", { class: "soft" }, `and ${count(groups.length - mostPieces)} more`));
      panel.append(list);
    }
  }
  return panel;
};
// Metrics that do not apply, by the reason.
/** @param {Metric[]} metrics @param {CaseRecord} record */
export const idleOf = (metrics, record) => {
  const reasons = new Map();
  for (const { name } of metrics) {
    const told = record.line.scores[name];
    if (told && told.not_applicable !== undefined)
      reasons.set(told.not_applicable, [...(reasons.get(told.not_applicable) || []), name]);
  }
  if (!reasons.size) return null;
  const lines = [...reasons].map(([reason, names]) =>
    make(
      "p",
      { class: "small soft" },
      names.flatMap((/** @type {string} */ name, /** @type {number} */ at) => [at ? ", " : "", ...breakable(name)]),
      ": ",
      make("bdi", {}, short(reason, 600)),
    ),
  );
  return make(
    "section",
    { class: "panel" },
    make("div", { class: "panel-head" }, make("h3", {}, "Not applicable")),
    lines,
  );
};
