// Labels: one output at a time, decided by a person before they see what any metric said. What the server sends of an output that is
// not decided has no scores in it, so there is nothing to hide here.
import { amount, breakable, count, hide, idleOf, make, panelOf, short, textsOf } from "./case.js";
import { request } from "./http.js";
import { announce, button, download, goTo, link, linkTo, setTrail, show, tableCard, tell } from "./page.js";
import { failure, fetchJson } from "./source.js";

/**
 * @typedef {import("./contract").LabelState} State
 * @typedef {import("./contract").OutputToLabel["at"]} Place
 * @typedef {import("./contract").Agreement} Agreement
 */

const storedName = "probare-labels-name";
const ways = [
  ["chance", "at random"],
  ["disagreement", "where they disagree"],
  ["threshold", "nearest the threshold"],
  ["unsure", "what is unsure"],
  ["estimate", "for an estimate"],
];

/** Keys of this view, for the list that ? shows. */
export const labelKeys = [
  ["p f d", "pass, fail, defer"],
  ["1 2 …", "the levels of the rubric, the worst first"],
  ["j k", "next output, previous output"],
  ["n t", "write a note, write tags; Escape leaves the field"],
  ["o", "choose what comes next"],
  ["e", "export all labels as JSON lines"],
  ["u", "up: to the cases of the run"],
  ["?", "these keys"],
];

