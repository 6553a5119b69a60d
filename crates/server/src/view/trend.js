// What runs have become: a small trend for each data set, model and metric. The pictures are drawn by the server; they are read
// as SVG, in which nothing runs.
import { breakable, make, short } from "./case.js";
import { svg } from "./chart.js";
import { link, linkTo, tableCard } from "./page.js";

/**
 * @typedef {import("./contract").SeriesView} Series
 * @typedef {import("./contract").HistoryView} Trends
 * @typedef {{ keyOf: (run: string) => string | undefined, toCases: (run: string, series: Series) => string | null }} Links
 */

/** The picture of a series, in which a point leads to the cases of its run. @param {Series} series @param {string[]} runs @param {Links} links */
const pictureOf = (series, runs, { toCases }) => {
  const picture = document.adoptNode(new DOMParser().parseFromString(series.svg, "image/svg+xml").documentElement);
  picture.setAttribute("role", "group");
  for (const point of picture.querySelectorAll("circle")) {
    const href = toCases(runs[Number(point.dataset.run)], series);
    if (!href) continue;
    // What is pressed is larger than what is seen.
    const around = { cx: point.getAttribute("cx"), cy: point.getAttribute("cy"), r: 8, class: "around" };
    const target = svg("a", { href, "aria-label": point.textContent || "" });
    point.replaceWith(target);
    target.append(svg("circle", around), point);
  }
  return picture;
};
/** The runs of which a series has a mean. @param {Series} series */
const runsOf = ({ svg: picture }) => [...picture.matchAll(/data-run="(\d+)"/g)].map(([, at]) => Number(at));
/** @type {Record<string, string>} */
const signs = { good: "●", mixed: "◐", bad: "○" };
/** What a case was, run after run. @param {string[]} states */
const dotsOf = (states) => {
  const dots = states.map((state) => make("span", { class: `dot ${state}`, title: state }, signs[state] || "·"));
  return make("span", { class: "dots", role: "img", "aria-label": states.join(", ") }, dots);
};
/** @param {Series} series @param {string[]} runs @param {Links} links */
const unstableOf = (series, runs, { keyOf }) => {
  if (!series.unstable_cases) return null;
  const scored = runsOf(series);
  const lines = series.unstable.map(({ id, states }) => {
    const each = states.split(" ");
    // A case leads to the last run that has a value of it.
    const last = each.findLastIndex((state) => state !== "–");
    const run = keyOf(runs[scored.length === each.length ? scored[last] : (scored.at(-1) ?? 0)]);
    const name = make("bdi", {}, short(id, 60));
    return make("li", {}, dotsOf(each), " ", run ? link(linkTo("case", { run, id }), name) : name);
  });
  return make("details", {}, make("summary", {}, series.unstable_words), make("ul", { class: "small" }, lines));
};

/** The trends of all series with more than one run; nothing where there are none. @param {Trends} trends @param {Links} links */
export const trendsOf = (trends, links) => {
  const told = trends.series.filter(({ svg }) => (svg.match(/<circle/g) || []).length > 1);
  if (!told.length) return null;
  const head = [
    "Data set",
    "Metric",
    "Trend",
    "First mean",
    "Last mean",
    "Change since the first run",
    "First significant change",
  ].map((words) => make("th", { scope: "col" }, words));
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
      make("td", {}, breakable(series.metric), unstableOf(series, trends.runs, links)),
      make("td", {}, pictureOf(series, trends.runs, links)),
      make("td", { class: "right" }, series.first || "–"),
      make("td", { class: "right" }, series.last || "–"),
      make("td", { class: "small" }, series.since_first || "–"),
      make("td", {}, series.first_difference ? make("bdi", {}, series.first_difference) : "none"),
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
