// Elements, and the little Markdown of hovers. Texts of users only ever become text nodes.

type Child = Node | string | null | undefined | false;

/** An element with attributes (`class`, `title`, `onclick`, …) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.filter((it): it is Node | string => it !== null && it !== undefined && it !== false));
  return element;
}

/** `code` and **strong** in a line. */
export function inline(text: string): DocumentFragment {
  const out = document.createDocumentFragment();
  for (const part of text.split(/(``.+?``|`[^`]+`|\*\*[^*]+\*\*)/)) {
    if (part.startsWith('`')) {
      out.append(h('code', {}, part.replace(/^`+ ?| ?`+$/g, '')));
    } else if (part.startsWith('**') && part.length > 4) {
      out.append(h('strong', {}, part.slice(2, -2)));
    } else if (part) {
      out.append(part.replaceAll(/\\([^\w\s])/g, '$1'));
    }
  }
  return out;
}

/** Paragraphs, lists and blocks of code. */
export function markdown(text: string): HTMLElement {
  const out = h('div', { class: 'markdown' });
  let list: HTMLElement | null = null;
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const item = /^\s*[-*] (.*)/.exec(line)?.[1];
    if (item !== undefined) {
      list ??= out.appendChild(h('ul'));
      list.append(h('li', {}, inline(item)));
      continue;
    }
    list = null;
    if (line.startsWith('```')) {
      const code: string[] = [];
      for (at++; at < lines.length && !lines[at]?.startsWith('```'); at++) {
        code.push(lines[at] ?? '');
      }
      out.append(h('pre', {}, code.join('\n')));
    } else if (/^-{3,}$/.test(line)) {
      out.append(h('hr'));
    } else if (line.trim()) {
      out.append(h('p', {}, inline(line.replace(/^#+ /, ''))));
    }
  }
  return out;
}
