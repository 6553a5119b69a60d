// The filter of a page that is one file, by the examples that hold that of the store (crates/store/src/case_filter.rs). It needs no
// browser: node tests/viewer/filters.mjs
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const examples = JSON.parse(readFileSync(path.join(here, "filters.json"), "utf8"));

// The modules under names that node knows for modules.
const folder = mkdtempSync(path.join(tmpdir(), "probare-filters-"));
cpSync(path.join(here, "../../crates/report/src/html"), folder, { recursive: true });
writeFileSync(path.join(folder, "package.json"), '{"type": "module"}');
const load = (/** @type {string} */ name) => import(pathToFileURL(path.join(folder, name)).href);
const { embeddedSource } = await load("embedded.js");
const { quoted } = await load("page.js");
rmSync(folder, { recursive: true });

/** A result as the index of a page has it. */
const cellOf = (score) => {
  if (!score) return null;
  if (score.error) return false;
  return score.label ? [score.value ?? null, 0, score.label, null] : [score.value, 0];
};
/** A result as a line of results has it. */
const resultOf = (score) => (score?.error ? { error: "", kind: score.error } : score || { not_applicable: "" });
const names = examples.metrics.map(({ name }) => name);
const index = examples.samples.map(({ id, tags, model, prompt, repeat, response, scores }, line) => ({
  ...{ part: 0, line, opening: "", answer: response, shortfall: [0, 0] },
  ...(model && { model, prompt, repeat }),
  entry: { id, tags, values: scores.map(cellOf) },
}));
const records = examples.samples.map(({ query, response, scores }) => ({
  line: { scores: Object.fromEntries(names.map((name, at) => [name, resultOf(scores[at])])) },
  texts: [query, response].map((text) => ({ text })),
}));
// What of a browser the source of such a page asks for.
class Comment {
  data = records.map((record) => JSON.stringify(record)).join("\n");
}
const { metrics, statuses } = examples;
Object.assign(globalThis, {
  Comment,
  document: {
    title: "",
    readyState: "complete",
    body: { childNodes: [new Comment()] },
    querySelectorAll: () => [{ textContent: JSON.stringify(index) }],
    getElementById: () => ({ textContent: JSON.stringify({ metrics, statuses, hidden: [] }) }),
  },
});
const source = embeddedSource();
const kept = async (/** @type {string} */ q, sort = "order") =>
  (await source.fetchJson("cases", { q, sort, most: 100 })).rows.map(({ id }) => id);

for (const [line, ids] of examples.kept) assert.deepEqual(await kept(line), ids, line);
for (const [line, message] of examples.refused) await assert.rejects(kept(line), { status: 422, message }, line);
for (const [word, written] of examples.quoted) assert.equal(quoted(word), written);
// What only a store knows.
for (const name of ["cost", "latency", "tokens", "dataset"])
  await assert.rejects(kept(`${name}>1`), /one file does not know it/);
// The order that has no name here has one in the list of a run.
assert.deepEqual(await kept("", "worst"), await kept("", ""));
await assert.rejects(kept("", "cost"), /cannot be sorted/);
console.log(`${examples.kept.length + examples.refused.length} filters as the store reads them`);
