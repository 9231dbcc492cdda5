// The move list: the current line is tinted and kept in view.

export class Moves {
  constructor(root) {
    this.list = root.querySelector(".mvl");
    this.count = root.querySelector("[data-count]");
    this.lines = new Map(); // index in the log -> line
    this.current = null;
    for (const line of this.list?.querySelectorAll(".mv") ?? []) this.#know(line);
  }

  #know(line) {
    this.lines.set(line.querySelector(".mv-i").textContent, line);
    if (line.classList.contains("is-now")) this.current = line;
  }

  /** Mark the line of a decision; none before the first. */
  show(name) {
    if (!this.list) return;
    const line = this.lines.get(name) ?? null;
    if (line !== this.current) {
      this.current?.classList.remove("is-now");
      this.current?.querySelector("a").removeAttribute("aria-current");
      line?.classList.add("is-now");
      line?.querySelector("a").setAttribute("aria-current", "step");
      this.current = line;
    }
    this.list.classList.toggle("at-start", !line);
    this.list.scrollTop = line ? line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2 : 0; // within the list alone
  }

  /** One more line, and how many there are with it. */
  add(html, count) {
    if (!this.list) return;
    this.list.querySelector("[data-no-moves]")?.remove();
    this.list.insertAdjacentHTML("beforeend", html);
    this.#know(this.list.lastElementChild);
    this.count.textContent = count;
  }
}
