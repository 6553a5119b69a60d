// The viewer: runs, cases, comparisons and labels that a server has.
import { startApp } from "./app.js";
import { callsFold } from "./calls.js";
import { showCases } from "./case-list.js";
import { showCase } from "./case-page.js";
import { make } from "./case.js";
import { showCompare } from "./compare.js";
import { fetchJson, findToken, request, setToken } from "./http.js";
import { labelKeys, labelsView } from "./labels.js";
import { liveLine } from "./live.js";
import { button, currentAddress, elementById, goTo, link, problem } from "./page.js";
import { compareChosen, runFacts, savePage, showRuns } from "./runs.js";
import { failure, RequestError, useSource } from "./source.js";

/** @typedef {import("./contract").CaseSort} CaseSort */

/** @param {() => void} render */
const tokenForm = (render) => {
  const field = /** @type {HTMLInputElement} */ (
    make("input", { type: "password", autocomplete: "off", "aria-label": "Token" })
  );
  const use = () => {
    setToken(field.value.trim());
    render();
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && use());
  const words = "Open the address that the terminal shows, including everything after the #, or enter its token here.";
  return problem("The token is missing", words, make("div", { class: "tools" }, field, button("Use token", use)));
};

elementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  elementById("main").focus();
});
useSource({
  fetchJson,
  exportCases: async (parameters) => (await request("export", parameters)).blob(),
  orders: /** @type {["" | CaseSort | `-${CaseSort}`, string][]} */ ([
    ["", "In order"],
    ["worst", "Worst first"],
    ["-cost", "Most expensive first"],
    ["-latency", "Slowest first"],
  ]),
  home: () => link("#/runs", "Runs"),
  hasLabels: true,
  savePage,
  runFacts,
  liveLine,
  callsFold: (parameters) => callsFold(() => fetchJson("asked", parameters), failure),
});
await findToken();
const labels = labelsView();
startApp({
  views: { runs: showRuns, cases: showCases, case: showCase, compare: showCompare, labels: labels.show },
  keys: [
    ["c", "compare the chosen runs or models"],
    ["l", "label the outputs of the run"],
  ],
  actions: {
    c: compareChosen,
    l: () => {
      const { query } = currentAddress();
      if (query.run) goTo("labels", { run: query.run });
    },
  },
  keysOf: (view) => (view === "labels" ? labelKeys : null),
  keyOf: (view, key) => (view === "labels" ? labels.key(key) : null),
  failureOf: (error, render) =>
    error instanceof RequestError && error.status === 401 ? tokenForm(render) : failure(error),
});
