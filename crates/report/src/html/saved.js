// A page that is one file: the cases of a run below what the run came to, drawn by the modules of the viewer.
import { startApp } from "./app.js";
import { showCases } from "./case-list.js";
import { showCase } from "./case-page.js";
import { make } from "./case.js";
import { embeddedSource } from "./embedded.js";
import { button, currentAddress } from "./page.js";
import { useSource } from "./source.js";

const place = document.getElementById("browser");
// Other pages have the same script and no cases.
if (place) {
  const title = document.title;
  const overview = /** @type {HTMLElement} */ (document.getElementById("overview"));
  const keys = button("Keys ", () => {}, { id: "keys", class: "quiet", "aria-haspopup": "dialog" });
  keys.append(make("kbd", {}, "?"));
  place.append(
    make("div", { class: "trail-line" }, make("nav", { id: "trail", "aria-label": "Where you are" }), keys),
    make("div", { id: "main", tabindex: -1 }),
    make("div", { id: "message", role: "status", "aria-live": "polite" }),
    make("div", { id: "announcement", role: "status", "aria-live": "polite", class: "sr" }),
    make("dialog", { id: "help", "aria-labelledby": "help-title" }),
  );
  useSource(embeddedSource());
  /** @param {import("./page.js").Query} query */
  const cases = async (query) => {
    overview.hidden = false;
    const isPlaced = await showCases(query);
    document.title = title;
    if (!isPlaced && currentAddress().view === "cases") place.scrollIntoView({ behavior: "instant" });
    return true;
  };
  /** @param {import("./page.js").Query} query */
  const oneCase = async (query) => {
    await showCase(query);
    overview.hidden = true;
    document.title = `${query.id || document.querySelector("#main h1")?.textContent} · ${title}`;
  };
  startApp({ views: { runs: cases, cases, case: oneCase } });
}
