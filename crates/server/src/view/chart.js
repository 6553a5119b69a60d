// Pictures that the pages draw themselves: the mean of a metric against what the answers cost.
import { amount, column, make, rounded, short } from "./case.js";
import { contentWidth, linkTo, money } from "./page.js";

/** @param {string} tag @param {Record<string, any>} attributes @param {...any} children */
export const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
};
/** @param {number} x @param {number} y @param {string} words @param {Record<string, any>} [attributes] */
const textAt = (x, y, words, attributes) => svg("text", { x, y, ...attributes }, document.createTextNode(words));

/**
 * @typedef {import("./contract").RunSummary} RunSummary
 * @typedef {{ name: string, href: string, cost: number, mean: number }} Point
 */

/** How the values of a metric lie, small enough for the head of a column. @param {import("./contract").Histogram} values @param {string} metric */
export const distribution = ({ from, to, counts }, metric) => {
  const [width, height] = [96, 22];
  const [most, step] = [Math.max(...counts, 1), width / counts.length];
  const all = counts.reduce((sum, one) => sum + one, 0);
  const words = `${metric}: distribution of ${amount(all, "value")} from ${rounded(from)} to ${rounded(to)}`;
  const frame = { viewBox: `0 0 ${width} ${height}`, class: "chart distribution", role: "img", "aria-label": words };
  const edge = (/** @type {number} */ at) => rounded(from + ((to - from) * at) / counts.length);
  const bars = counts.flatMap((one, at) => {
    if (!one) return [];
    const high = Math.max((one / most) * (height - 2), 1.5);
    const title = document.createTextNode(`${edge(at)} to ${edge(at + 1)}: ${amount(one, "value")}`);
    const place = { x: at * step + step * 0.08, y: height - 1 - high, width: step * 0.84, height: high };
    return [svg("rect", { ...place, class: "bar" }, svg("title", {}, title))];
  });
  const axis = svg("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, class: "axis" });
  return svg("svg", frame, ...bars, axis);
};

/** What a model came to, and what one of its outputs cost. @param {RunSummary[]} summaries @param {string} metric @returns {Point[]} */
const pointsOf = (summaries, metric) =>
  summaries.flatMap((summary) => {
    const at = summary.settings.metrics.findIndex(({ name }) => name === metric);
    return summary.rows.flatMap(({ name, filter, cells, outputs, cost_usd }) => {
      const mean = cells[at]?.mean;
      if (cost_usd === null || !outputs || mean === null || mean === undefined) return [];
      const href = linkTo("cases", { run: summary.key, q: filter });
      return [{ name: `${name} in ${summary.name}`, href, cost: cost_usd / outputs, mean }];
    });
  });

/** @param {Point[]} points @param {string} metric */
const picture = (points, metric) => {
  const [width, height] = [Math.min(Math.max(contentWidth() - 60, 280), 640), 260];
  const [left, right, top, bottom] = [56, 20, 16, 40];
  /** @param {number[]} values */
  const ends = (values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = (high - low) * 0.1 || Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  };
  const costs = points.map(({ cost }) => cost);
  const [lowMean, highMean] = ends(points.map(({ mean }) => mean));
  const [lowCost, highCost] = [Math.max(0, ends(costs)[0]), ends(costs)[1]];
  const x = (/** @type {number} */ cost) => left + ((cost - lowCost) / (highCost - lowCost)) * (width - left - right);
  const y = (/** @type {number} */ mean) =>
    top + (1 - (mean - lowMean) / (highMean - lowMean)) * (height - top - bottom);
  const words = points.map(({ name, cost, mean }) => `${name}: ${column(mean)} for ${money(cost)}`).join("; ");
  const frame = { viewBox: `0 0 ${width} ${height}`, width, class: "chart costs", role: "group", "aria-label": words };
  const drawn = svg("svg", frame);
  drawn.append(
    svg("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis" }),
    svg("line", { x1: left, x2: left, y1: top, y2: height - bottom, class: "axis" }),
    textAt(
      left - 6,
      y(Math.min(...points.map(({ mean }) => mean))) + 4,
      column(Math.min(...points.map(({ mean }) => mean))),
      {
        "text-anchor": "end",
      },
    ),
    textAt(
      left - 6,
      y(Math.max(...points.map(({ mean }) => mean))) + 4,
      column(Math.max(...points.map(({ mean }) => mean))),
      {
        "text-anchor": "end",
      },
    ),
    textAt(x(Math.min(...costs)), height - bottom + 16, money(Math.min(...costs)) || "", { "text-anchor": "middle" }),
    textAt((left + width - right) / 2, height - 6, "cost per output", { "text-anchor": "middle" }),
  );
  if (Math.max(...costs) > Math.min(...costs)) {
    const words = money(Math.max(...costs)) || "";
    drawn.append(textAt(x(Math.max(...costs)), height - bottom + 16, words, { "text-anchor": "middle" }));
  }
  for (const { name, href, cost, mean } of points) {
    const isRight = x(cost) > width * 0.6;
    const label = textAt(x(cost) + (isRight ? -8 : 8), y(mean) + 4, short(name, 34), {
      class: "label",
      "text-anchor": isRight ? "end" : "start",
    });
    const title = svg(
      "title",
      {},
      document.createTextNode(`${name}: ${metric} ${column(mean)}, ${money(cost)} per output`),
    );
    drawn.append(svg("a", { href }, title, svg("circle", { cx: x(cost), cy: y(mean), r: 5, class: "point" }), label));
  }
  return drawn;
};

/** The mean of a metric against the cost of an output; nothing where fewer than two have a cost. @param {RunSummary[]} summaries */
export const costChart = (summaries) => {
  const names = new Set(summaries.flatMap(({ settings }) => settings.metrics.map(({ name }) => name)));
  const metrics = [...names].filter((metric) => pointsOf(summaries, metric).length > 1);
  const isPaid = metrics.some((metric) => pointsOf(summaries, metric).some(({ cost }) => cost > 0));
  if (!isPaid) return null;
  const place = make("div", {});
  const options = metrics.map((metric) => make("option", { value: metric }, metric));
  const select = /** @type {HTMLSelectElement} */ (make("select", { id: "cost-metric" }, options));
  const draw = () => place.replaceChildren(picture(pointsOf(summaries, select.value), select.value));
  select.addEventListener("change", draw);
  draw();
  const head = make("div", { class: "tools" }, make("label", {}, "Mean of ", select));
  return make("section", { class: "card chart-card" }, make("h2", {}, "Score against cost"), head, place);
};
