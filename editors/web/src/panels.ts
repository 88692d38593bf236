// The views beside the source. Each draws itself when it is shown, when the text changes and when the cursor moves.
import { unifiedMergeView } from '@codemirror/merge';
import { syntaxHighlighting } from '@codemirror/language';
import { python } from '@codemirror/lang-python';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import type { Client } from './client';
import { h, inline, markdown } from './dom';
import { hintLabel, isSuperseded, select, showLinked, viewer } from './editor';
import type { About, Action, DeviceCode, Edit, Finding, FunctionAt, Hint, Range } from './protocol';

/** What the views share: the source, the worker, and what is known of the text. */
export interface Page {
  view: EditorView;
  client: Client;
  about: About;
  language: string;
  hasDeviceCode: boolean;
  preset: string;
  target: string;
  /** False until the first text was read. */
  isRead: boolean;
  findings: Finding[];
  functions: FunctionAt[];
  apply(action: Action): void;
  actionsAt(from: number, to: number): Promise<Action[]>;
  failed(error: unknown): void;
}

export interface Panel {
  id: string;
  title: string;
  /** Draws the whole view into an element. */
  show(root: HTMLElement): void;
  /** The text is another one. */
  changed(): void;
  /** The cursor is elsewhere. */
  moved(): void;
}

const SEVERITIES = { error: 'error', warning: 'warning', info: 'info', hint: 'hint' };

function lineOf(page: Page, at: number): number {
  return page.view.state.doc.lineAt(Math.min(at, page.view.state.doc.length)).number;
}

/** A button that leads to a place. */
function jump(page: Page, range: Range, label = `line ${lineOf(page, range[0])}`): HTMLElement {
  return h('button', { class: 'link', type: 'button', onclick: () => select(page.view, range) }, label);
}

function empty(text: string): HTMLElement {
  return h('p', { class: 'empty' }, text);
}

function actionButtons(page: Page, actions: Action[]): HTMLElement {
  const button = (it: Action) => h(
    'button',
    { type: 'button', class: it.preferred ? 'action preferred' : 'action', disabled: it.disabled !== null, title: it.disabled, onclick: () => page.apply(it) },
    inline(it.title),
  );
  return h('div', { class: 'actions' }, ...actions.map(button));
}

/** Asks and draws; an answer that is out of date draws nothing. */
async function draw<T>(page: Page, asked: Promise<T>, show: (answer: T) => void): Promise<void> {
  try {
    show(await asked);
  } catch (error) {
    if (!isSuperseded(error)) {
      page.failed(error);
    }
  }
}

export function findingsPanel(page: Page): Panel {
  let root: HTMLElement = h('div');
  const item = (it: Finding) => {
    const details = h('div', { class: 'details' });
    const open = async () => {
      select(page.view, it.range);
      if (!details.hasChildNodes()) {
        const actions = await page.actionsAt(it.range[0], it.range[0]).catch(() => []);
        details.replaceChildren(
          ...it.related.map(place => h('div', { class: 'related' }, jump(page, place.range), ' ', inline(place.text))),
          actionButtons(page, actions.filter(it => it.edits.length > 0)),
        );
      }
    };
    return h(
      'li', { class: `finding ${it.severity}` },
      h(
        'button', { class: 'head', type: 'button', onclick: () => void open() },
        h('span', { class: 'badge' }, SEVERITIES[it.severity]),
        h('span', { class: 'message' }, inline(it.message)),
        h('span', { class: 'where' }, `line ${lineOf(page, it.range[0])}`),
      ),
      h('div', { class: 'help' }, it.help ? inline(it.help) : null, ' ', h('code', { class: 'rule' }, it.code)),
      details,
    );
  };
  const changed = () => {
    const { findings } = page;
    root.replaceChildren(
      findings.length ? h('ul', { class: 'findings' }, ...findings.map(item)) : empty(page.isRead ? 'Nothing was found in this text.' : 'Reading…'),
    );
    const all = page.view.state.doc.length;
    if (findings.length) {
      void draw(page, page.actionsAt(0, Math.min(all, 1)), actions => {
        const whole = actions.filter(it => it.kind === 'fix-all' && it.edits.length > 0);
        if (whole.length) {
          root.prepend(actionButtons(page, whole));
        }
      });
    }
  };
  return { id: 'findings', title: 'Findings', show(at) { root = at; changed(); }, changed, moved() {} };
}

