// The editor: CodeMirror with Python, in the page's colors.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], class: "k" },
  { tag: [tags.string, tags.docString], class: "s" },
  { tag: tags.comment, class: "c1" },
  { tag: [tags.number, tags.bool], class: "mi" },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], class: "nf" },
]);

export function editor(parent, text, { label, described, changed, run }) {
  const checked = () => {
    run();
    return true;
  };
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentUnit.of("    "),
        python(),
        syntaxHighlighting(colors),
        EditorView.lineWrapping,
        keymap.of([{ key: "Mod-Enter", run: checked }]),
        keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": described }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
}
