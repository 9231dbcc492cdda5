// A match that runs: its frames as they happen.

/** Feed a player with the frames of its match; `ended` is called when it is over. */
export function follow(player, ended) {
  const { root } = player;
  const have = () => player.reel.frames.at(-1).d ?? -1;
  // The page may be older than the frames: its list lacks what was decided in between.
  const after = Math.min(have(), player.moves.last);
  const source = new EventSource(`${root.dataset.live}${after < 0 ? "" : `?after=${after}`}`);
  source.addEventListener("frame", (event) => {
    const frame = JSON.parse(event.data);
    // After a lost line, too, the server begins before what we have: it is not added twice.
    if (frame.d > have()) player.add(frame);
    else if (player.moves.add(frame)) player.draw();
  });
  source.addEventListener("thinking", (event) => player.think(JSON.parse(event.data)));
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

/** Call `begun` once the match has something to show, or has ended without. */
export function awaitFirst(address, begun) {
  const source = new EventSource(address);
  for (const kind of ["frame", "end"]) {
    source.addEventListener(kind, () => {
      source.close();
      begun();
    }, { once: true });
  }
  addEventListener("pagehide", () => source.close());
}
