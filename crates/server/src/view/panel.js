// What a benchmark says about a run: sentences, words with a tone, and tables that are folded until somebody wants them.
import { amount, count, make, short } from "./case.js";
import { tableCard } from "./page.js";

/**
 * @typedef {"good" | "warn" | "bad" | "plain"} Tone
 * @typedef {{ words: string, tone?: Tone, note?: string, case?: string | null }} PanelCell
 * @typedef {{ title?: string, columns: string[], words: number, rows: PanelCell[][], more?: number }} PanelTable
 * @typedef {{ title: string, says?: string[], chips?: { words: string, tone?: Tone }[], tables?: PanelTable[] }} Panel
 */

// A longer table is folded.
const mostOpen = 12;
/** @param {string} words @param {Tone} [tone] */
const toned = (words, tone) =>
  tone && tone !== "plain" ? make("span", { class: `tag ${tone}` }, make("bdi", {}, words)) : make("bdi", {}, words);
/** @param {PanelTable} table @param {string} title @param {(id: string) => string} linkTo */
const tableOf = (table, title, linkTo) => {
  const name = table.title || title;
  const right = (/** @type {number} */ at) => (at < table.words ? null : "right");
  const cell = (/** @type {PanelCell} */ one) => {
    const words = toned(one.words, one.tone);
    return [
      one.case ? make("a", { href: linkTo(one.case) }, words) : words,
      one.note ? make("span", { class: "small soft" }, make("bdi", {}, one.note)) : null,
    ];
  };
  const heads = table.columns.map((column, at) =>
    make("th", { scope: "col", class: right(at) }, make("bdi", {}, column)),
  );
  const rows = table.rows.map((row) =>
    make(
      "tr",
      {},
      row.map((one, at) =>
        at ? make("td", { class: right(at) }, cell(one)) : make("th", { scope: "row" }, cell(one)),
      ),
    ),
  );
  const whole = tableCard("figures", name, heads, rows);
  const more = table.more ? make("p", { class: "small soft" }, `and ${count(table.more)} more`) : null;
  // What has no title of its own are the figures of the run.
  if (!table.title && rows.length <= mostOpen && !table.more) return whole;
  const words = [make("bdi", {}, short(name, 80)), ` · ${amount(rows.length + (table.more || 0), "row")}`];
  return make("details", {}, make("summary", {}, words), whole, more);
};
/** @param {Panel[]} panels @param {(id: string) => string} linkTo */
export const panelsOf = (panels, linkTo) =>
  panels.map(({ title, says, chips, tables }) =>
    make(
      "div",
      { class: "suite", role: "group", "aria-label": title },
      make("h3", {}, make("bdi", {}, title)),
      chips && chips.length
        ? make(
            "ul",
            { class: "chips" },
            chips.map(({ words, tone }) => make("li", { class: `tag ${tone || ""}` }, make("bdi", {}, words))),
          )
        : null,
      (says || []).map((words) => make("p", { class: "soft" }, make("bdi", {}, words))),
      (tables || []).map((table) => tableOf(table, title, linkTo)),
    ),
  );
