// The page's lines to the server: streams of events, and requests that are repeated until the server answers.
//
// The browser's own EventSource gives up for good on any answer but 200, and never notices a line that has gone silent.
// A stream here ends only when its page closes it, at the event `end`, or when the server says that it has no such feed.

const FIRST_MS = 1000; // before the second try, and twice as long before each next one
const MOST_MS = 30_000;
const MOST_ASKED_MS = 120_000; // of what a server asks for in Retry-After
const SILENCE_MS = 40_000; // a live feed sends something every 15 s (`webui/core/feeds.py`)
const HAS_NO_TIME = [429, 500, 502, 503, 504];
const HAS_NO_FEED = [204, 403, 404, 410]; // 204: this server has no live feeds; the others: this page has none, or none any more

/**
 * Show one note while any of several lines to the server is lost.
 * @param {(isLost: boolean) => void} show
 * @returns {(what: string) => (isLost: boolean) => void} what is told of the line of this name
 */
export function lostNote(show) {
  /** @type {Set<string>} */
  const missing = new Set();
  return (what) => (isLost) => {
    if (isLost) missing.add(what);
    else missing.delete(what);
    show(missing.size > 0);
  };
}

/** Waits between tries: what the server asks for, or else longer each time. They differ from reader to reader. */
class Backoff {
  #failures = 0;

  reset() { this.#failures = 0; }

  /** Wait after a try that failed. @param {Response | null} answer null if none came */
  pause(answer) {
    const asked = Math.min(MOST_ASKED_MS, 1000 * Math.max(0, Number(answer?.headers.get("Retry-After")) || 0));
    const wait = asked || Math.min(MOST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return new Promise((resolve) => { setTimeout(resolve, wait * (1 + Math.random() / 2)); });
  }
}

/** A connection that is aborted after `SILENCE_MS` in which nothing was received. */
class Line {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;

  constructor() { this.heard(); }

  get signal() { return this.#controller.signal; }

  /** Wait for the next piece from now on. */
  heard() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#controller.abort(), SILENCE_MS);
  }

  /** Wait for nothing more. What was received can still be read. */
  finish() { clearTimeout(this.#silence); }

  abort() {
    this.finish();
    this.#controller.abort();
  }
}

/**
 * Fetch an answer with its whole body, so that a body that breaks off or stalls counts as a failure, too.
 * @param {string} address
 * @param {Omit<RequestInit, "signal">} options
 * @returns {Promise<Response | null>} null if the server cannot be reached or falls silent
 */
async function fetchWhole(address, options) {
  const line = new Line();
  try {
    const answer = await fetch(address, { ...options, signal: line.signal });
    const reader = answer.clone().body?.getReader();
    while (reader && !(await reader.read()).done) line.heard();
    return answer;
  } catch (error) {
    console.info(error);
    return null;
  } finally {
    line.finish();
  }
}

/**
 * Fetch, again and again while the server has no time, cannot be reached or falls silent.
 * @param {string} address
 * @param {Omit<RequestInit, "signal"> & { lost?: (isLost: boolean) => void }} [options] `lost` is called after each try, as in `follow`
 * @returns {Promise<Response>} any other answer, which may be an error
 */
export async function fetchPatiently(address, { lost, ...options } = {}) {
  const backoff = new Backoff();
  for (;;) {
    const answer = await fetchWhole(address, options);
    const hasNoTime = !answer || HAS_NO_TIME.includes(answer.status);
    lost?.(hasNoTime);
    if (!hasNoTime) return answer;
    await backoff.pause(answer);
  }
}

/**
 * Follow a stream of events for as long as the page is seen. A page that comes back from the browser's cache is loaded anew.
 * @param {string} address
 * @param {object} told
 * @param {Record<string, (data: any) => void>} told.events what is done at each kind of event, with its data; `end` is the last
 * @param {(isLost: boolean) => void} [told.lost] called whenever the line is lost, and when it is there
 * @param {() => void} [told.none] called if the server has no such feed
 * @returns {() => void} a function that closes the stream
 */
export function follow(address, { events, lost, none }) {
  const listening = new AbortController();
  const url = new URL(address, location.href);
  /** @type {Line | undefined} */
  let line;
  let isClosed = false;

  function close() {
    isClosed = true;
    line?.abort();
    listening.abort();
  }

  async function run() {
    const backoff = new Backoff();
    while (!isClosed) {
      const answer = await connect(backoff);
      if (isClosed) return;
      if (answer && HAS_NO_FEED.includes(answer.status)) {
        close();
        lost?.(false);
        none?.();
        return;
      }
      lost?.(true);
      await backoff.pause(answer);
    }
  }

  /** Connect once, and take all events of this connection. @param {Backoff} backoff @returns {Promise<Response | null>} */
  async function connect(backoff) {
    const current = new Line();
    line = current;
    /** @type {Response | null} */
    let answer = null;
    try {
      answer = await fetch(url, { headers: { Accept: "text/event-stream" }, cache: "no-store", signal: current.signal });
      if (answer.status !== 200 || !answer.body) return answer;
      lost?.(false);
      for await (const { event, data, id } of eventsOf(answer.body, () => current.heard())) {
        backoff.reset();
        if (id) url.searchParams.set("after", id);
        if (event === "end") close();
        take(event, data);
        if (isClosed) break;
      }
    } catch (error) {
      if (!isClosed) console.info(error);
    } finally {
      current.abort(); // whatever the answer has left
    }
    return answer;
  }

  /** @param {string} event @param {string} data */
  function take(event, data) {
    try {
      events[event]?.(JSON.parse(data));
    } catch (error) {
      reportError(error); // the other events still come
    }
  }

  addEventListener("pagehide", () => {
    close();
    addEventListener("pageshow", () => location.reload(), { once: true });
  }, { signal: listening.signal });
  run();
  return close;
}

/**
 * The events of a stream as they come: the fields of each.
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} heard called at each piece, comments too
 * @returns {AsyncGenerator<{ event: string, data: string, id: string }>}
 */
async function* eventsOf(body, heard) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      /** @param {string} name */
      const field = (name) => block.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1] ?? "";
      if (field("event")) yield { event: field("event"), data: field("data"), id: field("id") };
    }
  }
}
