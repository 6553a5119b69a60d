// The viewer: which view the address names, and what keys do.
import { showCases } from "./case-list.js";
import { showCase } from "./case-page.js";
import { make } from "./case.js";
import { showCompare } from "./compare.js";
import { labelKeys, labelsView } from "./labels.js";
import { button, currentAddress, elementById, goTo, problem, setBusy, show } from "./page.js";
import { compareChosen, showRuns } from "./runs.js";
import { failure, findToken, leaveView, RequestError, setToken } from "./source.js";

const help = /** @type {HTMLDialogElement} */ (elementById("help"));

// Keys.

const keys = [
  ["j k", "next and previous case"],
  ["Enter", "open the case"],
  ["/", "go to the filter"],
  ["f", "only what failed, and back"],
  ["c", "compare what was chosen among the runs"],
  ["l", "label the outputs of the run"],
  ["u", "up: from a case to its list, from there to the runs"],
  ["?", "these keys"],
];
const filterWords =
  'A filter: token_f1<0.5 metric:label status:failed tag:en model:x dataset:x id:x id~x text~"refund" cost>0.1 latency>900 ' +
  "repeat=1 flipped flipped:token_f1. All conditions have to hold; OR between two, NOT or - before one, and parentheses are " +
  "understood.";
const storedKeys = "probare-keys";
const areKeysOn = () => localStorage.getItem(storedKeys) !== "off";
const showHelp = () => {
  if (help.open) {
    help.close();
    return;
  }
  const listed = currentAddress().view === "labels" ? labelKeys : keys;
  const lines = listed.flatMap(([names, words]) => [
    make(
      "dt",
      {},
      names.split(" ").map((name) => make("kbd", {}, name)),
    ),
    make("dd", {}, words),
  ]);
  const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", checked: areKeysOn() }));
  box.addEventListener("change", () => localStorage.setItem(storedKeys, box.checked ? "on" : "off"));
  help.replaceChildren(
    make("h2", { id: "help-title" }, "Keys"),
    make("dl", {}, lines),
    make("p", {}, make("label", {}, box, " Single keys do this")),
    make("p", { class: "small soft" }, filterWords),
    button("Close", () => help.close()),
  );
  help.showModal();
};
/** @param {number} by */
const step = (by) => {
  const openers = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("a.open")]);
  if (!openers.length) {
    const to = /** @type {HTMLElement | null} */ (document.querySelector(`a[data-key="${by > 0 ? "j" : "k"}"]`));
    if (to) to.click();
    return;
  }
  const at = openers.findIndex((opener) => opener === document.activeElement);
  const next = openers[Math.min(Math.max(at + by, 0), openers.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
};
const up = () => {
  const { view, query } = currentAddress();
  const toList = document.getElementById("to-list");
  if (view === "case" && toList) toList.click();
  else if (view === "labels" || view === "case") goTo("cases", { run: query.run });
  else goTo("runs");
};
const toLabels = () => {
  const { query } = currentAddress();
  if (query.run) goTo("labels", { run: query.run });
};
const failedOnly = () => {
  const { view, query, hidden } = currentAddress();
  if (view !== "cases") return;
  const words = (query.q || "").split(/\s+/).filter(Boolean);
  const rest = words.filter((word) => word !== "status:failed");
  const q = (rest.length < words.length ? rest : [...words, "status:failed"]).join(" ");
  goTo("cases", { ...query, hide: hidden, from: undefined, q });
};
/** @type {Record<string, () => void>} */
const actions = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => document.getElementById("filter")?.focus(),
  f: failedOnly,
  c: compareChosen,
  l: toLabels,
  u: up,
  "?": showHelp,
};
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const isWriting = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !target.matches('[type="checkbox"]');
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
  if ((help.open || !areKeysOn()) && event.key !== "?") return;
  const ofLabels = currentAddress().view === "labels" ? labels.key(event.key) : null;
  const action = ofLabels || actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
elementById("keys").addEventListener("click", showHelp);
elementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  elementById("main").focus();
});

// Views.

const tokenForm = () => {
  const field = /** @type {HTMLInputElement} */ (
    make("input", { type: "password", autocomplete: "off", "aria-label": "Token" })
  );
  const use = () => {
    setToken(field.value.trim());
    render();
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && use());
  const words = "Open the address that the terminal shows, with everything behind the #, or give its token here.";
  return problem("The token is missing", words, make("div", { class: "tools" }, field, button("Use it", use)));
};

const labels = labelsView();
/** @type {Record<string, (query: any) => Promise<any>>} */
const views = { runs: showRuns, cases: showCases, case: showCase, compare: showCompare, labels: labels.show };
let turn = 0;
const render = async () => {
  turn += 1;
  const mine = turn;
  leaveView();
  const { view, query } = currentAddress();
  // The keys of another view do not stand over this one.
  help.close();
  setBusy();
  try {
    const isPlaced = await (views[view] || showRuns)(query);
    if (mine === turn && view !== "runs" && !isPlaced) scrollTo({ top: 0, behavior: "instant" });
  } catch (error) {
    if (mine !== turn) return;
    const isWithoutToken = error instanceof RequestError && error.status === 401;
    show("Probare", [isWithoutToken ? tokenForm() : failure(error)]);
  }
};
history.scrollRestoration = "manual";
addEventListener("hashchange", render);
await findToken();
render();
