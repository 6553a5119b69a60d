// What one text has and the other has not, by words and the signs between them.
import { make } from "./case.js";

const mostWords = 1200;
const wordPattern = /\s+|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;

/** Both texts with what only one of them has marked. @param {string} before @param {string} after @returns {any[][]} */
export const difference = (before, after) => {
  const [a, b] = [before, after].map((text) => text.match(wordPattern) || []);
  if (a.length > mostWords || b.length > mostWords) return [[before], [after]];
  // Lengths of the longest common subsequences of what is left of both.
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      rows[i][j] = a[i] === b[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    }
  }
  /** @type {any[][]} */
  const [left, right] = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push(a[i]);
      right.push(b[j]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && rows[i + 1][j] >= rows[i][j + 1])) left.push(make("del", {}, a[i++]));
    else right.push(make("ins", {}, b[j++]));
  }
  return [left, right];
};
