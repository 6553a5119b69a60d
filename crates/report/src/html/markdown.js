// Markdown as its reader sees it: headings, lists, tables, code and emphasis. All text goes in as text, and an address stays words.
import { make } from "./case.js";

const deepest = 8;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\S.*)$/;
const fence = /^\s{0,3}(`{3,}|~{3,})/;
const heading = /^\s{0,3}#{1,6}\s+(\S.*)$/;
const rule = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a text has something that looks otherwise once it is rendered. @param {string} text */
export const isMarkdown = (text) =>
  text.split("\n").some((line) => [item, fence, heading].some((pattern) => pattern.test(line))) ||
  /\*\*[^*\n]+\*\*|`[^`\n]+`/.test(text);

const inlinePattern =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![*\w])\*([^*\s][^*\n]*)\*(?![*\w])|!?\[([^[\]\n]*)\]\(([^()\n]*)\)/g;
/** Code, emphasis and the words of links within a line. @param {string} text @returns {any[]} */
const inline = (text) => {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(inlinePattern)) {
    const [whole, code, strong, emphasis, words, address] = found;
    parts.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (code) parts.push(make("code", {}, code));
    else if (strong) parts.push(make("strong", {}, strong));
    else if (emphasis) parts.push(make("em", {}, emphasis));
    else parts.push(words, make("span", { class: "soft" }, ` (${address})`));
  }
  return [...parts, text.slice(end)];
};

/** @param {string} line */
const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
/** @param {string[]} lines a head, the rule below it, and rows */
const table = ([head, , ...rows]) =>
  make(
    "table",
    {},
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        cells(head).map((cell) => make("th", { scope: "col" }, inline(cell))),
      ),
    ),
    make(
      "tbody",
      {},
      rows.map((row) =>
        make(
          "tr",
          {},
          cells(row).map((cell) => make("td", {}, inline(cell))),
        ),
      ),
    ),
  );

/** @param {string[]} lines the lines of a list @param {number} depth */
const list = (lines, depth) => {
  const [, indent, sign] = item.exec(lines[0]) || ["", "", "-"];
  /** @type {string[][]} */
  const items = [];
  for (const line of lines) {
    const found = item.exec(line);
    if (found && found[1].length <= indent.length) items.push([found[3]]);
    else items.at(-1)?.push(line.replace(new RegExp(`^\\s{0,${indent.length + sign.length + 1}}`), ""));
  }
  const start = /\d/.test(sign) ? Number.parseInt(sign, 10) : null;
  const points = items.map((own) => make("li", {}, blocks(own, depth + 1)));
  return make(start === null ? "ul" : "ol", { start: start === 1 ? null : start }, points);
};

/** The lines from here on for which this holds. @param {string[]} lines @param {number} from @param {(line: string, at: number) => boolean} holds */
const run = (lines, from, holds) => {
  let end = from + 1;
  while (end < lines.length && holds(lines[end], end)) end += 1;
  return end;
};
/** @param {string[]} lines @param {number} depth @returns {any[]} */
const blocks = (lines, depth) => {
  if (depth > deepest) return [lines.join("\n")];
  const isItem = (/** @type {string} */ line) => item.test(line) && !rule.test(line);
  const isTable = (/** @type {number} */ at) => lines[at].includes("|") && tableRule.test(lines[at + 1] || "");
  const starts = (/** @type {string} */ line, /** @type {number} */ at) =>
    !line.trim() ||
    line.startsWith(">") ||
    [fence, heading, rule].some((one) => one.test(line)) ||
    isItem(line) ||
    isTable(at);
  const made = [];
  for (let at = 0; at < lines.length;) {
    const from = at;
    const [line, open] = [lines[at], fence.exec(lines[at])];
    at += 1;
    if (!line.trim()) continue;
    if (open) {
      at = run(lines, from, (one) => !one.trim().startsWith(open[1]));
      made.push(make("pre", { tabindex: 0 }, make("code", {}, lines.slice(from + 1, at).join("\n"))));
      at += 1;
    } else if (heading.test(line)) {
      made.push(make("p", { class: "heading" }, inline((heading.exec(line) || [])[1])));
    } else if (rule.test(line)) {
      made.push(make("hr"));
    } else if (isTable(from)) {
      at = run(lines, from, (one) => one.includes("|"));
      made.push(table(lines.slice(from, at)));
    } else if (line.startsWith(">")) {
      at = run(lines, from, (one) => one.startsWith(">"));
      const quoted = lines.slice(from, at).map((one) => one.replace(/^>\s?/, ""));
      made.push(make("blockquote", {}, blocks(quoted, depth + 1)));
    } else if (isItem(line)) {
      const [indent, isNumbered] = [/^\s*/.exec(line)?.[0].length || 0, /^\s*\d/.test(line)];
      const isInside = (/** @type {string} */ one) =>
        item.test(one)
          ? /^\s*/.exec(one)?.[0].length !== indent || /^\s*\d/.test(one) === isNumbered
          : /^\s+\S/.test(one);
      const belongs = (/** @type {string} */ one, /** @type {number} */ place) =>
        isInside(one) || (!one.trim() && place + 1 < lines.length && isInside(lines[place + 1]));
      at = run(lines, from, belongs);
      made.push(list(lines.slice(from, at), depth));
    } else {
      at = run(lines, from, (one, place) => !starts(one, place));
      made.push(make("p", {}, inline(lines.slice(from, at).join(" "))));
    }
  }
  return made;
};
/** @param {string} text */
export const rendered = (text) => make("div", { class: "rendered", dir: "auto" }, blocks(text.split(/\r?\n/), 0));
