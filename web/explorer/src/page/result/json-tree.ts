import { pointerTo } from '../../schema/json-values.ts';
import { fill, h } from '../dom.ts';
import type { Child } from '../dom.ts';
import { t } from '../texts.ts';

const shownAtOnce = 100;
const maxMatches = 1000;
const smallText = 1500;

/** A JSON value as a tree. Nodes open on demand, and where a search finds a match. */
export class JsonTree {
  readonly element = h('div', { class: 'tree', role: 'group' });
  readonly #value: unknown;
  readonly #openDepth: number;
  #query = '';
  #matches = new Set<string>();
  #around = new Set<string>();

  constructor(value: unknown) {
    this.#value = value;
    this.#openDepth = JSON.stringify(value).length < smallText ? 3 : 1;
    this.#draw(this.#openDepth);
  }

  /** Highlights a text in names and values, and returns the number of matches. */
  search(query: string): number {
    this.#query = query.toLowerCase();
    this.#matches = new Set();
    this.#around = new Set();
    if (this.#query !== '') this.#find(this.#value, '', '');
    this.#draw(this.#query === '' ? this.#openDepth : 1);
    return this.#matches.size;
  }

  #find(value: unknown, name: string, path: string): boolean {
    if (this.#matches.size >= maxMatches) return false;
    const composed = typeof value === 'object' && value !== null;
    let hit =
      name.toLowerCase().includes(this.#query) ||
      (!composed && JSON.stringify(value).toLowerCase().includes(this.#query));
    if (hit) this.#matches.add(path);
    if (composed) {
      for (const [key, child] of Object.entries(value)) {
        if (this.#find(child, Array.isArray(value) ? '' : key, pointerTo(path, key))) hit = true;
      }
      if (hit) this.#around.add(path);
    }
    return hit;
  }

  #draw(openDepth: number): void {
    fill(this.element, this.#node(null, this.#value, '', openDepth));
  }

  #node(name: string | null, value: unknown, path: string, openDepth: number): HTMLElement {
    const found = this.#matches.has(path) ? ' found' : '';
    if (typeof value !== 'object' || value === null)
      return h('div', { class: `tree-leaf${found}` }, label(name), scalar(value));
    const entries = Object.entries(value);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (entries.length === 0)
      return h(
        'div',
        { class: `tree-leaf${found}` },
        label(name),
        h('span', { class: 'json-mark' }, open + close),
      );
    const inner = h('div', { class: 'tree-inner' });
    let shown = 0;
    const more = (): void => {
      inner.querySelector(':scope > .tree-more')?.remove();
      const next = entries.slice(shown, shown + shownAtOnce);
      shown += next.length;
      inner.append(
        ...next.map(([key, child]) => this.#node(key, child, pointerTo(path, key), openDepth - 1)),
      );
      if (shown < entries.length) {
        inner.append(
          h(
            'button',
            { type: 'button', class: 'button small tree-more', on: { click: more } },
            t('showMore', { count: Math.min(shownAtOnce, entries.length - shown) }),
          ),
        );
      }
    };
    const preview = h('span', { class: 'tree-preview' }, previewOf(value, entries));
    const details = h(
      'details',
      {
        class: `tree-node${found}`,
        on: {
          toggle: () => {
            if (details.open && shown === 0) more();
          },
        },
      },
      h(
        'summary',
        {},
        label(name),
        h('span', { class: 'json-mark' }, open),
        preview,
        h('span', { class: 'json-mark' }, close),
        h('span', { class: 'tree-count' }, entries.length),
      ),
      inner,
    );
    if (openDepth > 0 || this.#around.has(path)) {
      more();
      details.open = true;
    }
    return details;
  }
}

function label(name: string | null): Child {
  return name === null
    ? null
    : [h('span', { class: 'json-key' }, name), h('span', { class: 'json-mark' }, ': ')];
}

function scalar(value: unknown): HTMLElement {
  const kind = typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'word';
  return h('span', { class: `json-${kind}` }, JSON.stringify(value));
}

function previewOf(value: object, entries: [string, unknown][]): string {
  const parts = entries.slice(0, 4).map(([key, child]) => {
    const shown =
      typeof child === 'object' && child !== null
        ? Array.isArray(child)
          ? '[…]'
          : '{…}'
        : JSON.stringify(child);
    return Array.isArray(value) ? shown : `${key}: ${shown}`;
  });
  const text = parts.join(', ');
  return (text.length > 80 ? `${text.slice(0, 80)}…` : text) + (entries.length > 4 ? ', …' : '');
}
