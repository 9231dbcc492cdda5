// The editor of programs in Python, with CodeMirror. `make scripts` joins it with its packages into one file.
//
// It stands in a shadow root: its styles are then constructed style sheets, which the site's security policy allows, and
// nothing of them reaches the page.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const setLines = StateEffect.define();
const wrongLine = Decoration.line({ class: "cm-wrong" });

/** The lines where exceptions were raised, until the program is changed: then they may be repaired. */
const wrongLines = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    const found = transaction.effects.find((effect) => effect.is(setLines));
    if (found) return found.value;
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--seat-1-ink)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], fontWeight: "600" },
  { tag: tags.self, color: "var(--ink-2)" },
  { tag: tags.meta, color: "var(--seat-2-ink)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", background: "transparent", fontSize: ".88rem" },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 16px 0 8px" },
  ".cm-gutters": { background: "transparent", color: "var(--ink-3)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "44px", padding: "0 8px 0 12px" },
  ".cm-activeLine": { background: "color-mix(in srgb, var(--sunk) 45%, transparent)" },
  ".cm-activeLineGutter": { background: "transparent", color: "var(--ink)" },
  ".cm-wrong": { background: "var(--bad-soft)" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-tooltip": { background: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line-2)", borderRadius: "8px", boxShadow: "var(--shadow-2)", font: "13px/1.45 var(--font)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "15em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", lineHeight: "1.5" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: ".8", fontFamily: "var(--font)" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 12px", maxWidth: "320px" },
  ".word-help": { padding: "6px 10px", maxWidth: "360px" },
  ".word-help b": { fontFamily: "var(--font-mono)", display: "block" },
});

/**
 * Words that the editor completes and explains, by the object that has them; those of the empty name stand alone.
 * @typedef {Record<string, { name: string, detail: string, help: string }[]>} Words
 */

/**
 * Members are offered after a point, and other words when somebody asks. None is chosen before an arrow key chooses it, so
 * that Enter stays a new line.
 * @param {Words} words
 */
function completing(words) {
  return autocompletion({
    icons: false,
    selectOnOpen: false,
    interactionDelay: 0, // nothing is selected at first, so that no key can choose by accident
    override: [(context) => {
      const member = context.matchBefore(/\b([A-Za-z_]+)(\[[^\]]*\])?\.\w*$/);
      if (!member && !context.explicit) return null;
      const owner = member ? /^[A-Za-z_]+/.exec(member.text)[0] : "";
      const found = words[owner];
      if (!found) return null;
      const typed = context.matchBefore(/\w*$/);
      return {
        from: typed ? typed.from : context.pos,
        validFor: /^\w*$/,
        options: found.map(({ name, detail, help }) => ({ label: name, detail, info: help || undefined })),
      };
    }],
  });
}

/** @param {Words} words */
function explaining(words) {
  return hoverTooltip((view, position) => {
    const line = view.state.doc.lineAt(position);
    for (const { index, 0: text } of line.text.matchAll(/[A-Za-z_]\w*(?:\[[^\]]*\])?\.\w+|[A-Za-z_]\w*/g)) {
      const from = line.from + index;
      if (position < from || position > from + text.length) continue;
      const [owner, name] = text.includes(".") ? [/^\w+/.exec(text)[0], /\w+$/.exec(text)[0]] : ["", text];
      const found = (words[owner] ?? []).find((word) => word.name === name);
      if (!found) return null;
      return {
        pos: from, end: from + text.length, above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "word-help";
          const title = document.createElement("b");
          title.textContent = [text, found.detail].filter(Boolean).join(": ");
          dom.append(title, found.help);
          return { dom };
        },
      };
    }
    return null;
  });
}

/**
 * Put an editor in the place of a text area.
 * @param {HTMLTextAreaElement} area
 * @param {{ changed: () => void, run: () => void, label: string, words: Words }} told
 */
export function openEditor(area, { changed, run, label, words }) {
  const host = document.createElement("div");
  host.className = "writing-editor";
  host.dataset.keys = "";
  const root = host.attachShadow({ mode: "open" });
  area.after(host);
  area.hidden = true;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(),
        indentUnit.of("    "), EditorState.tabSize.of(4), python(), syntaxHighlighting(colours), look, wrongLines,
        completing(words), explaining(words),
        keymap.of([
          { key: "Mod-Enter", run: () => { run(); return true; } },
          ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab,
        ]),
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark: (lines) => {
      const there = [...new Set(lines)].filter((line) => line <= view.state.doc.lines).sort((a, b) => a - b);
      view.dispatch({ effects: setLines.of(Decoration.set(there.map((line) => wrongLine.range(view.state.doc.line(line).from)))) });
    },
    show: (line) => {
      if (line > view.state.doc.lines) return;
      const { from } = view.state.doc.line(line);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    },
    focus: () => view.focus(),
  };
}
