// Opens every view of the viewer, and the pages that are one file, in Chromium: axe-core must find nothing serious, in light, dark,
// at 420 pixels and in print. Run by `cargo x test --all`; by hand:
//   node tests/viewer/accessibility.mjs NODE_MODULES PROGRAM [FOLDER FOR PICTURES]
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const [modules, program, pictures] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "index.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(path.join(tmpdir(), "probare-viewer-"));
if (pictures) mkdirSync(pictures, { recursive: true });

// Two runs with two models, the pages of the first, a page with Markdown, and somebody who is about to label.
cpSync(path.join(root, "examples/run"), folder, { recursive: true });
rmSync(path.join(folder, ".probare"), { recursive: true, force: true });
/** @param {string[]} words @param {number} expected */
const run = (words, expected = 0) => {
  const { status, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8" });
  if (status !== expected) throw new Error(`probare ${words.join(" ")} ended with ${status}:\n${stderr}`);
};
run(["run", "probare.yaml", "--quiet"], 2);
run(["run", "probare.yaml", "--quiet"], 2);
run(["runs", "export", "1", "-o", "saved.html"]);
run(["compare", "1@swift", "1@steady", "-o", "comparison.html"]);
const response =
  "# Built\n\n1. by **the council**\n\n```\nin 1921\n```\n\n| year | what |\n|---|---|\n| 1922 | pier |\n";
// A tag without a place to break it must not make the page wider.
const tags = ["era:" + "modern_".repeat(30)];
const markdown = {
  id: "markdown",
  query: "Who built it?",
  response,
  reference: ["the council built it in 1921"],
  tags,
};
writeFileSync(path.join(folder, "markdown.cases.jsonl"), `${JSON.stringify(markdown)}\n`);
// The configuration of the example is not of this file.
const metrics = ["-m", "token_f1", "-m", "rouge_l"];
run(["score", "markdown.cases.jsonl", "--config", "/dev/null", ...metrics, "--quiet", "-o", "markdown.html"]);

const server = spawn(program, ["view"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
const [address] = await createInterface({ input: server.stdout })
  [Symbol.asyncIterator]()
  .next()
  .then(({ value }) => [String(value).trim()]);
const origin = new URL(address).origin;
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

// By hand, one view: PROBARE_VIEWS=compare,labels
const wanted = process.env.PROBARE_VIEWS?.split(",");
/** @param {string} name */
const fileUrl = (name) => pathToFileURL(path.join(folder, "_")).href.replace(/_$/, name);
const saved = fileUrl("saved.html");
/** Name, address, what is there once the view is drawn, and what is done then. @type {[string, string, string, ((page: any) => Promise<any>)?][]} */
const views = [
  ["runs", "/view#/runs", "article.run table"],
  ["runs-trends", "/view#/runs", ".trends svg", openFolds],
  ["runs-by-tag", "/view#/runs?by=tags", "article.run table"],
  ["cases", "/view#/cases?run=r1&q=id~symbol-h", "tbody.case"],
  ["cases-sorted", "/view#/cases?run=r1&q=token_f1%3C0.5+id~symbol-h&sort=token_f1", "tbody.case"],
  ["grid", "/view#/cases?run=r1&q=id~symbol-h&layout=grid", "table.grid tbody"],
  ["columns", "/view#/cases?run=r1&q=id~symbol-h", "tbody.case", chooseColumns],
  ["nothing", "/view#/cases?run=r1&q=tag:nothing", "#hint"],
  ["wrong-filter", "/view#/cases?run=r1&q=token_f2%3C1", "#filter-error bdi"],
  ["case", "/view#/case?run=r1&at=0,3", "article.output .panel"],
  ["case-difference", "/view#/case?run=r1&at=0,3&diff=0", "article.output .panel"],
  ["compare", "/view#/compare?run=r1@swift&run=r1@steady", "table.findings", openChange],
  ["labels", "/view#/labels?run=r1&by=Ada&metric=chrf", ".labelled"],
  ["missing", "/view#/cases?run=r9", "[role=alert]"],
  ["keys", "/view#/runs", "article.run table", (page) => page.click("#keys")],
  ["saved", saved, "#browser tbody"],
  ["saved-case", `${saved}#/case?id=symbol-helium`, "article.output .panel"],
  ["saved-filter", `${saved}#/cases?q=token_f1%3C0.5+model%3Aswift&sort=token_f1`, "#browser tbody"],
  ["saved-grid", `${saved}#/cases?q=flipped&layout=grid`, "#browser tbody"],
  ["saved-markdown", fileUrl("markdown.html#case=markdown"), "article.output .panel", openFolds],
  ["saved-nothing", `${saved}#case=nobody`, "[role=alert]"],
  ["saved-marks", `${saved}#case=symbol-helium`, "article.output .panel", (page) => page.click("details.menu summary")],
  ["comparison-page", fileUrl("comparison.html"), "main"],
];
async function openFolds(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("main details, #main details")) fold.setAttribute("open", "");
  });
}
// The menu stays open, with the focus where it was, for who takes away several columns.
async function chooseColumns(page) {
  const columns = (await page.$$("thead th")).length;
  await page.click("details.menu summary");
  for (const gone of [1, 2]) {
    await page.focus(`details.menu[open] label:nth-child(${gone}) input`);
    await page.keyboard.press("Space");
    await page.waitForFunction((left) => document.querySelectorAll("thead th").length === left, columns - gone);
    await page.waitForSelector(`details.menu[open] label:nth-child(${gone}) input:focus`);
  }
  await page.keyboard.press("Escape");
  await page.waitForSelector("details.menu:not([open]) summary:focus");
}
async function openChange(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details.moved, details.pair")) fold.setAttribute("open", "");
  });
  await page.waitForSelector("details.pair del, details.pair ins");
}
/** Width of the window, and what is asked of the page once it is drawn. @type {[number, Record<string, any>][]} */
const windows = [
  [
    1280,
    { light: { colorScheme: "light" }, dark: { colorScheme: "dark" }, print: { colorScheme: "light", media: "print" } },
  ],
  [420, { narrow: { colorScheme: "light" } }],
];

