// The three care checkers of the npm package @mcptoolshop/synthesis, timed on the rows of a case file.
//
// usage: node synthesis_reference.mjs PACKAGE_FOLDER CASES.jsonl
// prints one JSON object with rows, processor seconds, number of violations and package version.
// Reading the file and importing the package are not timed.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, "dist", "checks", name)).href);
const { checkAgency } = await load("agency.js");
const { checkReassurance } = await load("reassurance.js");
const { checkPivot } = await load("pivot.js");

const rows = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const violations = (row) =>
  Number(!checkAgency(row.assistant).pass) +
  Number(!checkReassurance(row.assistant).pass) +
  Number(!checkPivot(row.user, row.assistant).pass);

rows.slice(0, 2000).forEach(violations);
const start = process.cpuUsage();
const total = rows.reduce((sum, row) => sum + violations(row), 0);
const used = process.cpuUsage(start);
const version = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).version;
console.log(
  JSON.stringify({ rows: rows.length, seconds: (used.user + used.system) / 1e6, total, version: `synthesis ${version}` }),
);
