// The metric `brand_voice` of checks.py as a program: JSON Lines in and out (docs/own-metric.md).
//   probare metric check -- node check.mjs
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
let options = { words: ["we", "our", "you"], banned: ["cheap", "guarantee"] };

const score = ({ response }) => {
  const evidence = [];
  const at = (word) => response.indexOf(word);
  for (const word of options.words) {
    if (at(word) >= 0) evidence.push({ kind: "matched", field: "response", start: at(word), end: at(word) + word.length });
    else evidence.push({ kind: "missing", text: word });
  }
  const found = evidence.filter((piece) => piece.kind === "matched").length;
  const banned = options.banned.filter((word) => at(word) >= 0);
  for (const word of banned) {
    evidence.push({ kind: "contradicted", field: "response", start: at(word), end: at(word) + word.length, note: "a banned word" });
  }
  const value = banned.length ? 0 : found / options.words.length;
  return { value, label: value >= 0.5 ? "on brand" : "off brand", parts: { found, banned: banned.length }, evidence };
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    options = { ...options, ...message.options };
    say({
      type: "ready",
      protocol: 1,
      name: "brand_voice",
      summary: "Share of the words of the brand that the response uses; a banned word makes it 0.",
      version: 1,
      better: "higher",
      range: [0, 1],
      needs: ["response"],
      offsets: "utf16",
      options: { type: "object", properties: { words: { type: "array" }, banned: { type: "array" } }, additionalProperties: false },
    });
  } else {
    // Standard output belongs to the protocol; remarks go to standard error, with console.error.
    say({ type: "result", seq: message.seq, ...score(message.case) });
  }
}
