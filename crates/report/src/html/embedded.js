// The cases of a page that is one file: their index stands in it as JSON, in elements that the browser does not run, their records
// as lines of JSON in comments at its end.
import { has, parseFilter, valueAt } from "./filter.js";
import { elementById } from "./page.js";
import { RequestError } from "./source.js";

/**
 * @typedef {import("./contract").OutputRow & { part: number, line: number, shortfall: [number, number], opening: string }} Item
 * @typedef {{ id: string, at: [number, number], occurrence: number, outputs: Item[] }} Group
 * @typedef {import("./contract").PageSettings & { statuses: string[] }} Settings
 * @typedef {import("./page.js").Parameters} Parameters
 */

/** @param {Element} element */
const read = (element) => JSON.parse(element.textContent || "");

/** How the outputs of a case ended. @param {Item["entry"]} entry */
const statusOf = ({ values }) => {
  if (values.includes(false)) return "failed";
  return values.some((value) => value !== null) ? "scored" : "not_applicable";
};
/** Outputs of one case stand together; a second output of the same source belongs to the next case of that name. */
const readGroups = () => {
  /** @type {Group[]} */
  const groups = [];
  /** @type {Map<string, Group[]>} */
  const sameId = new Map();
  const seen = new Map();
  for (const item of [...document.querySelectorAll("script.index")].flatMap(read)) {
    const { id } = item.entry;
    const { model = null, prompt = null, answered_by = null, repeat = 0, answer = null } = item;
    const known = { model, prompt, answered_by, repeat, answer, status: statusOf(item.entry) };
    const output = /** @type {Item} */ ({ ...item, ...known, cost_usd: null, latency_ms: null });
    const who = JSON.stringify([id, model, prompt, repeat]);
    const occurrence = seen.get(who) || 0;
    seen.set(who, occurrence + 1);
    const same = sameId.get(id) || [];
    sameId.set(id, same);
    if (!same[occurrence]) {
      same[occurrence] = { id, at: [0, groups.length], occurrence, outputs: [] };
      groups.push(same[occurrence]);
    }
    same[occurrence].outputs.push(output);
  }
  return { groups, sameId };
};

