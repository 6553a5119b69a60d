// The line that says which cases are meant, for a page that is one file. For a server `CaseFilter` of the store reads the same line,
// step by step as here; `tests/viewer/filters.json` has examples that hold both together.
import { RequestError } from "./source.js";

/**
 * @typedef {import("./case.js").Metric} Metric
 * @typedef {import("./embedded.js").Item} Item
 * @typedef {import("./embedded.js").Group} Group
 * @typedef {(output: Item, group: Group) => boolean} Predicate
 * @typedef {{ metrics: Metric[], statuses: string[], hasWords: (output: Item, words: string) => boolean,
 *   errorKind: (output: Item, metric?: string) => string | undefined }} Lookup
 * @typedef {{ at: number, written: string, name: string, sign: string, rest: string, isQuoted: boolean }} Word
 * @typedef {Word & { operator: string }} Piece an operator is a parenthesis, AND, OR or NOT
 */

const signs = ["<=", ">=", "!=", "<", ">", "=", ":", "~"];
const mostConditions = 100;
const mostNested = 20;

/** @param {number} at @param {string} word @param {string} reason */
const refusal = (at, word, reason) => new RequestError(422, `\`${word}\` at ${at}: ${reason}`);
/** @param {string} text */
const lengthOf = (text) => [...text].length;