let faults = 0;
/** @param {string} words */
const fault = (words) => {
  faults += 1;
  console.error(words);
};
for (const [width, looks] of windows) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
  // The scripts and styles of the tree, in place of those that the program holds.
  if (process.env.PROBARE_VIEWER_SOURCES) {
    await context.route("**/view/*.{js,css}", (route) => {
      const name = path.basename(new URL(route.request().url()).pathname);
      const folders = ["crates/report/src/html", "crates/server/src/view"];
      const read = (/** @type {string} */ file) =>
        readFileSync(folders.map((of) => path.join(root, of, file)).find(existsSync) || "", "utf8");
      const body = name === "style.css" ? read(name) + read("viewer.css") : read(name);
      return route.fulfill({ body, contentType: name.endsWith("css") ? "text/css" : "text/javascript" });
    });
  }
  const page = await context.newPage();
  page.on("pageerror", (error) => fault(`${width}: ${error.stack}`));
  page.on("console", (line) => {
    if (line.type() === "error" && !/status of 4\d\d/.test(line.text())) fault(`${width}: ${line.text()}`);
  });
  await page.goto(address);
  await page.waitForSelector("article.run table");
  for (const [name, to, ready, act] of views.filter(([name]) => !wanted || wanted.includes(name))) {
    await page.goto("about:blank");
    await page.goto(to.startsWith("/") ? origin + to : to);
    await page.waitForSelector(ready, { state: "attached" });
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    if (act) await act(page);
    if (!(await page.$("h1"))) fault(`${name}: no heading`);
    await page.evaluate(axe);
    for (const [look, media] of Object.entries(looks)) {
      await page.emulateMedia({ media: "screen", ...media });
      if (pictures) {
        await page.screenshot({
          path: path.join(pictures, `${name}-${look}.png`),
          fullPage: !name.startsWith("saved"),
        });
      }
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (look !== "print" && wide > 0) fault(`${name}, ${look}: ${wide} pixels wider than the window`);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
      for (const { id, impact, help, nodes } of violations) {
        const where = `${nodes[0].html.slice(0, 200)}\n    ${nodes[0].failureSummary.replace(/\n/g, "\n    ")}`;
        const words = `${name}, ${look}: ${impact}: ${id}: ${help} (${nodes.length})\n    ${where}`;
        if (impact === "serious" || impact === "critical") fault(words);
        else console.log(words);
      }
    }
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
  }
  await context.close();
}
await browser.close();
server.kill();
rmSync(folder, { recursive: true, force: true });
console.log(`${views.length} views in light, dark, print and at 420 pixels: ${faults} faults`);
process.exit(faults ? 1 : 0);
