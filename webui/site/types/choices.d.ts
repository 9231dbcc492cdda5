// The legal actions of a decision, as `choices` in webui/board/choices.py makes them.

/** A step of a path: its label and the names of its drawings. */
export interface ChoiceStep {
  label: string;
  /** Text of its button beside the drawings, if that is not the label. */
  short?: string;
  drawings: string[];
}

/** A legal action. */
export interface LegalAction {
  /** The action in the notation. */
  text: string;
  /** Its sentence without a subject. */
  words: string;
  /** Title of its group in the list of all actions. */
  group: string;
  /** The steps in which it is chosen. Cards and goods are chosen in any order. */
  path: string[];
  /** Points that the seat has more right after it. Null if that is not known. */
  gain: number | null;
  /** Whether a sowing goes on after it: it can be tried out, and taken back until the last drop. */
  goes_on: boolean;
}

export interface LegalChoices {
  /** The seat that decides. */
  seat: number;
  question: string;
  /** The meeples in hand or lifted. */
  held: ChoiceStep | null;
  actions: LegalAction[];
  steps: Record<string, ChoiceStep>;
}
