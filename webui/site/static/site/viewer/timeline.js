// The line of the whole match: slider, marks, rounds, and the sentence under the pointer.

const SVG = "http://www.w3.org/2000/svg";

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export class Timeline {
  /** @param seek called with the place that is asked for; @param words gives the sentence of a place */
  constructor(root, seek, words) {
    this.root = root;
    this.words = words;
    this.slide = root.querySelector("[data-slide]");
    this.hint = root.querySelector("[data-hint]");
    this.slide.hidden = false;
    this.slide.addEventListener("input", () => seek(Number(this.slide.value)));
    root.addEventListener("pointermove", (event) => this.#tell(event));
    root.addEventListener("pointerleave", () => { this.hint.hidden = true; });
  }

  /** Draw the marks and rounds of all frames. */
  mark(reel) {
    this.last = reel.last;
    this.slide.max = String(reel.last);
    const at = (place) => `${(100 * place) / (reel.last || 1)}%`;
    const marks = reel.frames.flatMap((frame, place) => (frame.marks ?? []).map(([kind, seat, title]) => {
      const link = draw("a", { class: `mk-${kind} s${seat}`, href: `#d=${frame.d}`, tabindex: "-1", "aria-label": title, "data-step": "" },
        draw("use", { href: `#k-${kind}` }), draw("title", {}, title));
      return draw("svg", { x: at(place), y: "0", width: "1", height: "54", overflow: "visible" }, link);
    }));
    this.root.querySelector("[data-marks]").replaceChildren(...marks);
    const rounds = reel.frames.flatMap((frame, place) => frame.round === reel.frames[place - 1]?.round ? [] : [
      draw("line", { class: "rd", x1: at(place), x2: at(place), y1: "33", y2: "43" }),
      draw("text", { class: "rd-n", x: at(place), y: "53" }, String(frame.round)),
    ]);
    this.root.querySelector("[data-rounds]").replaceChildren(...rounds);
  }

  show(place) {
    this.slide.value = String(place);
    this.slide.setAttribute("aria-valuetext", this.words(place));
    const at = `${(100 * place) / (this.last || 1)}%`;
    this.root.querySelector(".ln-done").setAttribute("x2", at);
    this.root.querySelector("[data-head]").setAttribute("x", at);
  }

  #tell(event) {
    const box = this.root.querySelector(".lane").getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    this.hint.hidden = event.pointerType === "touch" && event.buttons === 0;
    this.hint.textContent = this.words(Math.round(share * this.last));
    this.hint.style.transform = `translate(calc(${share * box.width}px - ${share * 100}%), 0)`;
  }
}
