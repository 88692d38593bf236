// The page: puts the editor, the views and the worker together.
import { EditorView } from '@codemirror/view';
import { Client } from './client';
import { h } from './dom';
import { editor, isSuperseded, setLanguage, showFindings, showHints, showLinked, showTokens } from './editor';
import { examples } from './examples';
import { changes, devicePanel, explainPanel, factsPanel, findingsPanel, type Page, type Panel, passesPanel } from './panels';
import type { Action } from './protocol';
import { pack, type Shared, unpack } from './share';

/** A file that is opened may be this long. */
const MOST_BYTES = 16 * 1024 * 1024;
/** The text is read this long after the last key, longer texts a little later. */
const PAUSE_MS = 120;

const byId = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const controls = {
  sample: byId<HTMLSelectElement>('sample'),
  language: byId<HTMLSelectElement>('language'),
  preset: byId<HTMLSelectElement>('preset'),
  file: byId<HTMLInputElement>('file'),
};
const state = byId('state');
const note = byId('note');
const client = new Client();
let name = '';
let timer = 0;
let isBusy = false;

function say(text: string): void {
  note.replaceChildren(h('span', {}, text), h('button', { type: 'button', 'aria-label': 'Close', onclick: () => { note.hidden = true; } }, '×'));
  note.hidden = false;
}

client.onRestart = say;

const view: EditorView = editor(byId('source'), '', client, {
  changed: () => schedule(),
  moved: () => { clearTimeout(moves); moves = window.setTimeout(moved, 60); },
  scrolled: () => void tokens(),
  actions: () => { void menu(); return true; },
});
let moves = 0;

const page: Page = {
  view, client, about: { version: '', targets: [], presets: [], passes: [], languages: [] },
  language: 'tvmscript', hasDeviceCode: true, preset: 'default', target: 'cuda', isRead: false, findings: [], functions: [],
  apply, failed,
  actionsAt: (from, to) => client.ask('actions', { from, to }),
};
const panels: Panel[] = [findingsPanel(page), explainPanel(page), factsPanel(page), passesPanel(page), devicePanel(page)];
let active: Panel = panels[0] as Panel;

function failed(error: unknown): void {
  if (!isSuperseded(error)) {
    state.textContent = error instanceof Error ? error.message : String(error);
  }
}

function apply(action: Action): void {
  // Edits are of the text that was read last: one that changed since is left alone.
  if (isBusy) {
    return;
  }
  view.dispatch({ changes: changes(action.edits), userEvent: 'input.action', scrollIntoView: true });
  view.focus();
}

function schedule(): void {
  isBusy = true;
  clearTimeout(timer);
  timer = window.setTimeout(() => void read(), view.state.doc.length > 200_000 ? 4 * PAUSE_MS : PAUSE_MS);
}

async function tokens(): Promise<void> {
  const { from, to } = view.viewport;
  const found = await client.ask('tokens', { from, to }).catch(() => null);
  if (found && !isBusy) {
    showTokens(view, found);
  }
}

/** Reads the text: first the hints, then the rest. */
async function read(): Promise<void> {
  const start = performance.now();
  const text = view.state.doc.toString();
  const language = controls.language.value || undefined;
  const current = () => view.state.doc.toString() === text;
  try {
    const opening = client.open({ text, name, language, preset: page.preset });
    const hinting = client.ask('hints');
    // Whoever waits for the second of two answers has not seen the first one fail.
    hinting.catch(() => {});
    const opened = await opening;
    isBusy = false;
    page.language = opened.language;
    page.hasDeviceCode = opened.hasDeviceCode;
    setLanguage(view, opened.language);
    presets();
    const hints = await hinting;
    if (!current()) {
      return;
    }
    showHints(view, hints);
    document.documentElement.dataset['firstHint'] ??= String(Math.round(performance.now()));
    const finding = client.ask('findings');
    const listing = client.ask('functions');
    listing.catch(() => {});
    void tokens();
    page.findings = await finding;
    page.functions = await listing;
    page.isRead = true;
    if (!current()) {
      return;
    }
    showFindings(view, page.findings);
    const title = page.about.languages.find(it => it.id === page.language)?.name ?? page.language;
    const n = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
    state.textContent = `${title} · ${n(page.functions.length, 'function')} · ${n(hints.length, 'hint')} · ${n(page.findings.length, 'finding')} · ${Math.round(performance.now() - start)} ms`;
    tabs();
    showLinked(view, []);
    active.changed();
    document.documentElement.dataset['read'] = String(Number(document.documentElement.dataset['read'] ?? 0) + 1);
  } catch (error) {
    isBusy = false;
    failed(error);
  }
}

