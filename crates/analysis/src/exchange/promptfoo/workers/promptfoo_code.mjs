// Runs the JavaScript of a configuration of promptfoo for `probare run --allow-code`.
//
//   node promptfoo_code.mjs CODE.json …         a worker: a line of JSON in, a line out; the code of a test by its number
//   node promptfoo_code.mjs --provider SPEC …   a model: a request in, `{"text": …}` out
//
// CODE.json lists the code that the configuration brings. Python is handed on to promptfoo_code.py beside this file.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
// What code prints is no answer.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** `process` as promptfoo shows it to code: `process.mainModule.require` finds packages beside the configuration. */
function shownProcess(folder) {
  const require = createRequire(join(folder, 'promptfooconfig.js'));
  return new Proxy(process, { get: (own, key) => (key === 'mainModule' ? { require } : Reflect.get(own, key)) });
}

/** The body of a function: one line is an expression, or declarations and an expression; several lines are a body already. */
function functionBody(code, role) {
  const text = code.trimEnd();
  if (text.includes('\n')) return text;
  if (role !== 'assertion') return `return ${text}`;
  const line = text.trim().replace(/;+\s*$/, '');
  if (!/^(const|let|var)\s/.test(line)) return `return ${line}`;
  const at = lastSemicolon(line);
  const last = line.slice(at + 1).trim();
  return at < 0 || !last ? line : `${line.slice(0, at + 1)} return ${last}`;
}

/** The last semicolon that stands outside of quotes, or -1. */
function lastSemicolon(line) {
  let [quote, found] = ['', -1];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (letter === '\\') at += 1;
    else if (quote) quote = letter === quote ? '' : quote;
    else if (`'"\``.includes(letter)) quote = letter;
    else if (letter === ';') found = at;
  }
  return found;
}

/** What a file of code exports. */
async function exported(folder, script) {
  const file = resolve(folder, script.file);
  const found = await import(pathToFileURL(file).href);
  const own = found.default?.default ?? found.default ?? found;
  if (!script.function) return own;
  const named = own[script.function] ?? found[script.function];
  if (typeof named !== 'function') throw new Error(`${script.file} exports no function ${script.function}`);
  return named;
}

async function callScript(folder, script, output, context) {
  if (script.source !== undefined) {
    const made = new Function('output', 'context', 'process', functionBody(script.source, script.role));
    return made(output, context, shownProcess(folder));
  }
  const found = await exported(folder, script);
  const made = typeof found === 'function' ? found : found.default;
  if (typeof made !== 'function') throw new Error(`${script.file} exports no function`);
  return made(output, context);
}

/** The message of an error, with the line of the file in which it was thrown. */
function described(error) {
  if (!(error instanceof Error)) return String(error);
  const at = /\(?(file:\/\/[^\s)]+|\/[^\s)]+):(\d+):\d+\)?/.exec((error.stack ?? '').split('\n').slice(1).find((line) => !line.includes('promptfoo_code.mjs') && !line.includes('node:')) ?? '');
  const place = at ? ` (${at[1].split('/').pop()}:${at[2]})` : '';
  return `${error.name}: ${error.message}${place}`;
}

async function serve(path) {
  const { folder: named, scripts } = JSON.parse(readFileSync(path, 'utf8'));
  const folder = resolve(dirname(path), named);
  const python = scripts.some((script) => script.language === 'python') ? pythonWorker(path) : undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === 'hello') {
      const ready = { type: 'ready', protocol: 1, name: 'promptfoo_code', range: [null, null], summary: 'Code of a configuration of promptfoo' };
      write(`${JSON.stringify(ready)}\n`);
      continue;
    }
    const answer = { type: 'return', seq: message.seq };
    const script = scripts[message.script];
    try {
      if (!script) throw new Error(`the configuration has no code number ${message.script}`);
      if (script.language === 'python') {
        write(`${await python(line)}\n`);
        continue;
      }
      const value = await callScript(folder, script, message.output, message.context);
      if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`it returned ${value}, which is no score`);
      answer.value = value === undefined ? null : value;
      if (typeof value === 'function') throw new Error('it returned a function');
    } catch (error) {
      answer.error = described(error);
      delete answer.value;
    }
    write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

/** Hands lines on to Python, one at a time. */
function pythonWorker(path) {
  const child = spawn('python3', [join(here, 'promptfoo_code.py'), path], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (line) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('Python ended, or python3 is not there');
    return value;
  };
}

/** The variables of the test with a prompt. */
function variables(path, prompt) {
  const known = JSON.parse(readFileSync(path, 'utf8'))[prompt];
  if (known) return { vars: known };
  return {
    get vars() {
      throw new Error('several tests with different variables have this prompt, so that context.vars is not known');
    },
  };
}

async function provide(text, folder, known) {
  const script = JSON.parse(text);
  const request = JSON.parse(readFileSync(0, 'utf8'));
  const texts = request.messages.map((message) => ({ role: message.role, content: message.text ?? '' }));
  const prompt = texts.length === 1 && texts[0].role === 'user' ? texts[0].content : JSON.stringify(texts);
  const options = { id: script.id, config: script.config ?? {} };
  const context = Object.defineProperties({ prompt: { raw: prompt, label: prompt } }, Object.getOwnPropertyDescriptors(variables(known, prompt)));
  if (script.language === 'exec') {
    const [program, ...words] = [...script.source.matchAll(/[^\s"']+|"([^"]*)"|'([^']*)'/g)].map(([whole, double, single]) => double || single || whole);
    let shown = {};
    try {
      shown = { vars: context.vars };
    } catch {}
    try {
      return execFileSync(program, [...words, prompt, JSON.stringify(options), JSON.stringify(shown)], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 << 20 }).trim();
    } catch (error) {
      // Its own message repeats all arguments.
      throw new Error(error.status === undefined || error.status === null ? `${program} cannot be run (${error.code})` : `${program} ended with code ${error.status}`);
    }
  }
  const found = await exported(folder, { ...script, function: undefined });
  const made = script.function ? found[script.function] : found;
  if (typeof made !== 'function') throw new Error(`${script.file} exports no provider`);
  const isClass = typeof made.prototype?.callApi === 'function';
  const answer = isClass ? await new made(options).callApi(prompt, context, {}) : await made(prompt, context, options);
  if (answer?.error) throw new Error(answer.error);
  const output = typeof answer === 'string' ? answer : answer?.output;
  if (output === undefined || output === null) throw new Error(`${script.file} returned no output`);
  return typeof output === 'string' ? output : JSON.stringify(output);
}

if (process.argv[2] === '--provider') {
  const [text, folder, known] = process.argv.slice(3);
  provide(text, folder, known).then(
    (answer) => write(JSON.stringify({ text: answer }), () => process.exit(0)),
    (error) => write(JSON.stringify({ error: described(error) }), () => process.exit(0)),
  );
} else {
  await serve(process.argv[2]);
}
