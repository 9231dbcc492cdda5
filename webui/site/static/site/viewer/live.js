// A match that runs: its frames as they happen.

/** Feed a player with the frames of its match; `ended` is called when it is over. */
export function follow(player, ended) {
  const { root } = player;
  const after = player.reel.frames.at(-1).d;
  const source = new EventSource(`${root.dataset.live}${after === undefined ? "" : `?after=${after}`}`);
  let waiting = [];
  let isAdding = false;

  async function add() {
    if (isAdding) return;
    isAdding = true;
    while (waiting.length) {
      const frames = waiting;
      waiting = [];
      await player.add(frames);
    }
    isAdding = false;
  }

  source.addEventListener("frame", (event) => {
    const frame = JSON.parse(event.data);
    // After a lost line the server begins where we were; what we have is not added twice.
    const have = waiting.at(-1)?.d ?? player.reel.frames.at(-1).d ?? -1;
    if (frame.d === undefined || frame.d <= have) return;
    waiting.push(frame);
    add();
  });
  source.addEventListener("watching", (event) => {
    const place = document.querySelector("[data-watching]");
    if (place) place.textContent = JSON.parse(event.data);
  });
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => lost(source.readyState !== EventSource.CLOSED)); // closed: this server has no live feed
  source.addEventListener("end", () => {
    source.close();
    player.pause();
    ended();
  });
  addEventListener("pagehide", () => source.close());

  function lost(is) {
    root.querySelector("[data-lost]").hidden = !is;
    root.querySelector("[data-caption]").classList.toggle("is-lost", is);
  }
}
