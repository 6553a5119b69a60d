// A run that is still written: how far it is, told by the server as it goes on.
import { count, make, rounded, short } from "./case.js";
import { button, withDots } from "./page.js";
import { request } from "./http.js";
import { RequestError } from "./source.js";

/** @typedef {import("./runs.js").Run} Run */

const spanOfRate = 20;

/** @param {number} seconds */
const timeLeft = (seconds) => (seconds > 90 ? `${Math.round(seconds / 60)} min left` : `${Math.round(seconds)} s left`);

/**
 * A line that follows a run; `atEnd` is called when the run is complete.
 * @param {Run} run @param {() => void} atEnd @param {() => void} [showNew]
 */
export const liveLine = (run, atEnd, showNew) => {
  const words = make("span", {}, "…");
  const bar = /** @type {HTMLProgressElement} */ (
    make("progress", { max: run.samples || 1, value: run.finished || 0, "aria-label": "Samples finished" })
  );
  const refresh = showNew ? button("Show new samples", showNew) : null;
  const line = make("div", { class: "live", role: "group", "aria-label": "Live" }, bar, words, refresh);
  const stop = new AbortController();
  /** @type {[number, number][]} */
  let seen = [];
  /** @param {Run} now */
  const update = (now) => {
    if (!line.isConnected) {
      stop.abort();
      return;
    }
    const at = performance.now() / 1000;
    seen = [...seen.filter(([then]) => at - then < spanOfRate), [at, now.finished || 0]];
    const [[since, before]] = seen;
    const rate = at > since ? ((now.finished || 0) - before) / (at - since) : 0;
    const left = rate > 0 ? ((now.samples || 0) - (now.finished || 0)) / rate : null;
    const failed = (now.errors || []).map(([kind, number]) => `${kind} ${count(number)}`).join(", ");
    const isStill = seen.length > 10 && rate === 0;
    bar.value = now.finished || 0;
    words.replaceChildren(
      ...withDots([
        `${count(now.finished || 0)} of ${count(now.samples || 0)} samples`,
        rate > 0 ? `${rounded(Number(rate.toFixed(1)))} per second` : "",
        left === null ? "" : timeLeft(left),
        now.cost ? make("bdi", {}, now.cost) : "",
        failed ? `failed: ${failed}` : "",
        isStill ? "no new samples for a while; the run may have stopped" : "",
      ]),
    );
  };
  /** Reads events until the run is complete or the server has no more. @returns {Promise<boolean>} */
  const read = async () => {
    const reply = await request("live", { run: run.key }, { signal: stop.signal });
    const body = /** @type {ReadableStream<any>} */ (reply.body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return false;
      const events = (rest + value).split("\n\n");
      rest = events.pop() || "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event);
        if (data) update(JSON.parse(data[1]));
        if (event.startsWith("event: complete")) return true;
      }
    }
  };
  const listen = async () => {
    while (line.isConnected) {
      try {
        if (await read()) {
          line.remove();
          atEnd();
          return;
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error instanceof RequestError && error.status === 404) {
          words.replaceChildren(make("bdi", {}, short(error.message, 300)));
          return;
        }
        if (error instanceof RequestError && error.status === 0) words.replaceChildren("The viewer does not respond …");
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  // Not before it is on the page.
  setTimeout(listen);
  return line;
};
