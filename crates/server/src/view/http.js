// What the pages show comes from the server, with the token of this viewer.
import { toSearch } from "./page.js";
import { RequestError } from "./source.js";

/** @typedef {import("./page.js").Parameters} Parameters */

// The token came behind the # of the address, which no server sees; it stays with this tab and leaves the address.
const storageKey = "probare-token";
const given = /^#token=([^&/]+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem(storageKey, decodeURIComponent(given[1]));
  history.replaceState(null, "", "#/runs");
}

// A tab that was opened from another one asks the others of this viewer for the token. It is kept nowhere else.
const tabs = new BroadcastChannel("probare-token");
tabs.addEventListener("message", ({ data }) => {
  const token = sessionStorage.getItem(storageKey);
  if (data === "wanted" && token) tabs.postMessage({ token });
  else if (data && data.token && !token) sessionStorage.setItem(storageKey, String(data.token));
});
/** Waits until another tab has answered, where this one has no token; half a second at most. */
export const findToken = async () => {
  if (sessionStorage.getItem(storageKey)) return;
  tabs.postMessage("wanted");
  for (let tries = 0; tries < 25 && !sessionStorage.getItem(storageKey); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
/** @param {string} token */
export const setToken = (token) => sessionStorage.setItem(storageKey, token);

/** @param {string} path @param {Parameters} parameters @param {RequestInit} [options] */
export const request = async (path, parameters, options) => {
  const search = toSearch(parameters);
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(storageKey) || ""}`, ...options?.headers };
  let reply;
  try {
    reply = await fetch(`/view/api/${path}${search.size ? `?${search}` : ""}`, {
      ...options,
      headers,
      cache: "no-store",
    });
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new RequestError(0, "The viewer does not respond; it may have stopped. Start `probare view` again.");
  }
  if (reply.ok) return reply;
  const body = await reply.json().catch(() => ({}));
  throw new RequestError(reply.status, body.error || `the server responded with status ${reply.status}`);
};

// What a view still waits for when another one is opened is not waited for any longer, so it cannot take its place.
let view = new AbortController();
addEventListener("hashchange", () => {
  view.abort();
  view = new AbortController();
});
/** @param {string} path @param {Parameters} parameters */
export const fetchJson = async (path, parameters) => (await request(path, parameters, { signal: view.signal })).json();
