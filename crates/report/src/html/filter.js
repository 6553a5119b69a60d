// The line that says which cases are meant, for a page that is one file. For a server `CaseFilter` of the store reads the same line.
import { RequestError } from "./source.js";

/**
 * @typedef {import("./case.js").Metric} Metric
 * @typedef {import("./embedded.js").Item} Item
 * @typedef {import("./embedded.js").Group} Group
 * @typedef {(output: Item, group: Group) => boolean} Predicate
 * @typedef {{ metrics: Metric[], statuses: string[], hasWords: (output: Item, words: string) => boolean,
 *   errorKinds: (output: Item) => string[] }} Lookup
 * @typedef {{ at: number, written: string, name: string, sign: string, rest: string }} Token
 */

const quotation = String.raw`"(?:[^"\\]|\\[^])*"`;
const blank = String.raw`[^\S\ufeff]*`;
// A parenthesis within a word belongs to it: f(x).
const namePattern = String.raw`(?:${quotation}|\([^\s()"]*\)|[^\s"()<>=:~!]|\ufeff|!(?!=))`;
const restPattern = String.raw`(?:${quotation}|\([^\s()"]*\)|[^\s"()]|\ufeff)`;
const tokenPattern = String.raw`(-?\(|\))|(${namePattern}*)(?:${blank}(<=|>=|!=|[<>=:~])${blank}(${restPattern}*))?`;

/** @param {number} at @param {string} word @param {string} reason */
const refusal = (at, word, reason) => new RequestError(422, `\`${word}\` at ${at}: ${reason}`);
/** @param {string} text */
const unquoted = (text) => text.replace(/"((?:[^"\\]|\\[^])*)"/g, (_, inside) => inside.replace(/\\(["\\])/g, "$1"));
/** @param {string} line @returns {Token[]} */
const cut = (line) => {
  const tokens = [];
  const pattern = new RegExp(`${blank}(?:${tokenPattern})`, "y");
  const end = line.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const [whole, parenthesis, name = "", sign = "", rest = ""] = pattern.exec(line) || [""];
    const written = whole.trim();
    const at = [...line.slice(0, from + whole.length - whole.trimStart().length)].length + 1;
    if (!written) throw refusal(at, line.slice(from).trim(), "a quotation mark is not closed");
    if (parenthesis === "-(") tokens.push({ at, written: "NOT", name: "", sign, rest });
    if (parenthesis) tokens.push({ at, written: parenthesis.slice(-1), name: "", sign, rest });
    else tokens.push({ at, written, name: unquoted(name), sign, rest: unquoted(rest) });
  }
  return tokens;
};

/** @type {Record<string, (a: number, b: number) => boolean>} */
const comparisons = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};
/** The value of a metric, where the output has one. @param {Item} output @param {number} metric */
export const valueAt = (output, metric) => {
  const cell = output.entry.values[metric];
  return Array.isArray(cell) ? cell[0] : null;
};
/** Whether outputs of a case lie on both sides of the middle of a metric, or have different labels. @param {Metric} metric @param {number} at @param {Group} group */
const isFlipped = ({ range: [low, high] }, at, group) => {
  const values = group.outputs.map((output) => valueAt(output, at)).filter((value) => value !== null);
  const middle = low !== null && high !== null ? (low + high) / 2 : NaN;
  const cells = group.outputs.map(({ entry }) => entry.values[at]);
  const labels = cells.flatMap((cell) => (cell && cell[0] !== null && cell[2] ? [cell[2]] : []));
  const isOnBothSides = values.some((value) => value < middle) && values.some((value) => value >= middle);
  return isOnBothSides || new Set(labels).size > 1;
};
/** @param {string | null} text @param {string} words */
export const has = (text, words) => (text || "").toLowerCase().includes(words.toLowerCase());
/** What words may be compared with: the signs, and what then is true of a case. @type {Record<string, [string, (rest: string, sign: string, lookup: Lookup) => Predicate]>} */
const fields = {
  id: [
    ":=~",
    (rest, sign) =>
      ({ entry: { id } }) =>
        sign === "~" ? has(id, rest) : id === rest,
  ],
  model: [
    ":=~",
    (rest) => (output) => (output.model ? has(output.model, rest) || has(output.answered_by, rest) : rest === "none"),
  ],
  prompt: [":=~", (rest) => (output) => has(output.prompt, rest)],
  status: [":=", (rest, _, lookup) => (output) => output.status === rest || lookup.errorKinds(output).includes(rest)],
  tag: [
    ":=",
    (rest) => (output) =>
      (output.entry.tags || []).some(
        (tag) => tag === rest || (/[:=]/.test(tag.at(-rest.length - 1) || "") && tag.endsWith(rest)),
      ),
  ],
  text: ["~:", (rest, _, lookup) => (output) => lookup.hasWords(output, rest)],
};
const unknown = ["cost", "latency", "tokens", "dataset"];

