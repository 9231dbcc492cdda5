// The move list: the current line is tinted and kept in view, later ones are lighter.

export class Moves {
  constructor(root) {
    this.list = root.querySelector(".mvl");
    this.count = root.querySelector("[data-count]");
    this.lines = [...(this.list?.querySelectorAll(".mv") ?? [])];
    this.places = new Map(); // index in the log -> number of the line
    this.lines.forEach((line, number) => this.#know(line, number));
    this.current = this.lines.findIndex((line) => line.classList.contains("is-now"));
    this.done = this.lines.length; // so many lines are not later than the current one
  }

  #know(line, number) { this.places.set(line.querySelector(".mv-i").textContent, number); }

  /** Mark the line of a decision; none before the first. */
  show(name) {
    if (!this.list) return;
    const number = this.places.get(name) ?? -1;
    if (number !== this.current) {
      this.#mark(this.current, false);
      this.#mark(number, true);
      this.current = number;
    }
    // Line by line: a style that follows from the current line would be worked out anew for all lines at each step.
    for (; this.done > number + 1; this.done--) this.lines[this.done - 1].classList.add("is-later");
    for (; this.done < number + 1; this.done++) this.lines[this.done].classList.remove("is-later");
    const line = this.lines[number];
    this.list.scrollTop = line ? line.offsetTop - (this.list.clientHeight - line.clientHeight) / 2 : 0; // within the list alone
  }

  #mark(number, isNow) {
    const line = this.lines[number];
    line?.classList.toggle("is-now", isNow);
    if (isNow) line?.querySelector("a").setAttribute("aria-current", "step");
    else line?.querySelector("a").removeAttribute("aria-current");
  }

  /** The index of its last decision: -1 before the first, and without a list no number is too high. */
  get last() { return this.list ? Number(this.lines.at(-1)?.querySelector(".mv-i").textContent ?? -1) : Infinity; }

  /** The line of a frame, later than what is shown, and how many there are with it; whether it is new here. */
  add({ d, move, count }) {
    if (!move || d <= this.last) return false;
    this.list.querySelector("[data-no-moves]")?.remove();
    this.list.insertAdjacentHTML("beforeend", move);
    const line = this.list.lastElementChild;
    line.classList.add("is-later");
    this.#know(line, this.lines.push(line) - 1);
    this.count.textContent = count;
    return true;
  }
}