export const embeddedSource = () => {
  const settings = /** @type {Settings} */ (read(elementById("settings")));
  const { metrics } = settings;
  const { groups, sameId } = readGroups();
  const run = /** @type {const} */ ({ key: "", name: document.title, kind: "file" });

  // The records stand behind this script: while a large file is still being read, those at its end are not there yet.
  /** @type {Promise<void>} */
  const whole = new Promise((resolve) => {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => resolve());
    else resolve();
  });
  /** @type {Comment[]} */
  let parts = [];
  /** @type {{ part: number, lines: string[] }} */
  let cut = { part: -1, lines: [] };
  /** @param {Item} item @returns {import("./case.js").CaseRecord} */
  const recordOf = ({ part, line }) => {
    if (!parts.length)
      parts = /** @type {Comment[]} */ ([...document.body.childNodes].filter((node) => node instanceof Comment));
    if (cut.part !== part) cut = { part, lines: parts[part].data.trim().split("\n") };
    return JSON.parse(cut.lines[line]);
  };
  const lookup = {
    ...settings,
    hasWords: (/** @type {Item} */ item, /** @type {string} */ words) => {
      const { texts, asked = [] } = recordOf(item);
      return [...texts.map(({ text }) => text), ...asked.map(([, text]) => text)].some((text) => has(text, words));
    },
    errorKind: (/** @type {Item} */ item, /** @type {string | undefined} */ metric) => {
      if (item.status !== "failed") return undefined;
      const { scores } = recordOf(item).line;
      const failed = metric ? scores[metric] : Object.values(scores).find(({ error }) => error !== undefined);
      return failed?.kind;
    },
  };

  /** Cases with their outputs that fit. @typedef {{ group: Group, outputs: Item[] }} Fitting */
  /** @param {Fitting[]} fitting @param {string} sort @returns {Group[]} */
  const sorted = (fitting, sort) => {
    if (sort === "order") return fitting.map(({ group }) => group);
    const isDown = sort.startsWith("-");
    const metric = metrics.findIndex(({ name }) => name === sort || `-${name}` === sort);
    // The list of a server calls this order by its name; here it is the one without a name.
    const isWorstFirst = !sort || (sort === "worst" && metric < 0);
    if (!isWorstFirst && metric < 0) throw new RequestError(422, `cases cannot be sorted by \`${sort}\``);
    /** What the least comes first by: the worst output of a case, or its least or largest value. @param {Fitting} one @returns {number[]} */
    const keyOf = ({ outputs }) => {
      if (isWorstFirst)
        return outputs
          .map(({ shortfall }) => shortfall)
          .sort((a, b) => b[0] - a[0] || b[1] - a[1])[0]
          .map((one) => -one);
      const values = outputs.map((output) => valueAt(output, metric)).filter((value) => value !== null);
      return [values.length ? Math.min(...values.map((value) => (isDown ? -value : value))) : Infinity];
    };
    const keyed = fitting.map((one) => ({ group: one.group, key: keyOf(one) }));
    keyed.sort((a, b) => {
      const at = a.key.findIndex((one, place) => one !== b.key[place]);
      return at < 0 ? a.group.at[1] - b.group.at[1] : a.key[at] < b.key[at] ? -1 : 1;
    });
    return keyed.map(({ group }) => group);
  };
  // The list that was made last: a case asks for its neighbours in it.
  let last = { key: "", list: /** @type {Group[]} */ ([]) };
  /** @param {Parameters} parameters */
  const listOf = async ({ q = "", sort = "" }) => {
    const key = JSON.stringify([q, sort]);
    if (last.key === key) return last.list;
    const fits = parseFilter(q, lookup);
    if (q) await whole;
    const fitting = groups.map((group) => ({ group, outputs: group.outputs.filter((output) => fits(output, group)) }));
    last = {
      key,
      list: sorted(
        fitting.filter(({ outputs }) => outputs.length),
        sort,
      ),
    };
    return last.list;
  };
  /** @type {Record<string, (parameters: Parameters) => Promise<any>>} */
  const answers = {
    cases: async (parameters) => {
      const list = await listOf(parameters);
      const most = Number(parameters.most);
      const asked = Number(parameters.from || 0);
      const from = asked < list.length ? asked : Math.floor(Math.max(list.length - 1, 0) / most) * most;
      const rows = list.slice(from, from + most).map(({ id, at, outputs }) => {
        const { opening, entry } = outputs[0];
        return { id, at, dataset: "", query: opening, tags: entry.tags || [], outputs, more: 0 };
      });
      return { run, settings, total: list.length, from, rows, has_texts: true, hint: null };
    },
    case: async (parameters) => {
      const list = await listOf(parameters);
      await whole;
      const { at, id, n } = parameters;
      const group = at ? groups[Number(at.split(",")[1])] : sameId.get(id)?.[Number(n || 0)];
      if (!group) throw new RequestError(404, "the case of this link is not on the page");
      const number = list.indexOf(group);
      const place = (/** @type {number} */ other) => list[other]?.at || null;
      const outputs = group.outputs.map((output) => ({ ...output, record: recordOf(output) }));
      const beside = { previous: number < 0 ? null : place(number - 1), next: number < 0 ? null : place(number + 1) };
      const found = { ...group, outputs, run, settings, dataset: "", command: "", total: list.length };
      return { ...found, ...beside, number: number < 0 ? null : number + 1 };
    },
  };
  return {
    fetchJson: (/** @type {string} */ path, /** @type {Parameters} */ parameters) => answers[path](parameters),
    exportCases: async (/** @type {Parameters} */ parameters) => {
      const list = await listOf(parameters);
      await whole;
      const lines = list.flatMap(({ outputs }) =>
        outputs.map((output) => `${JSON.stringify(recordOf(output).line)}\n`),
      );
      return new Blob(lines, { type: "application/jsonl" });
    },
    orders: /** @type {[string, string][]} */ ([
      ["", "Worst first"],
      ["order", "In order"],
    ]),
  };
};
