// What models were asked for an answer, and what came back, folded away: it is looked up when somebody opens it.
import { count, make } from "./case.js";
import { money } from "./page.js";
import { isFilled } from "./source.js";

/** @typedef {import("./contract").ModelCalls} ModelCalls */

/** @param {import("./contract").ModelCall} exchange */
const exchangeOf = (exchange) => {
  const took = [
    money(exchange.cost_usd) || "",
    `${count(exchange.latency_ms)} ms`,
    exchange.input_tokens === null ? "" : `${count(exchange.input_tokens)} tokens in`,
    exchange.output_tokens === null ? "" : `${count(exchange.output_tokens)} tokens out`,
    exchange.attempts > 1 ? `${exchange.attempts} attempts` : "",
    exchange.stop ? `stopped: ${exchange.stop}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
  const said = (/** @type {string} */ name, /** @type {string} */ text) => [
    make("h4", {}, name),
    make("pre", { class: "said", dir: "auto" }, text),
  ];
  const title = exchange.kind === "judge" ? "Request to the judge " : "Request to ";
  return make(
    "section",
    { class: "exchange" },
    make("h3", {}, title, make("bdi", {}, exchange.name)),
    make("p", { class: "small soft" }, make("bdi", {}, exchange.model), ` · ${took}`),
    exchange.messages.flatMap(({ role, text }) => said(role, text)),
    said("reply", exchange.reply),
    exchange.raw
      ? make("details", {}, make("summary", {}, "Response body"), make("pre", { class: "said" }, exchange.raw))
      : null,
  );
};

/** A fold that fetches when it is opened. @param {() => Promise<ModelCalls>} fetchCalls @param {(error: any) => Node} failure */
export const callsFold = (fetchCalls, failure) => {
  const place = make("div", {});
  const fold = /** @type {HTMLDetailsElement} */ (
    make("details", { class: "asked" }, make("summary", {}, "Requests and raw replies"), place)
  );
  const load = async () => {
    if (!fold.open || isFilled(place)) return;
    place.replaceChildren(make("p", { class: "soft" }, "…"));
    try {
      const { record, asked, note } = await fetchCalls();
      const source = make(
        "p",
        { class: "small soft" },
        note ? `${note}: ` : "from the response cache ",
        make("code", {}, record),
      );
      place.replaceChildren(...asked.map(exchangeOf), source);
    } catch (error) {
      place.replaceChildren(failure(error));
    }
  };
  fold.addEventListener("toggle", load);
  return fold;
};
