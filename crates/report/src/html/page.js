// Shows the cases of a page: a hundred rows at a time, and the texts of a case when it is opened. The index of the cases is
// JSON in elements that the browser does not run, their records are lines of JSON in comments at the end of the page. All
// text goes in as text, never as markup.
import { amount, breakable, cellOf, count, hide, idleOf, make, panelOf, short, textsOf } from "./case.js";

(() => {
  "use strict";
  const place = document.getElementById("browser");
  const read = (element) => JSON.parse(element.textContent);
  const settingsAt = document.getElementById("settings");
  if (!place || !settingsAt) return;
  const settings = read(settingsAt);
  const metrics = settings.metrics;
  const perPage = settings.rows;
  hide(settings.hidden);

  const cases = [];
  for (const part of document.querySelectorAll("script.index")) {
    for (const entry of read(part)) cases.push(entry);
  }
  // The records stand behind this script: while a large file is still being read, those at its end are not there yet.
  const isWhole = () => document.readyState !== "loading";
  const whole = new Promise((resolve) => {
    if (isWhole()) resolve(undefined);
    else document.addEventListener("DOMContentLoaded", resolve);
  });
  let parts = null;
  const linesOf = (number) => {
    parts ||= [...document.body.childNodes].filter((node) => node.nodeType === Node.COMMENT_NODE);
    return parts[number].data.trim().split("\n");
  };
  const recordOf = (entry) => JSON.parse(linesOf(entry.c)[entry.p]);

  // Which cases are shown, in which order.
  let order = cases.map((_, at) => at);
  let page = 0;
  let sorted = { column: -1, up: true };
  let marked = new Set(metrics.map((_, at) => at));
  const isMarked = (at) => marked.has(at);
  const opened = new Set();

  const worstFirst = (a, b) => cases[b].r[0] - cases[a].r[0] || cases[b].r[1] - cases[a].r[1] || a - b;
  const numberOf = (entry, metric) => (Array.isArray(entry.v[metric]) ? entry.v[metric][0] : null);
  const sortOrder = () => {
    const sign = sorted.up ? 1 : -1;
    if (sorted.column < 0) order.sort(worstFirst);
    else if (sorted.column === 0) order.sort((a, b) => sign * (a - b));
    else {
      const metric = sorted.column - 1;
      order.sort((a, b) => {
        const left = numberOf(cases[a], metric);
        const right = numberOf(cases[b], metric);
        // Cases without a value stay at the end in both directions.
        if (left === null || right === null) return Number(left === null) - Number(right === null) || a - b;
        return sign * (left - right) || a - b;
      });
    }
  };

  // The tools above the table.
  const labelled = (words, element) => make("label", {}, make("span", { class: "sr" }, words), element);
  const search = make("input", { type: "search", placeholder: "Search in cases", "aria-label": "Search in cases" });
  const option = (value, words) => make("option", { value }, words);
  const show = make("select", {}, option("", "All cases"));
  if (settings.limits) show.append(option("missed", "Fail a limit"));
  show.append(option("failed", "Could not be scored"), option("none", "Not applicable"));
  if (cases.some((entry) => entry.e)) show.append(option("excused", "Expected failures"));
  const measure = make(
    "select",
    {},
    option("", "Any score"),
    metrics.map((metric, at) => option(at, metric.name)),
  );
  const bound = (words) =>
    make("input", { type: "number", step: "any", class: "bound", placeholder: words, "aria-label": words });
  const least = bound("from");
  const most = bound("to");
  const frequent = new Map();
  for (const entry of cases) for (const tag of entry.t || []) frequent.set(tag, (frequent.get(tag) || 0) + 1);
  const tags = [...frequent].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 200);
  const tag = make(
    "select",
    {},
    option("", "All tags"),
    tags.map(([name, number]) => option(name, `${name} (${count(number)})`)),
  );
  const all = make("button", { type: "button" }, "Open all");
  const status = make("output", { "aria-live": "polite" });
  const tools = make(
    "div",
    { class: "tools" },
    search,
    labelled("Show", show),
    labelled("Score of", measure),
    least,
    most,
  );
  if (tags.length) tools.append(labelled("Tag", tag));
  tools.append(all, status);

  const toggles = make("fieldset", { class: "toggles" }, make("legend", {}, "Marks in texts"));
  metrics.forEach((metric, at) => {
    const box = make("input", { type: "checkbox", value: at, checked: true });
    toggles.append(make("label", {}, box, " ", metric.name));
  });
  const legend = make("p", { class: "legend" });
  for (const [kind, words] of [
    ["good", "supports it"],
    ["bad", "counts against it"],
    ["compared", "compared or unverified"],
    ["support", "compared with"],
    ["note", "note"],
  ]) {
    legend.append(make("span", {}, make("mark", { class: kind }, words)));
  }

  const head = make("tr", {});
  const header = (words, at, title) =>
    make(
      "th",
      { scope: "col", class: at > 0 ? "right" : null, title },
      make("button", { type: "button", "data-column": at }, words),
    );
  head.append(header("Case", 0, "In the order of the input"));
  metrics.forEach((metric, at) => head.append(header(breakable(metric.name), at + 1, metric.summary)));
  const table = make(
    "table",
    {},
    make("caption", { class: "sr" }, "Cases with one column per metric"),
    make("thead", {}, head),
  );
  const pager = () => {
    const button = (words, step) => make("button", { type: "button", "data-step": step }, words);
    const nav = make("nav", { class: "tools pager", "aria-label": "Pages of cases" });
    nav.append(
      button("First", "first"),
      button("Previous", "previous"),
      make("span", {}),
      button("Next", "next"),
      button("Last", "last"),
    );
    return nav;
  };
  const pagers = [pager(), pager()];
  place.append(tools, toggles, legend, pagers[0], make("div", { class: "cases card scroll" }, table), pagers[1]);

  // Of cases with the same name, how many stand before each.
  const earlier = new Map();
  const seen = new Map();
  cases.forEach(({ id }, at) => {
    const before = seen.get(id) || 0;
    if (before) earlier.set(at, before);
    seen.set(id, before + 1);
  });
  const linkTo = (at) =>
    `#case=${encodeURIComponent(cases[at].id)}${earlier.has(at) ? `&n=${earlier.get(at) + 1}` : ""}`;
  const detailOf = (at) => {
    const entry = cases[at];
    // An element that is being read is there before its end is.
    if (!isWhole()) return make("td", { colspan: metrics.length + 1, class: "soft" }, "loading …");
    const record = recordOf(entry);
    const link = make("a", { class: "link", href: linkTo(at) }, "Link to this case");
    const excuse = entry.e ? make("p", { class: "small soft" }, "expected to fail: ", make("bdi", {}, entry.e)) : null;
    const right = make(
      "div",
      {},
      make("p", { class: "small" }, link),
      excuse,
      metrics.map((_, metric) => panelOf(metrics, entry, record, metric)),
      idleOf(metrics, record),
    );
    return make(
      "td",
      { colspan: metrics.length + 1 },
      make("div", { class: "split" }, textsOf(metrics, entry, record, isMarked), right),
    );
  };

  const open = (body, yes) => {
    const at = Number(body.dataset.at);
    const button = body.querySelector(".opener");
    if (yes) opened.add(at);
    else opened.delete(at);
    button.setAttribute("aria-expanded", String(yes));
    if (yes && body.rows.length < 2)
      body.append(make("tr", { class: "detail", id: button.getAttribute("aria-controls") }, detailOf(at)));
    if (!yes && body.rows.length > 1) body.rows[1].remove();
  };
  const bodyOf = (at) => {
    const entry = cases[at];
    const words = make(
      "span",
      {},
      make("b", {}, make("bdi", {}, short(entry.id, 80))),
      entry.w ? make("span", {}, make("bdi", {}, entry.w)) : "",
      make("span", {}, make("bdi", {}, entry.q)),
    );
    const opener = make(
      "button",
      { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": `case-${at}` },
      words,
    );
    const row = make(
      "tr",
      { class: "case-row" },
      make("td", {}, opener),
      metrics.map((_, metric) => cellOf(metrics, entry, metric)),
    );
    const body = make("tbody", { "data-at": at }, row);
    if (opened.has(at)) open(body, true);
    return body;
  };
  const pages = () => Math.max(1, Math.ceil(order.length / perPage));
  const render = () => {
    page = Math.min(Math.max(page, 0), pages() - 1);
    const from = page * perPage;
    const slice = order.slice(from, from + perPage);
    for (const body of [...table.tBodies]) body.remove();
    const rows = document.createDocumentFragment();
    for (const at of slice) rows.append(bodyOf(at));
    table.append(rows);
    for (const nav of pagers) {
      nav.hidden = pages() === 1;
      nav.children[2].textContent = `${count(from + 1)} to ${count(from + slice.length)} of ${count(order.length)}`;
      nav.children[0].disabled = nav.children[1].disabled = page === 0;
      nav.children[3].disabled = nav.children[4].disabled = page === pages() - 1;
    }
    const words =
      order.length === cases.length
        ? amount(cases.length, "case")
        : `${count(order.length)} of ${count(cases.length)} cases`;
    status.textContent = words;
    all.textContent = slice.length && slice.every((at) => opened.has(at)) ? "Close all" : "Open all";
  };

  let turn = 0;
  const fits = (entry) => {
    if (show.value === "missed" && !entry.m) return false;
    if (show.value === "failed" && !entry.v.includes(false)) return false;
    if (show.value === "none" && !entry.v.includes(null)) return false;
    if (show.value === "excused" && !entry.e) return false;
    if (tag.value && !(entry.t || []).includes(tag.value)) return false;
    if (least.value === "" && most.value === "")
      return measure.value === "" || numberOf(entry, Number(measure.value)) !== null;
    const inside = (value) =>
      value !== null &&
      (least.value === "" || value >= Number(least.value)) &&
      (most.value === "" || value <= Number(most.value));
    return measure.value === ""
      ? metrics.some((_, at) => inside(numberOf(entry, at)))
      : inside(numberOf(entry, Number(measure.value)));
  };
  // What is looked for, as it may be written inside of JSON on this page: a sign that nobody sees may stand there by its code.
  const patternOf = (words) => {
    const units = (sign) =>
      sign
        .split("")
        .map((unit) => `\\\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");
    const written = [...JSON.stringify(words).slice(1, -1)].map((sign) =>
      /[<>&]|[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]/u.test(sign)
        ? `(?:${/[<>&]/.test(sign) ? "" : `${sign}|`}${units(sign)})`
        : sign.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
    );
    return new RegExp(written.join(""), "i");
  };
  // The words of a case and of what was said about it, without the names under which they are kept.
  const wordsOf = (entry) => {
    const { line, texts, asked } = recordOf(entry);
    const said = Object.values(line.scores).flatMap((score) => [
      score.label,
      score.error,
      score.not_applicable,
      ...(score.evidence || []).flatMap(({ text, note }) => [text, note]),
    ]);
    const all = [
      entry.id,
      entry.w,
      ...(entry.t || []),
      ...texts.map(({ text }) => text),
      ...(asked || []).map((one) => one[1]),
      ...said,
    ];
    return all.filter((words) => typeof words === "string");
  };
  const filter = async () => {
    turn += 1;
    const mine = turn;
    await (isWhole() || whole);
    if (mine !== turn) return;
    const wanted = search.value.trim();
    let found = [];
    cases.forEach((entry, at) => {
      if (fits(entry)) found.push(at);
    });
    if (wanted) {
      // Records are searched as they are written first, since to parse them all takes long; what fits is read.
      const pattern = patternOf(wanted);
      const lower = wanted.toLowerCase();
      let number = -1;
      let lines = [];
      found = found.filter((at) => {
        const { c, p, id, w, t } = cases[at];
        if ([id, w || "", ...(t || [])].some((words) => words.toLowerCase().includes(lower))) return true;
        if (c !== number) [number, lines] = [c, linesOf(c)];
        return pattern.test(lines[p]) && wordsOf(cases[at]).some((words) => words.toLowerCase().includes(lower));
      });
    }
    order = found;
    sortOrder();
    page = 0;
    render();
  };

  // A link to a case opens it, whatever is filtered out.
  const goTo = () => {
    const match = /^#case=([^&]*)(?:&n=(\d+))?$/.exec(location.hash);
    if (!match) return false;
    let id = match[1];
    try {
      id = decodeURIComponent(id);
    } catch {
      return false;
    }
    let left = Number(match[2] || 1);
    const at = cases.findIndex((entry) => entry.id === id && --left === 0);
    if (at < 0) {
      status.textContent = "the case of this link is not on the page";
      return false;
    }
    turn += 1;
    if (!order.includes(at)) {
      for (const element of [search, show, measure, least, most, tag]) element.value = "";
      order = cases.map((_, other) => other);
      sortOrder();
    }
    opened.add(at);
    page = Math.floor(order.indexOf(at) / perPage);
    render();
    const body = table.querySelector(`tbody[data-at="${at}"]`);
    body.classList.add("target");
    body.scrollIntoView({ block: "start" });
    body.querySelector(".opener").focus({ preventScroll: true });
    return true;
  };

  let waiting = 0;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 150);
  };
  for (const element of [search, least, most]) element.addEventListener("input", later);
  for (const element of [show, measure, tag]) element.addEventListener("change", filter);
  all.addEventListener("click", () => {
    const yes = all.textContent === "Open all";
    for (const body of table.tBodies) open(body, yes);
    all.textContent = yes ? "Close all" : "Open all";
  });
  toggles.addEventListener("change", () => {
    marked = new Set([...toggles.querySelectorAll("input:checked")].map((box) => Number(box.value)));
    for (const body of table.tBodies) {
      if (body.rows.length < 2 || !isWhole()) continue;
      const entry = cases[Number(body.dataset.at)];
      body.querySelector(".texts").replaceWith(textsOf(metrics, entry, recordOf(entry), isMarked));
    }
  });
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const wanted = Number(button.dataset.column);
    sorted = { column: wanted, up: !(sorted.column === wanted && sorted.up) };
    for (const cell of head.cells) cell.removeAttribute("aria-sort");
    button.parentElement.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    sortOrder();
    page = 0;
    render();
  });
  table.addEventListener("click", (event) => {
    const link = event.target.closest("a.link");
    if (link && navigator.clipboard) {
      navigator.clipboard.writeText(link.href).then(
        () => {
          link.textContent = "Link copied";
        },
        () => {},
      );
    }
    const row = event.target.closest(".case-row");
    if (row && !String(getSelection())) open(row.parentElement, row.parentElement.rows.length < 2);
  });
  place.addEventListener("click", (event) => {
    const pressed = event.target;
    if (!(pressed instanceof HTMLElement) || !pressed.dataset.step) return;
    const step = pressed.dataset.step;
    page = { first: 0, previous: page - 1, next: page + 1, last: pages() - 1 }[step];
    render();
    if (pressed.closest("nav") === pagers[1]) pagers[0].scrollIntoView({ block: "start" });
  });
  addEventListener("hashchange", goTo);
  sortOrder();
  render();
  // What was opened before its record was there is shown now.
  if (isWhole()) goTo();
  else whole.then(() => goTo() || (opened.size && render()));
})();
