// Runs each configuration of this folder with promptfoo and with Probare, and compares outputs, passes, scores and named scores.
// Usage: node compare.mjs PROMPTFOO_ENTRY PROBARE; run in an empty folder.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [entry, probare] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'promptfoo-'));
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  PROMPTFOO_CONFIG_DIR: join(scratch, 'state'),
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
  PROMPTFOO_DISABLE_SHARING: '1',
};

/** What promptfoo says: one line for each cell. */
function theirs(folder) {
  const out = join(folder, 'theirs.json');
  const run = spawnSync(process.execPath, [entry, 'eval', '-c', 'promptfooconfig.yaml', '--no-cache', '--no-table', '--no-write', '-j', '1', '-o', out], {
    cwd: folder, env, encoding: 'utf8',
  });
  if (!existsSync(out)) throw new Error(`promptfoo wrote nothing: ${run.stderr}${run.stdout}`);
  return JSON.parse(readFileSync(out, 'utf8')).results.results.map((result) => ({
    test: result.testIdx,
    output: result.response?.output,
    pass: result.failureReason === 2 ? 'error' : result.success,
    score: result.failureReason === 2 ? 0 : result.score,
    named: result.failureReason === 2 ? {} : result.namedScores,
  }));
}

/** What Probare says, the same. Result lines name the cases, which lie in the translation. */
function ours(folder) {
  const out = join(folder, 'ours.jsonl');
  const run = spawnSync(probare, ['run', 'promptfooconfig.yaml', '--allow-code', '-o', out, '--store', join(folder, 'store.db')], { cwd: folder, env, encoding: 'utf8' });
  if (!existsSync(out)) throw new Error(`probare wrote nothing: ${run.stderr}${run.stdout}`);
  const translations = join(folder, '.probare/promptfoo');
  const cases = join(translations, readdirSync(translations)[0], 'probare.cases');
  const files = readdirSync(cases).filter((file) => file.endsWith('.jsonl'));
  const rows = files.flatMap((file) => lines(join(cases, file)).map((row) => [`${file.replace('.jsonl', '')} ${row.id}`, row]));
  const known = new Map(rows);
  const datasets = files.map((file) => file.replace('.jsonl', ''));
  const cells = lines(out).map((line) => {
    const id = /test-\d+$/.exec(line.id)[0];
    const dataset = datasets.length === 1 ? datasets[0] : datasets.find((name) => line.id.startsWith(name) && line.id.length === name.length + 1 + id.length);
    const row = known.get(`${dataset} ${id}`);
    const { promptfoo_test: test, ...others } = line.scores;
    const named = Object.entries(others).filter(([, result]) => typeof result.value === 'number').map(([name, result]) => [name, result.value]);
    const text = typeof row.response === 'string' ? row.response : row.response?.text;
    return {
      test: Number(id.slice('test-'.length)) - 1,
      // What a transform makes, and what a program answers, is not in the cases: the test and its scores tell them apart.
      output: row.metadata.promptfoo.transforms ? undefined : row.metadata.promptfoo.output ?? text,
      pass: test.error ? (test.kind === 'not_run' ? 'not_run' : 'error') : test.label === 'pass',
      score: test.error ? 0 : test.value,
      named: test.error ? {} : Object.fromEntries(named),
    };
  });
  return { cells, code: run.status };
}

function lines(path) {
  return readFileSync(path, 'utf8').split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
}

const key = (cell) => JSON.stringify([cell.test, cell.output ?? null]);
const close = (left, right) => Math.abs(left - right) <= 1e-12;
let compared = 0;
const names = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
for (const name of names) {
  const folder = join(scratch, name);
  cpSync(join(here, name), folder, { recursive: true });
  const expected = theirs(folder);
  const { cells, code } = ours(folder);
  const wrong = [];
  if (expected.length !== cells.length) wrong.push(`${expected.length} results there, ${cells.length} here`);
  const left = [...cells];
  for (const result of expected) {
    const isSame = (cell) =>
      (cell.output === undefined ? cell.test === result.test : key(cell) === key(result)) && cell.pass === result.pass && close(cell.score, result.score) &&
      Object.keys(result.named).length === Object.keys(cell.named).length &&
      Object.entries(result.named).every(([metric, score]) => close(cell.named[metric] ?? NaN, score));
    // An error there keeps no output; the test tells them apart.
    const isSameError = (cell) => result.pass === 'error' && cell.pass === 'error' && cell.test === result.test;
    const at = left.findIndex((cell) => isSame(cell) || isSameError(cell));
    if (at < 0) wrong.push(`there ${JSON.stringify(result)}; here ${JSON.stringify(cells.filter((cell) => cell.test === result.test))}`);
    else left.splice(at, 1);
  }
  const passes = expected.every((result) => result.pass === true);
  const expectedCode = passes ? 0 : expected.some((result) => result.pass === 'error') ? 1 : 2;
  if (code !== expectedCode) wrong.push(`exit code ${code} here, ${expectedCode} expected`);
  const counts = (list) => ['true', 'false', 'error'].map((pass) => list.filter((cell) => String(cell.pass) === pass).length).join('/');
  console.log(`${name}: ${expected.length} runs, pass/fail/error ${counts(expected)} there, ${counts(cells)} here${wrong.length ? ': DIFFERENT' : ''}`);
  for (const line of wrong) console.log(`  ${line}`);
  if (wrong.length) process.exitCode = 1;
  compared += expected.length;
}
console.log(`${names.length} configurations, ${compared} runs`);