function moved(): void {
  if (!isBusy) {
    active.moved();
  }
}

/** The actions at the cursor, as a menu. */
async function menu(): Promise<void> {
  const { from, to, head } = view.state.selection.main;
  const found = await page.actionsAt(from, to).catch(() => [] as Action[]);
  const at = view.coordsAtPos(head);
  document.querySelector('.menu')?.remove();
  let isOpen = true;
  // The focus leaves while the menu is removed, which must not remove it again.
  const close = () => {
    if (isOpen) {
      isOpen = false;
      box.remove();
    }
  };
  const items = found.map(it => h('button', { type: 'button', role: 'menuitem', disabled: it.disabled !== null, title: it.disabled, onclick: () => { close(); view.focus(); apply(it); } }, it.title));
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      close();
      view.focus();
    } else if (step !== undefined) {
      event.preventDefault();
      const usable = items.filter(it => !it.disabled);
      const now = usable.indexOf(document.activeElement as HTMLButtonElement);
      usable[(now + step + usable.length) % usable.length]?.focus();
    }
  };
  const box = h('div', { class: 'menu', role: 'menu', 'aria-label': 'Actions', onkeydown: keys as unknown as EventListener }, ...(items.length ? items : [h('p', { class: 'empty' }, 'No action here.')]));
  box.addEventListener('focusout', event => { if (!box.contains(event.relatedTarget as Node)) { close(); } });
  document.body.append(box);
  box.style.left = `${Math.max(8, Math.min(at?.left ?? 8, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${Math.max(8, Math.min((at?.bottom ?? 8) + 4, innerHeight - box.offsetHeight - 8))}px`;
  box.tabIndex = -1;
  (items.find(it => !it.disabled) ?? box).focus();
}

function presets(): void {
  const isFor = page.about.presets.filter(it => it.language === null || it.language === page.language);
  const wanted = isFor.map(it => it.name).join();
  if (controls.preset.dataset['names'] === wanted) {
    return;
  }
  controls.preset.dataset['names'] = wanted;
  controls.preset.replaceChildren(...isFor.map(it => h('option', { value: it.name }, it.name)));
  if (!isFor.some(it => it.name === page.preset)) {
    page.preset = 'default';
    schedule();
  }
  controls.preset.value = page.preset;
}

function tabs(): void {
  const errors = page.findings.filter(it => it.severity === 'error' || it.severity === 'warning').length;
  const button = (it: Panel) => h(
    'button',
    {
      type: 'button', role: 'tab', id: `tab-${it.id}`, 'aria-selected': String(it === active), 'aria-controls': 'panel',
      tabindex: it === active ? 0 : -1, onclick: () => choose(it),
    },
    it.title,
    it.id === 'findings' && page.findings.length > 0 && h('span', { class: errors ? 'count bad' : 'count' }, String(page.findings.length)),
  );
  const list = byId('tabs');
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...panels.map(button));
  if (hadFocus) {
    byId(`tab-${active.id}`).focus();
  }
}

function choose(panel: Panel): void {
  active = panel;
  tabs();
  const root = byId('panel');
  root.className = panel.id;
  root.setAttribute('aria-labelledby', `tab-${panel.id}`);
  root.replaceChildren();
  panel.show(root);
}

byId('tabs').addEventListener('keydown', event => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step !== undefined) {
    const next = panels[(panels.indexOf(active) + step + panels.length) % panels.length] as Panel;
    choose(next);
    byId(`tab-${next.id}`).focus();
  }
});

