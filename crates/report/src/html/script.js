// Opens, filters and sorts the table of cases. The page can be read without it.
(() => {
  "use strict";
  const table = document.querySelector(".cases table");
  if (!table) return;
  const cases = [...table.tBodies];
  const words = new Map();
  const search = document.getElementById("search");
  const show = document.getElementById("show");
  const shown = document.getElementById("shown");
  const all = document.getElementById("all");

  const open = (body, yes) => {
    body.rows[1].hidden = !yes;
    body.querySelector(".opener").setAttribute("aria-expanded", String(yes));
  };
  const isOpen = (body) => !body.rows[1].hidden;
  const textOf = (body) => {
    if (!words.has(body)) words.set(body, body.textContent.toLowerCase());
    return words.get(body);
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let count = 0;
    for (const body of cases) {
      const fits = !show.value || body.dataset.is.split(" ").includes(show.value);
      const yes = fits && (!wanted || textOf(body).includes(wanted));
      body.hidden = !yes;
      if (yes) count += 1;
    }
    shown.textContent = count === cases.length ? `${count} cases` : `${count} of ${cases.length} cases`;
  };
  const sort = (header) => {
    const column = header.cellIndex;
    const up = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (body) => body.rows[0].cells[column].dataset.value;
    const sign = up ? 1 : -1;
    const ordered = [...cases].sort((a, b) => {
      const left = key(a);
      const right = key(b);
      // Cases without a value stay at the end in both directions.
      if (left === "" || right === "") return (left === "") - (right === "");
      return sign * (Number(left) - Number(right));
    });
    table.append(...ordered);
  };

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  show.addEventListener("change", filter);
  all.addEventListener("click", () => {
    const visible = cases.filter((body) => !body.hidden);
    const yes = !visible.every(isOpen);
    for (const body of visible) open(body, yes);
    all.textContent = yes ? "Close all" : "Open all";
  });
  table.tHead.addEventListener("click", (event) => {
    const header = event.target.closest("th");
    if (header && event.target.closest("button")) sort(header);
  });
  table.addEventListener("click", (event) => {
    const row = event.target.closest(".case-row");
    if (row && !String(getSelection())) open(row.parentElement, !isOpen(row.parentElement));
  });
  filter();
})();