export function explainPanel(page: Page): Panel {
  const here = h('div', { class: 'here' });
  const plan = h('div', { class: 'plan' });
  const showPlace = () => {
    const at = page.view.state.selection.main.head;
    const { from, to } = page.view.state.selection.main;
    void draw(page, Promise.all([page.client.ask('explain', { at }), page.actionsAt(from, to)]), ([it, actions]) => {
      const out: (HTMLElement | null)[] = [];
      const what = it.what;
      if (what) {
        const numbers = [what.places.length > 1 && `computed at ${what.places.length} places`, what.cost !== null && `${what.cost} operations each`, what.saved ? `saves ${what.saved}` : null];
        out.push(
          h('h2', {}, h('code', {}, what.text), ' ', h('span', { class: 'type' }, what.type)),
          h('p', { class: 'decision' }, what.decision ? h('span', { class: `tag ${what.decision}` }, what.decision) : null, what.binding ? h('span', {}, ' as ', h('code', {}, what.binding)) : null, ' ', numbers.filter(Boolean).join(' · ')),
          ...what.reasons.map(it => h('p', {}, inline(it))),
          what.known.length ? h('ul', {}, ...what.known.map(it => h('li', {}, inline(it)))) : null,
          what.places.length > 1 ? h('p', { class: 'places' }, 'Places: ', ...what.places.slice(0, 40).map(it => jump(page, it))) : null,
        );
      } else if (it.hover) {
        out.push(markdown(it.hover.markdown));
      } else {
        out.push(empty('Put the cursor on an expression, an operation or a name.'));
      }
      for (const finding of it.findings) {
        out.push(h('div', { class: 'note' }, h('p', {}, inline(finding.message), ' ', h('code', { class: 'rule' }, finding.code)), finding.fix ? h('p', {}, inline(finding.fix)) : null));
      }
      const offered = actions.filter(it => it.kind !== 'fix-all');
      if (offered.length) {
        out.push(h('h3', {}, 'Actions here'), actionButtons(page, offered));
      }
      here.replaceChildren(...out.filter(it => it !== null));
    });
  };
  const showPlan = () => {
    const at = page.view.state.selection.main.head;
    void draw(page, page.client.ask('plan', { at }), it => {
      if (it === null) {
        plan.replaceChildren();
        return;
      }
      const row = (hint: Hint) => h(
        'li', {},
        jump(page, [hint.at, hint.at]), ' ', h('span', { class: 'inlay' }, hintLabel(hint, page.view.state)),
        markdown(hint.tooltip),
      );
      // A group has a hint at each of its places, with words about the same value: one of them is enough.
      const seen = new Set<string>();
      const first = it.hints.filter(hint => {
        const about = /`+[^`]+`+/.exec(hint.tooltip)?.[0] ?? hint.tooltip;
        return !seen.has(about) && seen.add(about);
      });
      plan.replaceChildren(
        h('h3', {}, 'Plan of ', h('code', {}, it.function)),
        first.length ? h('ul', { class: 'groups' }, ...first.slice(0, 200).map(row)) : empty('No value is computed twice.'),
      );
    });
  };
  const both = () => { showPlace(); showPlan(); };
  return { id: 'explain', title: 'Explain', show(root) { root.replaceChildren(here, plan); both(); }, changed: both, moved: both };
}

export function factsPanel(page: Page): Panel {
  let root: HTMLElement = h('div');
  let rows: { line: number; row: HTMLElement }[] = [];
  const moved = () => {
    const at = lineOf(page, page.view.state.selection.main.head);
    const current = rows.filter(it => it.line <= at).at(-1)?.row;
    rows.forEach(it => it.row.classList.toggle('current', it.row === current));
  };
  const changed = () => {
    const end = page.view.state.doc.length;
    if (page.language !== 'tvmscript') {
      root.replaceChildren(empty('Facts by line are of TVMScript. In MLIR, what is known of a value is under Explain.'));
      rows = [];
      return;
    }
    void draw(page, page.client.ask('facts', { from: 0, to: end }), found => {
      rows = found.map(it => ({
        line: lineOf(page, it.range[0]),
        row: h(
          'li', {},
          h('div', { class: 'line' }, jump(page, it.range), ' ', h('code', {}, it.text)),
          h('dl', {}, ...it.facts.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])),
        ),
      }));
      root.replaceChildren(rows.length ? h('ul', { class: 'facts' }, ...rows.map(it => it.row)) : empty('No facts here.'));
      moved();
    });
  };
  return { id: 'facts', title: 'Facts', show(at) { root = at; changed(); }, changed, moved };
}

function picker(label: string, values: [string, string][], value: string, chosen: (value: string) => void): HTMLElement {
  const options = values.map(([id, title]) => h('option', { value: id, selected: id === value }, title));
  const select = h('select', { onchange: () => chosen(select.value) }, ...options);
  return h('label', { class: 'field' }, h('span', {}, label), select);
}

export function passesPanel(page: Page): Panel {
  let passes = 'cse';
  let preset = '';
  let shown: EditorView | null = null;
  const bar = h('div', { class: 'bar' });
  const notes = h('div', { class: 'notes' });
  const body = h('div', { class: 'code' });
  const drawBar = () => {
    const all: [string, string][] = [['cse', 'cse'], ['simplify', 'simplify'], ['simplify,cse', 'simplify, then cse'],
      ...page.about.passes.filter(it => it !== 'cse' && it !== 'simplify').map((it): [string, string] => [it, it])];
    const isFor = page.about.presets.filter(it => it.language === null || it.language === page.language);
    if (!isFor.some(it => it.name === preset)) {
      preset = isFor.some(it => it.name === page.preset) ? page.preset : 'default';
    }
    bar.replaceChildren(
      picker('Pass', page.language === 'tvmscript' ? all : [['cse', 'cse']], passes, it => { passes = it; changed(); }),
      picker('Rules', isFor.map(it => [it.name, it.name]), preset, it => { preset = it; changed(); }),
    );
  };
  const changed = () => {
    const at = page.view.state.selection.main.head;
    const wanted = page.language === 'tvmscript' ? passes.split(',') : ['cse'];
    void draw(page, page.client.ask('passes', { at, passes: wanted, preset }), it => {
      shown?.destroy();
      shown = null;
      const last = it?.stages.at(-1);
      if (!it || !last) {
        notes.replaceChildren(empty('There is no function here.'));
        return;
      }
      const said = it.stages.flatMap(it => it.notes);
      notes.replaceChildren(
        h('p', {}, h('code', {}, it.function), last.text === it.before ? ' is the same after it.' : ' before (−) and after (+).'),
        said.length ? h('details', {}, h('summary', {}, `${said.length} notes`), h('ul', {}, ...said.slice(0, 500).map(it => h('li', {}, inline(it))))) : '',
      );
      shown = new EditorView({
        parent: body,
        state: EditorState.create({
          doc: last.text,
          extensions: [
            lineNumbers(), syntaxHighlighting(classHighlighter), page.language === 'tvmscript' ? python() : [],
            EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': 'After the pass', tabindex: '0' }),
            unifiedMergeView({ original: it.before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 8 }, syntaxHighlightDeletions: false }),
          ],
        }),
      });
    });
  };
  const show = (root: HTMLElement) => { root.replaceChildren(bar, notes, body); drawBar(); changed(); };
  return { id: 'passes', title: 'Before / after', show, changed() { drawBar(); changed(); }, moved: changed };
}

export function devicePanel(page: Page): Panel {
  let code: DeviceCode | null = null;
  const bar = h('div', { class: 'bar' });
  const notes = h('div', { class: 'notes' });
  const body = h('div', { class: 'code' });
  const placeOf = (line: number) => code?.lines.filter(it => it[0] <= line).at(-1)?.[1];
  const shown = viewer(body, 'Device code', line => {
    const places = code?.shared.find(it => it.line === line)?.places ?? [placeOf(line)];
    const found = places.filter(it => it !== undefined);
    showLinked(page.view, found);
    const first = found[0];
    if (first !== undefined) {
      page.view.dispatch({ effects: EditorView.scrollIntoView(first, { y: 'center' }) });
    }
  });
  /** Marks the lines of the code that come from the line of the cursor. */
  const link = () => {
    if (!code) {
      return;
    }
    const { doc } = page.view.state;
    const line = lineOf(page, page.view.state.selection.main.head);
    const last = shown.state.doc.lines;
    const places: number[] = [];
    code.lines.forEach(([first, at], n) => {
      if (at <= doc.length && doc.lineAt(at).number === line) {
        const next = code?.lines[n + 1]?.[0] ?? first + 1;
        for (let it = first; it < Math.max(next, first + 1) && it < last; it++) {
          places.push(shown.state.doc.line(it + 1).from);
        }
      }
    });
    showLinked(shown, places);
    showLinked(page.view, []);
    const first = places[0];
    if (first !== undefined) {
      shown.dispatch({ effects: EditorView.scrollIntoView(first, { y: 'nearest', yMargin: 60 }) });
    }
  };
  let asked = '';
  const changed = (isForced = true) => {
    const at = page.view.state.selection.main.head;
    const around = page.functions.find(it => it.range[0] <= at && at <= it.range[1]) ?? page.functions.find(it => it.isKernel);
    const key = `${around?.name} ${page.target}`;
    if (!isForced && key === asked) {
      link();
      return;
    }
    asked = key;
    void draw(page, page.client.ask('device-code', { at: around ? Math.max(around.selection[0], around.range[0]) : at, target: page.target }), it => {
      code = it;
      const text = it?.text ?? '';
      shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
      notes.replaceChildren(
        it === null ? empty('There is no function here.') : h('p', {}, h('code', {}, it.function), it.notes.length ? '' : ': put the cursor on a line, here or there, to see where it comes from.'),
        ...(it?.shared ?? []).slice(0, 30).map(it => h('p', { class: 'shared' }, inline(it.text))),
      );
      link();
    });
  };
  const show = (root: HTMLElement) => {
    const names: Record<string, string> = { cuda: 'CUDA', opencl: 'OpenCL', hip: 'HIP', c: 'C', spirv: 'SPIR-V', wgsl: 'WGSL', metal: 'Metal' };
    bar.replaceChildren(picker('Target', page.about.targets.map(it => [it, names[it] ?? it]), page.target, it => { page.target = it; changed(); }));
    root.replaceChildren(bar, notes, body);
    changed();
  };
  return { id: 'device', title: 'Device code', show, changed: () => changed(), moved: () => changed(false) };
}

/** An edit of CodeMirror for each edit of an action; those at one place in their order. */
export function changes(edits: Edit[]): { from: number; to: number; insert: string }[] {
  return edits.map(({ from, to, insert }) => ({ from, to, insert }));
}