/** @param {Token} token @param {Lookup} lookup @returns {Predicate} */
const conditionOf = ({ at, written, name, sign, rest }, lookup) => {
  const { metrics, statuses } = lookup;
  const refused = (/** @type {string} */ reason) => refusal(at, written, reason);
  const indexOf = (/** @type {string} */ wanted) => metrics.findIndex((metric) => metric.name === wanted);
  if (name.startsWith("-") && !written.startsWith('"') && indexOf(name) < 0) {
    const part = conditionOf({ at, written, name: name.slice(1), sign, rest }, lookup);
    return (output, group) => !part(output, group);
  }
  const metric = indexOf(name);
  if (metric >= 0 && sign === ":") return ({ entry }) => (entry.values[metric] || [])[2] === rest;
  if (metric >= 0 || name === "repeat") {
    if (!comparisons[sign]) throw refused(`write ${name} with < <= > >= = or != and a number`);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(rest)) throw refused(`\`${rest}\` is not a number`);
    return (output) => {
      const value = metric < 0 ? output.repeat : valueAt(output, metric);
      return value !== null && comparisons[sign](value, Number(rest));
    };
  }
  if (name === "flipped") {
    if (sign && indexOf(rest) < 0) throw refused(`\`${rest}\` is not a metric of this run`);
    return (_, group) => metrics.some((one, at) => (!sign || one.name === rest) && isFlipped(one, at, group));
  }
  if (unknown.includes(name)) throw refused("a page that is one file does not know it; `probare view` of the run does");
  if (Object.hasOwn(fields, name)) {
    const [allowed, make] = fields[name];
    if (!sign || !allowed.includes(sign)) throw refused(`write ${name}${allowed[0]}WORDS`);
    if (!rest) throw refused("no words are given");
    if (name === "status" && !statuses.includes(rest)) throw refused(`a status is one of ${statuses.join(", ")}`);
    return make(rest, sign, lookup);
  }
  const known = [...Object.keys(fields), "flipped", "repeat"].join(", ");
  if (sign) throw refused(`there is nothing called \`${name}\`; known are the metrics of the run and ${known}`);
  if (!name && !written.startsWith('"')) throw refused("no words are given");
  return (output) => lookup.hasWords(output, name);
};

/** What a line asks of an output: `OR` binds least, then what stands side by side, then `NOT`. @param {string} line @param {Lookup} lookup @returns {Predicate} */
export const parseFilter = (line, lookup) => {
  const tokens = cut(line);
  const end = { at: [...line].length + 1, written: "", name: "", sign: "", rest: "" };
  let next = 0;
  const word = () => tokens[next]?.written;
  const expected = () => refusal((tokens[next] || end).at, word() || "", "a condition is expected");
  /** @param {number} depth @returns {Predicate} */
  const one = (depth) => {
    if (depth > 20) throw refusal(1, line.slice(0, 40), "the parentheses are nested too deeply");
    const token = tokens[next] || end;
    if (["", ")", "AND", "OR"].includes(token.written)) throw expected();
    next += 1;
    if (token.written === "NOT") {
      const part = one(depth + 1);
      return (output, group) => !part(output, group);
    }
    if (token.written !== "(") return conditionOf(token, lookup);
    const inside = any(depth + 1);
    if (word() !== ")") throw refusal(token.at, "(", "the parenthesis is not closed");
    next += 1;
    return inside;
  };
  /** @param {number} depth @returns {Predicate} */
  const all = (depth) => {
    const parts = [one(depth)];
    while (word() && word() !== ")" && word() !== "OR") {
      if (word() === "AND") next += 1;
      parts.push(one(depth));
    }
    return (output, group) => parts.every((part) => part(output, group));
  };
  /** @param {number} depth @returns {Predicate} */
  const any = (depth) => {
    const parts = [all(depth)];
    while (word() === "OR") {
      next += 1;
      parts.push(all(depth));
    }
    return (output, group) => parts.some((part) => part(output, group));
  };
  if (!tokens.length) return () => true;
  const filter = any(0);
  if (word()) throw refusal(tokens[next].at, ")", "no parenthesis is open");
  return filter;
};
