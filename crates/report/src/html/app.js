// Which view the address names, and what keys do.
import { make } from "./case.js";
import {
  button,
  currentAddress,
  elementById,
  goTo,
  link,
  linkTo,
  setBusy,
  setTrail,
  show,
  withCondition,
} from "./page.js";
import { failure, source } from "./source.js";

const commonKeys = [
  ["j k", "next and previous case"],
  ["Enter", "open the case"],
  ["/", "go to the filter"],
  ["f", "only what failed, and back"],
  ["u", "up: from a case to its list, from there to the runs"],
  ["?", "these keys"],
];
// A page that is one file does not know all of them.
const filterWords = () =>
  `A filter: token_f1<0.5 metric:label status:failed tag:en model:x${source.home ? " dataset:x" : ""} id:x id~x text~"refund"` +
  `${source.home ? " cost>0.1 latency>900" : ""} repeat=1 flipped flipped:token_f1. All conditions have to hold; OR between ` +
  "two, NOT or - before one, and parentheses are understood.";
/** What views are called that are not the first. @type {Record<string, string>} */
const viewNames = { cases: "Cases", case: "Case", compare: "Compare", labels: "Labels" };
const storedKeys = "probare-keys";
// A page that was opened from the disk may have no storage.
const storedSetting = () => {
  try {
    return localStorage.getItem(storedKeys);
  } catch {
    return null;
  }
};

/** @param {number} by */
const stepCase = (by) => {
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
const goUp = () => {
  const { view, query } = currentAddress();
  const toList = document.getElementById("to-list");
  if (view === "case" && toList) toList.click();
  else if (view === "labels" || view === "case") goTo("cases", { run: query.run });
  else goTo("runs");
};
const showFailed = () => {
  const { view, query, hidden } = currentAddress();
  if (!document.getElementById("filter")) return;
  const before = (query.q || "").trim();
  // Where conditions are joined or quoted, only a last one that is joined by nothing is taken away.
  const isPlain = !/["()]|(^|\s)(OR|AND|NOT)(\s|$)/.test(before);
  const place = isPlain ? /(^|\s+)status:failed(?=\s|$)/g : /(?<!(^|\s)(OR|AND|NOT))\s+status:failed$/;
  const rest = before.replace(place, "").trim();
  const q = rest === before ? withCondition(before, "status:failed") : rest;
  if (view !== "case") goTo("cases", { ...query, hide: hidden, from: undefined, q });
};

/**
 * `keys` and `actions` are those that a page has beside the common ones; `keyOf` may take a key before them.
 * @typedef {{
 *   views: Record<string, (query: any) => Promise<any>>,
 *   keys?: string[][], actions?: Record<string, () => void>,
 *   keysOf?: (view: string) => string[][] | null, keyOf?: (view: string, key: string) => (() => void) | null,
 *   failureOf?: (error: any, render: () => void) => Node,
 * }} App
 */
/** @param {App} app */
export const startApp = ({ views, keys = [], actions = {}, keysOf, keyOf, failureOf = failure }) => {
  const help = /** @type {HTMLDialogElement} */ (elementById("help"));
  let areKeysOn = storedSetting() !== "off";
  const showHelp = () => {
    if (help.open) {
      help.close();
      return;
    }
    const listed = keysOf?.(currentAddress().view) || [...commonKeys.slice(0, -1), ...keys, ...commonKeys.slice(-1)];
    const lines = listed.flatMap(([names, words]) => [
      make(
        "dt",
        {},
        names.split(" ").map((name) => make("kbd", {}, name)),
      ),
      make("dd", {}, words),
    ]);
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", checked: areKeysOn }));
    box.addEventListener("change", () => {
      areKeysOn = box.checked;
      try {
        localStorage.setItem(storedKeys, areKeysOn ? "on" : "off");
      } catch {
        // It is so until the page is closed.
      }
    });
    help.replaceChildren(
      make("h2", { id: "help-title" }, "Keys"),
      make("dl", {}, lines),
      make("p", {}, make("label", {}, box, " Single keys do this")),
      make("p", { class: "small soft" }, filterWords()),
      button("Close", () => help.close()),
    );
    help.showModal();
  };
  /** @type {Record<string, () => void>} */
  const allActions = {
    j: () => stepCase(1),
    k: () => stepCase(-1),
    "/": () => document.getElementById("filter")?.focus(),
    f: showFailed,
    u: goUp,
    "?": showHelp,
    ...actions,
  };
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const isWriting = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !target.matches('[type="checkbox"]');
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
    if ((help.open || !areKeysOn) && event.key !== "?") return;
    const action = keyOf?.(currentAddress().view, event.key) || allActions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  elementById("keys").addEventListener("click", showHelp);

  let turn = 0;
  const render = async () => {
    turn += 1;
    const mine = turn;
    const { view, query } = currentAddress();
    // The keys of another view do not stand over this one.
    help.close();
    setBusy();
    try {
      const isPlaced = await (views[view] || views.runs)(query);
      if (mine === turn && view !== "runs" && !isPlaced) scrollTo({ top: 0, behavior: "instant" });
    } catch (error) {
      if (mine !== turn) return;
      const name = viewNames[view] || (source.home ? "Runs" : "Cases");
      setTrail(source.home ? source.home() : link(linkTo("cases"), "Cases"));
      show(name, [make("h1", {}, name), failureOf(error, render)]);
    }
  };
  history.scrollRestoration = "manual";
  addEventListener("hashchange", render);
  render();
};
