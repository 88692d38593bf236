// The editor: CodeMirror with hints, findings, hovers, names by their kinds, completion and a menu of actions.
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { cpp } from '@codemirror/lang-cpp';
import { python } from '@codemirror/lang-python';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  hoverTooltip, keymap, lineNumbers, rectangularSelection, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { type Client, Superseded } from './client';
import { h, markdown } from './dom';
import type { Finding, Hint, Range } from './protocol';

/** A field of decorations that an effect replaces, and edits move. */
function decorations(): [StateField<DecorationSet>, ReturnType<typeof StateEffect.define<DecorationSet>>] {
  const set = StateEffect.define<DecorationSet>();
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(value, transaction) {
      let moved = value.map(transaction.changes);
      for (const effect of transaction.effects) {
        if (effect.is(set)) {
          moved = effect.value;
        }
      }
      return moved;
    },
    provide: field => EditorView.decorations.from(field),
  });
  return [field, set];
}

const [hintField, setHints] = decorations();
const [tokenField, setTokens] = decorations();
const [linkField, setLinks] = decorations();

class HintWidget extends WidgetType {
  constructor(private readonly label: string, private readonly hint: Hint) {
    super();
  }
  override eq(other: HintWidget): boolean {
    return this.label === other.label && this.hint.tooltip === other.hint.tooltip;
  }
  override toDOM(view: EditorView): HTMLElement {
    const to = this.hint.parts.find(it => it.to)?.to;
    const jump = (event: Event) => {
      event.preventDefault();
      if (to) {
        select(view, to);
      }
    };
    return h('span', { class: 'inlay', title: this.hint.tooltip.replaceAll('`', ''), onmousedown: jump }, this.label);
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** Selects a range and shows it. */
export function select(view: EditorView, [from, to]: Range): void {
  const end = view.state.doc.length;
  const selection = { anchor: Math.min(from, end), head: Math.min(to, end) };
  view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }) });
  view.focus();
}

export function hintLabel(hint: Hint, state: EditorState): string {
  const line = (at: Range) => state.doc.lineAt(Math.min(at[0], state.doc.length)).number;
  return hint.parts.map(it => it.text + (it.namesLine && it.to ? ` (line ${line(it.to)})` : '')).join('').trim();
}

export function showHints(view: EditorView, hints: Hint[]): void {
  const { state } = view;
  const widgets = hints.filter(it => it.at <= state.doc.length).map(it => {
    const widget = new HintWidget(hintLabel(it, state), it);
    return Decoration.widget({ widget, side: 1 }).range(it.at);
  });
  view.dispatch({ effects: setHints.of(RangeSet.of(widgets, true)) });
}

export function showTokens(view: EditorView, tokens: [number, number, string][]): void {
  const end = view.state.doc.length;
  const marks = tokens.filter(it => it[1] <= end && it[0] < it[1]);
  const ranges = marks.map(([from, to, kind]) => Decoration.mark({ class: `kind-${kind}` }).range(from, to));
  view.dispatch({ effects: setTokens.of(RangeSet.of(ranges, true)) });
}

/** Marks the lines of places: what is linked with a line of another view. */
export function showLinked(view: EditorView, places: number[]): void {
  const { doc } = view.state;
  const starts = [...new Set(places.filter(it => it <= doc.length).map(it => doc.lineAt(it).from))].sort((a, b) => a - b);
  view.dispatch({ effects: setLinks.of(RangeSet.of(starts.map(it => Decoration.line({ class: 'linked' }).range(it)))) });
}

export function showFindings(view: EditorView, findings: Finding[]): void {
  const end = view.state.doc.length;
  const diagnostic = (it: Finding): Diagnostic => ({
    from: Math.min(it.range[0], end),
    to: Math.min(it.range[1], end),
    severity: it.severity,
    message: it.message,
    source: it.code,
    markClass: it.unnecessary ? 'unnecessary' : '',
    renderMessage: () => h('div', {}, it.message, ' ', h('code', {}, it.code), it.help && h('div', { class: 'help' }, it.help)),
  });
  view.dispatch(setDiagnostics(view.state, findings.map(diagnostic)));
}

const languageOf = new Compartment();

export function setLanguage(view: EditorView, id: string): void {
  view.dispatch({ effects: languageOf.reconfigure(id === 'tvmscript' ? python() : []) });
}

/** What a view shows of its text, whoever wrote it. */
const looks: Extension = [
  highlightSpecialChars(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  rectangularSelection(),
  syntaxHighlighting(classHighlighter),
  highlightSelectionMatches(),
];

interface Listeners {
  changed(): void;
  moved(): void;
  scrolled(): void;
  actions(): boolean;
}

/** The editor of the page. */
export function editor(parent: HTMLElement, text: string, client: Client, on: Listeners): EditorView {
  const hover = hoverTooltip(async (view, at) => {
    const found = await client.ask('hover', { at }).catch(() => null);
    if (found === null || found.range[1] > view.state.doc.length) {
      return null;
    }
    const create = () => ({ dom: h('div', { class: 'hover' }, markdown(found.markdown)) });
    return { pos: found.range[0], end: found.range[1], above: true, create };
  });
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (!context.explicit && !context.matchBefore(/[\w%#!@^.]+$/)) {
      return null;
    }
    const found = await client.ask('completions', { at: context.pos }).catch(() => null);
    if (found === null || context.aborted) {
      return null;
    }
    const options = found.items.map(it => ({ label: it.label, type: it.kind, detail: it.detail ?? undefined }));
    return { from: found.from, options, filter: !found.incomplete };
  };
  const watch = ViewPlugin.define(() => ({
    update(update: ViewUpdate) {
      if (update.docChanged) {
        on.changed();
      } else if (update.selectionSet) {
        on.moved();
      }
      if (update.viewportChanged) {
        on.scrolled();
      }
    },
  }));
  const extensions = [
    lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), foldGutter(), lintGutter(), history(), looks,
    indentOnInput(), bracketMatching(), languageOf.of([]), hintField, tokenField, linkField, hover, watch,
    autocompletion({ override: [complete] }),
    keymap.of([
      { key: 'Mod-.', run: on.actions },
      ...completionKeymap, ...searchKeymap, ...lintKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
    ]),
    EditorView.contentAttributes.of({ 'aria-label': 'Source', spellcheck: 'false', autocapitalize: 'off' }),
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}

/** A view of a text that is not edited: device code. `moved` is told the line, from 0, that was chosen. */
export function viewer(parent: HTMLElement, label: string, moved: (line: number) => void): EditorView {
  const watch = EditorView.updateListener.of(it => {
    if (it.selectionSet && it.view.hasFocus) {
      moved(it.state.doc.lineAt(it.state.selection.main.head).number - 1);
    }
  });
  const extensions = [
    lineNumbers(), looks, highlightActiveLine(), linkField, hintField, watch, keymap.of([...searchKeymap, ...defaultKeymap]),
    cpp(), EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ];
  return new EditorView({ parent, state: EditorState.create({ extensions }) });
}

export function isSuperseded(error: unknown): boolean {
  return error instanceof Superseded;
}
