// Where the views get what they show: a server, or the page itself.
import { problem } from "./page.js";

/** @typedef {import("./page.js").Parameters} Parameters */
/** @typedef {import("./contract").RunDescription} Run */
/**
 * What a server has and a page that is one file has not may be absent.
 * @typedef {{
 *   fetchJson: (path: string, parameters: Parameters) => Promise<any>,
 *   exportCases: (parameters: Parameters) => Promise<Blob>,
 *   orders: [string, string][],
 *   home?: () => Node,
 *   hasLabels?: boolean,
 *   savePage?: (run: Run, pressed: HTMLButtonElement, filter?: string) => void,
 *   runFacts?: (run: Run) => Node,
 *   liveLine?: (run: Run, atEnd: () => void, showNew: () => void) => Node,
 *   callsFold?: (parameters: Parameters) => Node,
 * }} Source
 */

/** @type {Source} */
export let source;
/** @param {Source} given */
export const useSource = (given) => {
  source = given;
};
/** @param {string} path @param {Parameters} parameters */
export const fetchJson = (path, parameters) => source.fetchJson(path, parameters);

/** A request that was refused, with the status of HTTP; 0 where nobody answered. */
export class RequestError extends Error {
  /** @param {number} status @param {string} words */
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}
/** @param {any} error */
export const failure = (error) =>
  problem(
    error instanceof RequestError && error.status === 0 ? "No connection" : "This cannot be shown",
    error.message,
  );
/** Takes away what was said beside a button of its last failure. @param {HTMLElement} pressed */
export const clearFailure = (pressed) => {
  if (pressed.nextElementSibling?.matches(".banner.bad")) pressed.nextElementSibling.remove();
};
/** Whether a fold has what it shows: after a failure it asks again when it is opened again. @param {HTMLElement} place */
export const isFilled = (place) => place.childElementCount > 0 && !place.querySelector(":scope > .banner.bad");
