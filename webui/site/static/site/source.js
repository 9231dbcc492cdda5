// A stream of events from the server, for as long as the page is seen.

/**
 * A page that comes back from the browser's cache is loaded anew.
 * @param {string} address
 * @param {AbortSignal} [signal] the source is closed from then on
 */
export function openSource(address, signal) {
  const source = new EventSource(address);
  addEventListener("pagehide", () => {
    if (source.readyState === EventSource.CLOSED) return;
    source.close();
    addEventListener("pageshow", () => location.reload(), { once: true });
  }, { signal });
  return source;
}
