// What runs have become: a small trend for each data set, model and metric. The pictures are drawn by the server; they are read
// as SVG, in which nothing runs.
import { breakable, make, short } from "./case.js";
import { tableCard } from "./page.js";

/**
 * @typedef {import("./contract").SeriesView} Series
 * @typedef {import("./contract").HistoryView} Trends
 */

/** @param {string} text */
const pictureOf = (text) => document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
/** @param {Series} series */
const unstableOf = (series) =>
  series.unstable_cases
    ? make(
        "details",
        {},
        make("summary", {}, series.unstable_words),
        make(
          "ul",
          { class: "small" },
          series.unstable.map(({ id, states }) => make("li", {}, make("bdi", {}, short(id, 60)), ` ${states}`)),
        ),
      )
    : null;

/** The trends of all series with more than one run; nothing where there are none. @param {Trends} trends */
export const trendsOf = (trends) => {
  const told = trends.series.filter(({ svg }) => (svg.match(/<circle/g) || []).length > 1);
  if (!told.length) return null;
  const head = ["Data set", "Metric", "Trend", "First", "Last", "Since the first", "First difference"].map((words) =>
    make("th", { scope: "col" }, words),
  );
  const rows = told.map((series) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make("bdi", {}, series.dataset),
        series.model ? make("span", { class: "small soft" }, make("bdi", {}, series.model)) : null,
      ),
      make("td", {}, breakable(series.metric), unstableOf(series)),
      make("td", {}, pictureOf(series.svg)),
      make("td", { class: "right" }, series.first || "–"),
      make("td", { class: "right" }, series.last || "–"),
      make("td", { class: "small" }, series.since_first || "–"),
      make("td", {}, series.first_difference ? make("bdi", {}, series.first_difference) : "none shown"),
    ),
  );
  const notes = [trends.rule, ...trends.notes].map((words) =>
    make("p", { class: "small soft" }, make("bdi", {}, words)),
  );
  return make(
    "details",
    { class: "trends", open: told.length <= 6 },
    make("summary", {}, make("b", {}, "Trend"), ` over ${trends.runs.length} runs`),
    tableCard("groups", "Trends of all runs", head, rows),
    notes,
  );
};