/** Puts another text into the editor. */
function load(it: Shared): void {
  name = it.name ?? '';
  controls.language.value = it.language ?? '';
  page.preset = it.preset ?? 'default';
  delete controls.preset.dataset['names'];
  if (it.target !== undefined && page.about.targets.includes(it.target)) {
    page.target = it.target;
  }
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: it.text }, selection: { anchor: 0 }, scrollIntoView: true });
  clearTimeout(timer);
  void read();
  const wanted = panels.find(panel => panel.id === it.tab);
  if (wanted && wanted !== active) {
    choose(wanted);
  }
}

async function open(file: File): Promise<void> {
  if (file.size > MOST_BYTES) {
    say(`${file.name} is longer than 16 MB; the command line reads it: tir-analyzer check`);
    return;
  }
  controls.sample.value = '';
  load({ text: await file.text(), name: file.name });
}

async function share(): Promise<void> {
  const shared: Shared = {
    text: view.state.doc.toString(), name, language: controls.language.value || undefined, preset: page.preset, tab: active.id, target: page.target,
  };
  const fragment = await pack(shared);
  history.replaceState(null, '', fragment);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  const long = fragment.length > 30_000 ? ' It is long: some programs cut such links.' : '';
  say(`The text is in the address of this page${copied ? ', which was copied' : '; copy it from there'}.${long}`);
}

async function fromAddress(): Promise<boolean> {
  try {
    const shared = await unpack(location.hash);
    if (shared) {
      controls.sample.value = '';
      load(shared);
    }
    return shared !== null;
  } catch {
    say('The link cannot be read: it was cut, or is of another program.');
    return false;
  }
}

function wire(): void {
  controls.sample.append(h('option', { value: '' }, 'your own'), ...examples.map((it, n) => h('option', { value: String(n) }, it.title)));
  controls.sample.onchange = () => {
    const example = examples[Number(controls.sample.value || -1)];
    load(example ? { text: example.text, name: example.name } : { text: '' });
  };
  controls.language.onchange = schedule;
  controls.preset.onchange = () => { page.preset = controls.preset.value; schedule(); };
  controls.file.onchange = () => { const file = controls.file.files?.[0]; controls.file.value = ''; if (file) { void open(file); } };
  byId('open').onclick = () => controls.file.click();
  byId('share').onclick = () => void share().catch(failed);
  const root = document.documentElement;
  const theme = localStorage.getItem('theme');
  if (theme) {
    root.dataset['theme'] = theme;
  }
  byId('theme').onclick = () => {
    const isDark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset['theme'] = isDark ? 'light' : 'dark';
    localStorage.setItem('theme', root.dataset['theme']);
  };
  document.addEventListener('dragover', event => event.preventDefault());
  document.addEventListener('drop', event => { event.preventDefault(); const file = event.dataTransfer?.files[0]; if (file) { void open(file); } });
  window.addEventListener('hashchange', () => void fromAddress());
  divide(byId('divider'));
}

/** The divider: moved with the mouse or the arrow keys. */
function divide(divider: HTMLElement): void {
  const set = (part: number) => {
    const kept = Math.max(20, Math.min(80, part));
    divider.setAttribute('aria-valuenow', String(Math.round(kept)));
    document.documentElement.style.setProperty('--source', `${kept}%`);
  };
  divider.onpointerdown = event => divider.setPointerCapture(event.pointerId);
  divider.onpointermove = event => { if (divider.hasPointerCapture(event.pointerId)) { set((100 * event.clientX) / innerWidth); } };
  divider.onkeydown = event => {
    const step = { ArrowLeft: -4, ArrowRight: 4 }[event.key];
    if (step !== undefined) {
      set(Number(divider.getAttribute('aria-valuenow')) + step);
    }
  };
}

async function begin(): Promise<void> {
  wire();
  tabs();
  choose(active);
  const introducing = client.ask('about');
  if (!(await fromAddress())) {
    controls.sample.value = '0';
    load(examples[0] ?? { text: '' });
  }
  page.about = await introducing;
  byId('about').textContent = `version ${page.about.version}`;
  controls.language.append(...page.about.languages.map(it => h('option', { value: it.id }, it.name)));
  presets();
  if ('serviceWorker' in navigator && isSecureContext) {
    await navigator.serviceWorker.register('offline.js').catch(() => undefined);
  }
}

void begin().catch(error => { failed(error); say(error instanceof Error ? error.message : String(error)); });
