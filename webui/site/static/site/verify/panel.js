// <match-proof>: the panel "Verify this match". Its button fetches the replay and checks it here, step by step.

import { checkEvents, checkResult, checkSeed, checkSetUp, Difference } from "./check.js";

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const painted = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

class MatchProof extends HTMLElement {
  connectedCallback() {
    this.button = this.querySelector("[data-verify]");
    if (!this.button || this.isReady) return;
    this.isReady = true;
    this.texts = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.button.hidden = false;
    this.button.addEventListener("click", () => this.verify());
  }

  async verify() {
    if (this.button.getAttribute("aria-disabled")) return;
    this.button.setAttribute("aria-disabled", "true");
    this.steps = [...this.querySelectorAll("[data-proof]")];
    this.steps.forEach((step) => this.mark(step, "", ""));
    this.say("", "");
    try {
      await this.prove();
    } catch (error) {
      const now = this.steps.find((step) => step.dataset.state === "running") ?? this.steps[0];
      this.mark(now, "failed", this.texts.states.failed);
      this.fail(error);
    }
    this.button.removeAttribute("aria-disabled");
  }

  async prove() {
    const { replay: replayAt, proof: proofAt, commitment } = this.dataset;
    let replay, proof, stream, draws;
    await this.step("seed", async () => {
      replay = await json(replayAt);
      checkSeed(replay, commitment);
    });
    await this.step("setup", () => { stream = checkSetUp(replay); });
    await this.step("events", async () => {
      proof = await json(proofAt);
      draws = checkEvents(replay, proof, stream);
    });
    await this.step("result", () => checkResult(replay, proof));
    this.say("good", fill(this.texts.done, { decisions: replay.events.length - draws, draws }));
  }

  async step(name, check) {
    const step = this.steps.find((item) => item.dataset.proof === name);
    this.mark(step, "running", this.texts.states.running);
    await painted();
    await check();
    this.mark(step, "done", this.texts.states.done);
  }

  mark(step, state, words) {
    step.dataset.state = state;
    step.querySelector("[data-proof-state]").textContent = words;
  }

  fail(error) {
    if (!(error instanceof Difference)) {
      this.say("bad", fill(this.texts.broken, { reason: error.message }));
      return;
    }
    const { what, values, index } = error;
    this.say("bad", fill(this.texts.differences[what], { ...values, index }));
    if (index === null) return;
    const link = document.createElement("a");
    link.href = `?d=${index}`;
    link.textContent = fill(this.texts.look, { index });
    this.querySelector("[data-proof-says]").append(" ", link);
  }

  say(tone, words) {
    const line = this.querySelector("[data-proof-says]");
    line.dataset.tone = tone;
    line.textContent = words;
    const chip = this.querySelector("[data-proof-chip]");
    chip.className = `chip ${tone}`;
    chip.textContent = this.texts.chips[tone || "none"];
  }
}

customElements.define("match-proof", MatchProof);
