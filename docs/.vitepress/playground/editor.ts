import { indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { basicSetup, EditorView } from 'codemirror';

/**
 * An editor for JavaScript. Escape and then Tab leaves it, as CodeMirror's documentation describes for users without a
 * mouse.
 */
export function createEditor(parent: HTMLElement, code: string, run: () => void): EditorView {
  const runKey = {
    key: 'Mod-Enter',
    run: () => {
      run();
      return true;
    },
  };
  return new EditorView({
    parent,
    doc: code,
    extensions: [
      Prec.highest(keymap.of([runKey])),
      basicSetup,
      keymap.of([indentWithTab]),
      javascript(),
      EditorView.contentAttributes.of({ 'aria-label': 'Code of the example' }),
    ],
  });
}