export const labelsView = () => {
  /** What is shown. @type {State | null} */
  let state = null;
  /** What the address says. @type {Record<string, string>} */
  let asked = {};
  /** Outputs in the order in which they came, and whether each is still open. @type {{ at: Place, open: boolean }[]} */
  let seen = [];
  let place = -1;

  const wanted = () => ({
    run: asked.run,
    metric: asked.metric,
    by: asked.by,
    order: asked.order,
    seed: asked.seed,
    threshold: asked.threshold,
  });
  const again = (/** @type {Record<string, any>} */ changed) => goTo("labels", { ...wanted(), ...changed });
  const field = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id));

  // One thing after the other, each about what is shown when its turn comes: what is typed fast is neither lost nor given to the
  // neighbour.
  let queue = Promise.resolve();
  /** @param {() => Promise<void>} work */
  const inTurn = (work) => {
    queue = queue.then(work).catch((error) => {
      const at = document.getElementById("label-error");
      if (at) at.replaceChildren(failure(error));
      else show("Labels", [failure(error)]);
    });
    return queue;
  };
  /** @param {Place | null} at */
  const load = async (at) => {
    const skip = at ? undefined : seen.filter(({ open }) => open).length || undefined;
    state = await fetchJson("labels", {
      ...wanted(),
      skip,
      at: at ? at.map((part) => (part === null ? "" : part)).join(",") : undefined,
    });
    const sample = state && state.sample;
    const known = sample ? seen.findIndex((one) => String(one.at) === String(sample.at)) : seen.length;
    if (sample && known < 0) seen.push({ at: sample.at, open: !sample.own });
    place = known < 0 ? seen.length - 1 : known;
    draw();
  };
  const next = () =>
    inTurn(async () => {
      if (state) await load(place + 1 < seen.length ? seen[place + 1].at : null);
    });
  const previous = () =>
    inTurn(async () => {
      if (place < 1) {
        tell("This is the first output");
        return;
      }
      await load(seen[place - 1].at);
    });
  const written = () => ({
    note: field("label-note")?.value || "",
    tags: (field("label-tags")?.value || "")
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  });
  /** Keeps a label and gives what the server says of it. @param {string} label @param {{ note: string, tags: string[] }} words */
  const keep = async (label, words) => {
    const sample = state && state.sample;
    if (!sample) return null;
    const about = { run: asked.run, metric: state?.metric, by: asked.by, threshold: state?.threshold, at: sample.at };
    const body = JSON.stringify({ asked: about, label, ...words });
    const reply = await request("label", {}, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    if (seen[place]) seen[place].open = false;
    return reply.json();
  };
  /** @param {string} label */
  const decide = (label) =>
    inTurn(async () => {
      const kept = await keep(label, written());
      if (!kept) return;
      state = kept;
      draw();
      tell(`Saved: ${label}`);
      // What is put off is not told either: it comes again at the end.
      if (label === "defer") await load(place + 1 < seen.length ? seen[place + 1].at : null);
    });
  /** A note or tags that were written after the decision. Nothing is drawn, so that a click that follows finds its button. */
  const keepWords = () => {
    const words = written();
    const sample = state && state.sample;
    return inTurn(async () => {
      const own = state && state.sample === sample && sample && sample.own;
      if (!own || own.label === "defer") return;
      await keep(own.label, words);
      tell("Note and tags saved");
    });
  };
  const exported = () =>
    inTurn(async () => {
      download(await (await request("labels/export", {})).blob(), "labels.jsonl");
      tell("Labels exported");
    });

  const askName = () => {
    const input = /** @type {HTMLInputElement} */ (
      make("input", { id: "label-name", maxlength: "80", autocomplete: "name", "aria-label": "Your name" })
    );
    input.value = localStorage.getItem(storedName) || "";
    const use = () => {
      const by = input.value.trim();
      if (!by) return input.focus();
      localStorage.setItem(storedName, by);
      return again({ by });
    };
    input.addEventListener("keydown", (event) => event.key === "Enter" && use());
    show("Labels", [
      make("h1", {}, "Labels"),
      make("p", {}, "Who is labelling? The viewer keeps the labels of each person separately and compares them."),
      make("div", { class: "tools" }, input, button("Start", use)),
    ]);
    input.focus();
  };

  /** @param {State} now */
  const toolsOf = (now) => {
    const metrics = now.settings.metrics;
    const metric = /** @type {HTMLSelectElement} */ (
      make(
        "select",
        { id: "label-metric" },
        metrics.map(({ name }) => make("option", { value: name, selected: name === now.metric }, name)),
      )
    );
    metric.addEventListener("change", () => again({ metric: metric.value, threshold: undefined }));
    const order = /** @type {HTMLSelectElement} */ (
      make(
        "select",
        { id: "label-order" },
        ways.map(([value, words]) => make("option", { value, selected: value === (asked.order || "chance") }, words)),
      )
    );
    // `probare estimate` draws from 1 where no seed is given.
    const seedOf = (/** @type {string} */ way) => asked.seed || (way === "estimate" ? "1" : undefined);
    order.addEventListener("change", () => again({ order: order.value, seed: seedOf(order.value) }));
    /** @param {string} id @param {string} words @param {string | number} value @param {(given: string) => void} use */
    const number = (id, words, value, use) => {
      const input = /** @type {HTMLInputElement} */ (
        make("input", { type: "number", step: "any", id, value, class: "number" })
      );
      input.addEventListener("change", () => input.value !== "" && use(input.value));
      return make("label", {}, words, input);
    };
    return make(
      "div",
      { class: "tools label-tools" },
      make("label", {}, "Metric", metric),
      make("label", {}, "Next", order),
      number("label-seed", "Seed", asked.seed || "0", (seed) =>
        again({ seed: String(Math.max(0, Math.floor(Number(seed)))) }),
      ),
      now.levels.length
        ? null
        : number("label-threshold", "Passes at", now.threshold, (threshold) => again({ threshold })),
      make("span", { class: "soft" }, "as ", make("b", {}, make("bdi", {}, asked.by))),
      button("Change", () => goTo("labels", { ...wanted(), by: undefined, ask: "1" }), {
        class: "quiet",
        "aria-label": "Change who labels",
      }),
    );
  };
  /** @param {State} now @param {import("./contract").OutputToLabel} sample */
  const deciderOf = (now, sample) => {
    const own = sample.own;
    /** @param {string} word @param {string} key @param {string} tone @param {string} [means] */
    const choice = (word, key, tone, means) =>
      button("", () => decide(word), {
        class: `choice ${tone}`,
        "aria-pressed": own && own.label === word ? "true" : "false",
        "aria-keyshortcuts": key,
        id: `label-is-${word}`,
        "data-label": word,
        title: means || null,
      });
    const all = [
      ["pass", "p", "good", ""],
      ["fail", "f", "bad", ""],
      ["defer", "d", "plain", ""],
      ...now.levels.map(({ label, means }, at) => [label, String(at + 1), "plain", means]),
    ].map(([word, key, tone, means]) => {
      const made = choice(word, key, tone, means);
      made.append(
        make("bdi", {}, word),
        ...(key.length === 1 ? [" ", make("kbd", { "aria-hidden": "true" }, key)] : []),
      );
      return made;
    });
    const note = /** @type {HTMLTextAreaElement} */ (
      make("textarea", { id: "label-note", rows: "2", maxlength: "4000" })
    );
    note.value = (own && own.note) || "";
    const tags = /** @type {HTMLInputElement} */ (
      make("input", { id: "label-tags", autocomplete: "off", maxlength: "1000" })
    );
    tags.value = ((own && own.tags) || []).join(", ");
    for (const one of [note, tags]) {
      one.addEventListener("keydown", (event) => /** @type {KeyboardEvent} */ (event).key === "Escape" && one.blur());
      // What is written after the decision goes with it.
      one.addEventListener("change", () => own && keepWords());
    }
    const levels = now.levels.filter(({ means }) => means);
    return make(
      "section",
      { class: "card decider", "aria-label": "Your decision" },
      make("h2", {}, breakable(now.metric)),
      make("p", { class: "small soft" }, make("bdi", {}, now.question || now.summary)),
      levels.length
        ? make(
            "dl",
            { class: "small levels" },
            levels.flatMap(({ label, means }) => [make("dt", {}, label), make("dd", {}, make("bdi", {}, means))]),
          )
        : null,
      make("div", { class: "choices", role: "group", "aria-label": "Label" }, all.slice(0, 3)),
      all.length > 3 ? make("div", { class: "choices", role: "group", "aria-label": "Levels" }, all.slice(3)) : null,
      make("label", { class: "wide" }, make("span", {}, "Note ", make("kbd", { "aria-hidden": "true" }, "n")), note),
      make("label", { class: "wide" }, make("span", {}, "Tags ", make("kbd", { "aria-hidden": "true" }, "t")), tags),
      make(
        "div",
        { class: "tools" },
        button("Previous (k)", previous, { id: "label-previous", disabled: place < 1, "aria-keyshortcuts": "k" }),
        button("Next (j)", next, { id: "label-next", "aria-keyshortcuts": "j" }),
      ),
      make("div", { id: "label-error" }),
    );
  };
  /** @param {State} now @param {import("./contract").OutputToLabel} sample */
  const verdictOf = (now, sample) => {
    const metrics = now.settings.metrics;
    const own = sample.own;
    if (!own || own.label === "defer")
      return make(
        "p",
        { class: "soft blind" },
        own ? "You deferred this output; it comes again at the end." : "The scores are shown once you have decided.",
      );
    const at = metrics.findIndex(({ name }) => name === now.metric);
    const panel = (/** @type {number} */ number) => panelOf(metrics, sample.entry, sample.record, number);
    const rest = metrics.map((_, number) => (number === at ? null : panel(number))).filter(Boolean);
    const others = (sample.others || []).map((one) =>
      make(
        "li",
        {},
        make("b", {}, make("bdi", {}, one.by)),
        ": ",
        make("bdi", {}, one.label),
        one.note ? [" · ", make("bdi", {}, short(one.note, 300))] : "",
      ),
    );
    const whose = [
      sample.model ? make("bdi", {}, sample.model) : "",
      sample.repeat ? ` repeat ${sample.repeat + 1}` : "",
    ].filter(Boolean);
    return make(
      "section",
      { class: "card verdict", "aria-label": "Your label and the scores" },
      make(
        "p",
        {},
        "Your label: ",
        make("b", { class: "own" }, own.label),
        whose.length ? [" for ", ...whose] : "",
        ". ",
        link(linkTo("case", { run: asked.run, at: sample.case.join(",") }), "The case"),
      ),
      others.length ? make("ul", { class: "others" }, others) : null,
      panel(at),
      rest.length
        ? make(
            "details",
            {},
            make("summary", {}, amount(rest.length, "other metric")),
            rest,
            idleOf(metrics, sample.record),
          )
        : null,
    );
  };
  /** @param {State} now */
  const agreementsOf = (now) => {
    const more = (/** @type {Agreement} */ one) =>
      one.more === null
        ? one.cases
          ? "needs labels of both kinds"
          : "–"
        : one.more === 0
          ? "enough"
          : `about ${count(one.more)} more`;
    const rows = now.agreements.map((one) =>
      make(
        "tr",
        { "data-with": one.with },
        make(
          "th",
          { scope: "row" },
          make("bdi", {}, one.who),
          " with ",
          one.is_metric ? breakable(one.with) : make("bdi", {}, one.with),
        ),
        make("td", { class: "right" }, `${count(one.same)} of ${count(one.cases)}`),
        make("td", { class: "right nowrap kappa" }, one.words || "–"),
        make("td", { class: "right" }, more(one)),
      ),
    );
    const heads = ["Agreement", "Same", "Kappa (95 %)", "For ±0.1"].map((words, at) =>
      make("th", { scope: "col", class: at ? "right" : "" }, words),
    );
    return rows.length ? tableCard("groups", "Agreement beyond chance", heads, rows, { class: "agreements" }) : null;
  };
  // Everything is drawn anew; who is in a field stays there, with what was written since.
  /** @type {string | null} */
  let drawn = null;
  const draw = () => {
    const active = /** @type {HTMLInputElement | null} */ (document.activeElement);
    const [id, value] = active && active.closest(".decider") ? [active.id, active.value] : ["", ""];
    const now = String(state && state.sample && state.sample.at);
    drawAll();
    const there = id ? field(id) : null;
    if (there && now === drawn && (id === "label-note" || id === "label-tags")) there.value = value;
    if (there) there.focus();
    drawn = now;
  };
  const drawAll = () => {
    const now = /** @type {State} */ (state);
    hide(now.settings.hidden);
    setTrail(
      link("#/runs", "Runs"),
      link(linkTo("cases", { run: asked.run }), make("bdi", {}, short(now.run.name, 60))),
      make("span", { "aria-current": "page" }, "Labels"),
    );
    const sample = now.sample;
    const metrics = now.settings.metrics;
    const shownMetrics = sample && sample.others ? metrics : [];
    const at = metrics.findIndex(({ name }) => name === now.metric);
    const done = `${count(now.decided)} decided${now.deferred ? `, ${count(now.deferred)} deferred` : ""} of ${count(now.labellable)} outputs with a value`;
    const none =
      asked.order === "unsure" && !now.unsure
        ? "The metric labels no output `unsure`."
        : now.labellable
          ? "Nothing left to label: all outputs are decided."
          : "No output has a value in this metric.";
    const left = sample
      ? make(
          "article",
          { class: "card output labelled", "data-id": sample.id, "aria-label": `Output of ${short(sample.id, 80)}` },
          make("h2", {}, make("bdi", {}, short(sample.id, 120))),
          sample.dataset ? make("p", { class: "small soft" }, make("bdi", {}, sample.dataset)) : null,
          textsOf(shownMetrics, sample.entry, sample.record, (number) => number === at),
        )
      : make("p", { class: "soft", id: "label-none" }, none);
    const right = sample
      ? make(
          "div",
          { class: "beside" },
          deciderOf(now, sample),
          make("div", { "aria-live": "polite" }, verdictOf(now, sample)),
        )
      : make("div", { id: "label-error" });
    const file = make(
      "p",
      { class: "small soft file" },
      now.exists ? "Labels are saved in " : "The first label creates ",
      make("code", {}, now.file),
      now.torn ? `; ${amount(now.torn, "incomplete line")} skipped` : "",
      ". ",
      button("Export as JSON lines", exported, { class: "quiet", disabled: !now.exists, "aria-keyshortcuts": "e" }),
      " ",
      make("code", {}, now.command),
    );
    show("Labels", [
      make("h1", {}, "Labels ", make("span", { class: "soft" }, make("bdi", {}, now.run.name))),
      toolsOf(now),
      make("p", { class: "soft", id: "label-done", role: "status" }, done),
      make("div", { class: "labelling" }, left, right, make("div", { class: "under" }, agreementsOf(now), file)),
    ]);
  };

  return {
    /** @param {Record<string, string>} given */
    show: async (given) => {
      asked = { ...given, by: given.by || (given.ask ? "" : localStorage.getItem(storedName) || "") };
      if (!given.by && asked.by) return again({});
      seen = [];
      place = -1;
      if (!asked.by) return askName();
      localStorage.setItem(storedName, asked.by);
      await load(null);
      announce(document.getElementById("label-done")?.textContent || "");
      return undefined;
    },
    /** What a key does here; nothing where it has no meaning. @param {string} key */
    key: (key) => {
      if (!state || !document.querySelector(".labelling")) return null;
      const now = state;
      const levels = now.levels;
      const level = levels[Number(key) - 1];
      if (level && state.sample) return () => decide(level.label);
      /** @type {Record<string, string>} */
      const words = { p: "pass", f: "fail", d: "defer" };
      if (words[key] && state.sample) return () => decide(words[key]);
      /** @type {Record<string, () => void>} */
      const others = {
        j: next,
        k: previous,
        n: () => field("label-note")?.focus(),
        t: () => field("label-tags")?.focus(),
        o: () => field("label-order")?.focus(),
        e: () => (now.exists ? exported() : tell("There are no labels yet")),
      };
      return others[key] || null;
    },
  };
};