/** The word at the start of a text. Inside of parentheses one that closes more than the word opens ends it. @param {string} text @param {number} at @param {boolean} isInside @returns {Word} */
const cutWord = (text, at, isInside) => {
  const pieces = ["", ""];
  let [sign, isQuotation, isQuoted, opened, end] = ["", false, false, 0, 0];
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === '"') {
      [isQuotation, isQuoted] = [!isQuotation, true];
      continue;
    }
    if (!isQuotation) {
      if (/\p{White_Space}/u.test(character) || (character === ")" && isInside && !opened)) break;
      const found = sign ? undefined : signs.find((known) => text.startsWith(known, end));
      if (found) {
        sign = found;
        end += found.length - 1;
        continue;
      }
      if (character === "(") opened += 1;
      if (character === ")") opened = Math.max(opened - 1, 0);
    } else if (character === "\\" && /^["\\]/.test(text.slice(end + 1))) end += 1;
    pieces[sign ? 1 : 0] += text[end];
  }
  const written = text.slice(0, end);
  if (isQuotation) throw refusal(at, written, "a quotation mark is not closed");
  return { at, written, name: pieces[0], sign, rest: pieces[1], isQuoted };
};
/** Cuts a line into its words and parentheses. @param {string} line */
const cut = (line) => {
  /** @type {Piece[]} */
  const pieces = [];
  const add = (/** @type {number} */ at, /** @type {string} */ operator) =>
    pieces.push({ at, written: operator, name: "", sign: "", rest: "", isQuoted: false, operator });
  let [depth, from] = [0, 0];
  for (;;) {
    from += line.slice(from).search(/\P{White_Space}|$/u);
    if (from === line.length) return pieces;
    const at = lengthOf(line.slice(0, from)) + 1;
    const [opening] = /^-?\(|^\)|/.exec(line.slice(from)) || [""];
    if (opening === "-(") add(at, "NOT");
    if (opening) {
      add(at, opening.slice(-1));
      depth = opening === ")" ? Math.max(depth - 1, 0) : depth + 1;
      from += opening.length;
      continue;
    }
    const word = cutWord(line.slice(from), at, depth > 0);
    const isOperator = !word.isQuoted && !word.sign && ["AND", "OR", "NOT"].includes(word.name);
    pieces.push({ ...word, operator: isOperator ? word.name : "" });
    from += word.written.length;
  }
};
/** Joins what spaces around a sign have cut: `token_f1 < 0.5`. @param {Piece[]} pieces */
const joinSpaced = (pieces) => {
  /** @type {Piece[]} */
  const joined = [];
  for (const next of pieces) {
    const last = joined.at(-1);
    const written = `${last?.written} ${next.written}`;
    const isSign = !next.name && next.sign && !next.isQuoted;
    const lacksRest = last?.sign && !last.rest && !last.written.endsWith('"');
    if (last && isSign && !last.sign && !last.operator)
      Object.assign(last, { sign: next.sign, rest: next.rest, written });
    else if (last && lacksRest && !next.sign && !next.operator) Object.assign(last, { rest: next.name, written });
    else joined.push(next);
  }
  return joined;
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
  status: [":=", (rest, _, lookup) => (output) => output.status === rest || lookup.errorKind(output) === rest],
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
const knownWords = "status tag model prompt dataset id text flipped cost latency tokens repeat".split(" ");

/** Insertions, deletions, replacements and swaps of neighbours between two names. @param {string} a @param {string} b */
const editDistance = (a, b) => {
  const [left, right] = [a, b].map((name) => [...name.toLowerCase()].slice(0, 64));
  let [before, last] = [[0], [...right.keys(), right.length]];
  left.forEach((sign, row) => {
    const now = [row + 1];
    right.forEach((other, at) => {
      const isSwap = row > 0 && at > 0 && sign === right[at - 1] && left[row - 1] === other;
      const replaced = last[at] + (sign === other ? 0 : 1);
      now.push(Math.min(last[at + 1] + 1, now[at] + 1, replaced, isSwap ? before[at - 1] + 1 : Infinity));
    });
    [before, last] = [last, now];
  });
  return last[right.length];
};
/** The name that was probably meant: near enough to be a slip of the fingers, or one that has it as one of its words. @param {string} name @param {string[]} known */
const closest = (name, known) => {
  const limit = Math.floor(lengthOf(name.toLowerCase()) / 3) + 1;
  const near = known.map((one) => ({ one, steps: editDistance(name, one) })).filter(({ steps }) => steps <= limit);
  const isWord = (/** @type {string} */ one) => one.toLowerCase().split(/[_-]/).includes(name.toLowerCase());
  const least = near.sort((a, b) => a.steps - b.steps)[0]?.one;
  return least ?? known.filter(isWord).sort((a, b) => a.length - b.length)[0];
};

/** @param {Piece} piece @param {Lookup} lookup @returns {Predicate} */
const conditionOf = ({ at, written, name: given, sign, rest, isQuoted }, lookup) => {
  const { metrics, statuses } = lookup;
  const refused = (/** @type {string} */ reason) => refusal(at, written, reason);
  const indexOf = (/** @type {string} */ wanted) => metrics.findIndex((metric) => metric.name === wanted);
  const isNot = given.startsWith("-") && !written.startsWith('"') && indexOf(given) < 0;
  const name = isNot ? given.slice(1) : given;
  const metric = indexOf(name);
  /** @returns {Predicate} */
  const plain = () => {
    if (metric >= 0 && sign === ":") {
      return (output) => {
        const cell = output.entry.values[metric];
        if (cell === false) return lookup.errorKind(output, name) === rest;
        return (cell ? cell[2] : "not_applicable") === rest;
      };
    }
    if (metric < 0 && unknown.includes(name))
      throw refused("a page that is one file does not know it; `probare view` of the run does");
    if (metric >= 0 || name === "repeat") {
      if (!comparisons[sign]) throw refused(`write ${name} with < <= > >= = or != and a number`);
      const limit = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(rest) ? Number(rest) : NaN;
      if (!Number.isFinite(limit)) throw refused(`\`${rest}\` is not a number`);
      return (output) => {
        const value = metric < 0 ? output.repeat : valueAt(output, metric);
        return value !== null && comparisons[sign](value, limit);
      };
    }
    if (name === "flipped") {
      if (sign && (!/[:=]/.test(sign) || sign.length > 1 || indexOf(rest) < 0))
        throw refused(`\`${rest}\` is not a metric of this run`);
      return (_, group) => metrics.some((one, at) => (!sign || one.name === rest) && isFlipped(one, at, group));
    }
    if (name === "status" && !statuses.includes(rest)) throw refused(`a status is one of ${statuses.join(", ")}`);
    if (Object.hasOwn(fields, name)) {
      const [allowed, make] = fields[name];
      if (!sign || !allowed.includes(sign)) throw refused(`write ${name}${allowed[0]}WORDS`);
      if (!rest) throw refused("no words are given");
      return make(rest, sign, lookup);
    }
    if (!sign && !name && !isQuoted) throw refused("no words are given");
    if (!sign) return (output) => lookup.hasWords(output, name);
    const similar = closest(name, [...metrics.map((one) => one.name), ...knownWords]);
    const hint = similar
      ? `did you mean \`${similar}\`?`
      : `known are the metrics of the run and ${knownWords.join(", ")}`;
    throw refused(`there is nothing called \`${name}\`; ${hint}`);
  };
  const condition = plain();
  return isNot ? (output, group) => !condition(output, group) : condition;
};

/** What holds for every output. @type {Predicate} */
const always = () => true;
/** What a line asks of an output: `OR` binds least, then what stands side by side, then `NOT`. @param {string} line @param {Lookup} lookup @returns {Predicate} */
export const parseFilter = (line, lookup) => {
  const pieces = joinSpaced(cut(line));
  if (pieces.length > 2 * mostConditions)
    throw refusal(1, [...line].slice(0, 40).join(""), `a filter has at most ${mostConditions} conditions`);
  const end = lengthOf(line) + 1;
  let [next, depth] = [0, 0];
  /** Refuses an operator behind which nothing stands. @param {string} operator */
  const expectCondition = (operator) => {
    const follows = pieces[next]?.operator ?? ")";
    if ([")", "AND", "OR"].includes(follows)) throw refusal(end, operator, "a condition is expected behind it");
  };
  /** @returns {Predicate} */
  const one = () => {
    const piece = pieces[next];
    next += 1;
    if (piece.operator === "(") {
      depth += 1;
      if (depth > mostNested) throw refusal(piece.at, "(", "the parentheses are nested too deeply");
      const inside = any();
      depth -= 1;
      if (pieces[next]?.operator !== ")") throw refusal(piece.at, "(", "the parenthesis is not closed");
      next += 1;
      if (inside === always) throw refusal(piece.at, "()", "a condition is expected inside");
      return inside;
    }
    if (piece.operator === "NOT") {
      expectCondition("NOT");
      depth += 1;
      if (depth > mostNested) throw refusal(piece.at, "NOT", "too many of them");
      const part = one();
      depth -= 1;
      return (output, group) => !part(output, group);
    }
    return conditionOf(piece, lookup);
  };
  /** @returns {Predicate} */
  const all = () => {
    /** @type {Predicate[]} */
    const parts = [];
    for (let piece = pieces[next]; piece && piece.operator !== ")"; piece = pieces[next]) {
      const { at, operator } = piece;
      if (operator === "AND" || operator === "OR") {
        if (!parts.length) throw refusal(at, operator, "a condition is expected before it");
        if (operator === "OR") break;
        next += 1;
        expectCondition("AND");
      } else parts.push(one());
    }
    return parts.length ? (output, group) => parts.every((part) => part(output, group)) : always;
  };
  /** @returns {Predicate} */
  const any = () => {
    const parts = [all()];
    while (pieces[next]?.operator === "OR") {
      next += 1;
      expectCondition("OR");
      parts.push(all());
    }
    return parts.length > 1 ? (output, group) => parts.some((part) => part(output, group)) : parts[0];
  };
  const filter = any();
  if (pieces[next]) throw refusal(pieces[next].at, ")", "no parenthesis is open");
  return filter;
};
