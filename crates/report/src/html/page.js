// What every view needs: the place it is drawn in, the address that says what is shown, and messages. All text goes in as text.
import { make, short } from "./case.js";

/** @param {string} id @returns {HTMLElement} */
export const elementById = (id) => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
};

// The address: a view and its parameters, so that a link or the button back leads to the same view.

/** @typedef {Record<string, any>} Parameters */
/**
 * @typedef {{ run?: string, q?: string, sort?: string, from?: string, by?: string, at?: string, id?: string,
 *   n?: string, order?: string, seed?: string, threshold?: string, metric?: string, ask?: string, layout?: string, diff?: string }} Query
 */

/** Parameters as an address has them; a list appears once for each of its items. @param {Parameters} parameters */
export const toSearch = (parameters) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") search.append(name, String(one));
    }
  }
  return search;
};
/** What the address says. */
export const currentAddress = () => {
  // A page that is one file knows its cases by an older address, too, which counts from 1: #case=ID&n=2
  const older = /^#case=([^&]*)(?:&n=(\d+))?$/.exec(location.hash);
  const hash = older ? `case?id=${older[1]}&n=${Number(older[2] || 1) - 1}` : location.hash.replace(/^#\/?/, "");
  const [view, ...rest] = hash.split("?");
  const given = new URLSearchParams(rest.join("?"));
  return {
    view: view || "runs",
    query: /** @type {Query} */ (Object.fromEntries(given)),
    runs: given.getAll("run"),
    hidden: given.getAll("hide"),
  };
};
/** @param {string} view @param {Parameters} [parameters] */
export const linkTo = (view, parameters) => {
  const search = toSearch(parameters || {});
  return `#/${view}${search.size ? `?${search}` : ""}`;
};
/** @param {string} view @param {Parameters} [parameters] */
export const goTo = (view, parameters) => {
  location.hash = linkTo(view, parameters);
};
/** A word of a filter, in quotation marks where it needs them. @param {string} word */
export const quoted = (word) =>
  /^(?!-)[^\p{White_Space}"\\()<>=:~!]+$/u.test(word) && !/^(AND|OR|NOT)$/.test(word)
    ? word
    : `"${word.replace(/(["\\])/g, "\\$1")}"`;
/** A filter with one more condition. @param {string | undefined} filter @param {string} condition */
export const withCondition = (filter, condition) => {
  const before = (filter || "").trim();
  if (!before || before === condition) return condition;
  return / OR /.test(before) ? `(${before}) ${condition}` : `${before} ${condition}`;
};

// Elements.

/** @param {string} href @param {...any} content */
export const link = (href, ...content) => make("a", { href }, ...content);
/** @param {string} words @param {() => any} action @param {Record<string, any>} [attributes] */
export const button = (words, action, attributes) => {
  const element = make("button", { type: "button", ...attributes }, words);
  element.addEventListener("click", action);
  return element;
};
/** Cents, or two digits of what is less. @param {number | null | undefined} usd */
export const money = (usd) => {
  if (usd === null || usd === undefined) return null;
  const decimals = usd > 0 && usd < 0.01 ? 1 + Math.ceil(-Math.log10(usd)) : 2;
  return `$${usd.toFixed(Math.min(decimals, 12))}`;
};
/** @param {number | null | undefined} seconds */
export const moment = (seconds) =>
  seconds ? `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC` : null;
/** Pieces with a dot between them; what is empty is left out. @param {any[]} pieces */
export const withDots = (pieces) =>
  pieces
    .filter((piece) => piece !== null && piece !== undefined && piece !== "" && piece !== false)
    .flatMap((piece, at) => (at ? [" · ", piece] : [piece]));

/**
 * A table that may be wider than its place; `more` are attributes of the table.
 * @param {string} kind @param {string} title @param {any[]} heads @param {any[]} rows @param {Record<string, any>} [more]
 */
export const tableCard = (kind, title, heads, rows, more) =>
  make(
    "div",
    { class: `${kind} card scroll`, tabindex: 0, role: "group", "aria-label": title },
    make(
      "table",
      more,
      make("caption", { class: "sr" }, title),
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, rows),
    ),
  );
/** A menu of boxes to tick. @param {string} words @param {{ name: string, isChecked: boolean }[]} boxes @param {(name: string, isChecked: boolean) => void} choose @param {any[]} more @param {boolean} [isOpen] */
export const checkMenu = (words, boxes, choose, more, isOpen) => {
  const lines = boxes.map(({ name, isChecked }) => {
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", value: name, checked: isChecked }));
    box.addEventListener("change", () => choose(name, box.checked));
    return make("label", {}, box, " ", name);
  });
  const summary = make("summary", {}, words);
  const menu = make("details", { class: "menu", open: isOpen }, summary, make("div", { class: "card" }, lines, more));
  menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => {
    if (key !== "Escape") return;
    menu.open = false;
    summary.focus();
  });
  return menu;
};

// The page.

/** @param {...any} steps */
export const setTrail = (...steps) => {
  elementById("trail").hidden = !steps.length;
  elementById("trail").replaceChildren(
    ...steps.flatMap((step, at) => (at ? [make("span", { "aria-hidden": "true" }, "›"), step] : [step])),
  );
};
/** @param {string} title @param {any[]} content */
export const show = (title, content) => {
  document.title = `${title} · Probare`;
  const main = elementById("main");
  main.replaceChildren(...content.filter(Boolean));
  main.removeAttribute("aria-busy");
  // The focus was in what is gone: it goes to the new content, so that a keyboard goes on from there.
  if (!document.activeElement || document.activeElement === document.body) main.focus({ preventScroll: true });
};
export const setBusy = () => elementById("main").setAttribute("aria-busy", "true");
export const contentWidth = () => elementById("main").clientWidth;

let toastTimer = 0;
/** A short message that is seen and read aloud. @param {string} words @param {boolean} [stays] */
export const tell = (words, stays) => {
  const toast = elementById("message");
  toast.textContent = words;
  toast.classList.toggle("seen", Boolean(words));
  clearTimeout(toastTimer);
  if (words && !stays) toastTimer = setTimeout(() => toast.classList.remove("seen"), 4000);
};
/** The same for those who do not see the page: what they see anyway is not shown twice. @param {string} words */
export const announce = (words) => {
  elementById("announcement").textContent = words;
};
/** Lets the browser keep some bytes as a file. @param {Blob} bytes @param {string} name */
export const download = (bytes, name) => {
  const address = URL.createObjectURL(bytes);
  const element = /** @type {HTMLAnchorElement} */ (make("a", { download: name }));
  element.href = address;
  element.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};
/** @param {string} name */
export const fileName = (name) => name.replace(/[^\w.-]+/g, "-");
/** @param {string} text @param {string} what */
export const copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
  } catch {
    tell("The browser does not allow copying here: select the text and copy it yourself");
  }
};

/** @param {string} title @param {string} words @param {...any} more */
export const problem = (title, words, ...more) =>
  make(
    "div",
    { class: "banner bad", role: "alert" },
    make("b", {}, title),
    make("span", {}, make("bdi", {}, short(words, 800))),
    ...more,
  );
