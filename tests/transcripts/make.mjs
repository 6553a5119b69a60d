// The transcripts of the Vercel AI library: node make.mjs FOLDER, in a folder where npm installed `ai`. The library's own code
// checks the messages of a page and makes those of a call of a model of them.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(join(process.cwd(), "x.mjs")));
const path = require.resolve("ai");
const ai = await import(pathToFileURL(path).href);
const version = JSON.parse(readFileSync(resolve("node_modules/ai/package.json"))).version;
const folder = resolve(process.argv[2]);

const tool = (id, city, sky) => ({
  type: "tool-weather", toolCallId: id, state: "output-available", input: { city }, output: { sky },
});
const messages = [
  { id: "1", role: "user", parts: [{ type: "text", text: "Rain in Rome and Oslo?" }] },
  {
    id: "2", role: "assistant",
    parts: [
      { type: "step-start" }, { type: "reasoning", text: "Two cities.", state: "done" },
      tool("c1", "Rome", "dry"), tool("c2", "Oslo", "wet"),
      { type: "step-start" }, { type: "text", text: "Rome is dry, Oslo is wet.", state: "done" },
    ],
  },
];
const checked = await ai.validateUIMessages({ messages });
const converted = await ai.convertToModelMessages(checked);
for (const [name, row] of [["vercel_ui", checked], ["vercel_model", converted]]) {
  const text = JSON.stringify({ from: `ai ${version}`, row: { messages: row } }, null, 1);
  writeFileSync(join(folder, `${name}.json`), text + "\n");
  console.log(`made ${name}: ai ${version}`);
}
