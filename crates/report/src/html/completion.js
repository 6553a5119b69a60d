// What may stand next in the line that filters cases: the browser offers it while somebody writes.
import { make } from "./case.js";
import { quoted } from "./page.js";
import { source } from "./source.js";

/** @typedef {import("./contract").CasePage} CasePage */

const mostOffered = 40;

/** Conditions that some case of this run may meet, by what is known of it and what is on this page of the list. @param {CasePage} found */
const conditionsOf = ({ rows, run, settings }) => {
  const outputs = rows.flatMap((row) => row.outputs);
  /** @param {string} word @param {(string | null | undefined)[]} names */
  const named = (word, names) =>
    [...new Set(names)].flatMap((name) => (name ? [`${word}:${quoted(name.slice(0, 80))}`] : []));
  const labels = settings.metrics.flatMap(({ name }, at) =>
    named(
      quoted(name),
      outputs.map(({ entry }) => (entry.values[at] || [])[2]),
    ),
  );
  const kinds = (run.errors || []).map(([kind]) => kind);
  return [
    ...settings.metrics.map(({ name }) => `${quoted(name)}<`),
    ...labels,
    ...named("status", ["failed", "scored", "not_applicable", ...kinds]),
    ...named(
      "tag",
      rows.flatMap(({ tags }) => tags),
    ),
    ...named("model", [...(run.models || []), ...outputs.map(({ model }) => model)]),
    ...named("prompt", [...(run.prompts || []), ...outputs.map(({ prompt }) => prompt)]),
    // A page that is one file knows none of these.
    ...(source.home ? [...named("dataset", run.datasets || []), "cost>", "latency>", "tokens>"] : []),
    "flipped",
    "text~",
    "id~",
  ];
};
/** The list that the line offers: what goes on from the word that is being written. @param {HTMLInputElement} input @param {CasePage} found */
export const completeConditions = (input, found) => {
  const list = make("datalist", { id: "conditions" });
  const conditions = conditionsOf(found);
  const offer = () => {
    const [, before, word] = /^((?:[^]*[\s(])?-?)([^\s()]*)$/.exec(input.value) || ["", "", ""];
    const fitting = conditions.filter((one) => one !== word && one.toLowerCase().startsWith(word.toLowerCase()));
    // Behind a condition that is finished nothing is offered before a letter is written.
    const offered = word || !before.trim() ? fitting.slice(0, mostOffered) : [];
    list.replaceChildren(
      ...offered.map((condition) => {
        const option = /** @type {HTMLOptionElement} */ (make("option"));
        option.value = before + condition;
        return option;
      }),
    );
  };
  input.setAttribute("list", "conditions");
  input.addEventListener("input", offer);
  offer();
  return list;
};
