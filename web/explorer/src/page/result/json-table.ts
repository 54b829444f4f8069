import { isObject } from '../../schema/json-values.ts';
import { fill, h, setAttribute } from '../dom.ts';
import { formatCount } from '../measure.ts';
import { t } from '../texts.ts';
import { JsonTree } from './json-tree.ts';

type Row = Record<string, unknown>;

const shownAtOnce = 100;
const maxColumns = 40;

/** A list of objects, its name if it has one, and the fields next to it. */
interface Listing {
  rows: Row[];
  name: string | null;
  siblings: Row | null;
}

/** The rows if a value is a list of objects, or an object with exactly one such list. */
export function listingOf(value: unknown): Listing | null {
  if (isRows(value)) return { rows: value, name: null, siblings: null };
  if (!isObject(value)) return null;
  const members = Object.entries(value);
  const [list, ...others] = members.filter((member): member is [string, Row[]] => isRows(member[1]));
  if (list === undefined || others.length > 0) return null;
  const [name, rows] = list;
  const siblings = Object.fromEntries(members.filter((member) => member[0] !== name));
  return { rows, name, siblings: members.length > 1 ? siblings : null };
}

function isRows(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** Rows that can be searched and sorted by any column, below the fields next to them. */
export class JsonTable {
  readonly element = h('div', { class: 'table-view' });
  readonly #rows: Row[];
  readonly #name: string | null;
  readonly #siblings: JsonTree | null;
  readonly #columns: string[];
  #sorted: { column: string; down: boolean } | null = null;
  #query = '';
  #shown = shownAtOnce;

  constructor({ rows, name, siblings }: Listing) {
    this.#rows = rows;
    this.#name = name;
    this.#siblings = siblings && new JsonTree(siblings);
    this.#columns = [...new Set(rows.slice(0, 500).flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
    this.#draw();
  }

  /** Keeps the rows that contain a text, and returns the number of matches in them and in the fields next to them. */
  search(query: string): number {
    this.#query = query.toLowerCase();
    this.#shown = shownAtOnce;
    return this.#draw() + (this.#siblings?.search(query) ?? 0);
  }

  #draw(): number {
    const rows = this.#sort(
      this.#rows.filter(
        (row) => this.#query === '' || JSON.stringify(row).toLowerCase().includes(this.#query),
      ),
    );
    const table = h(
      'table',
      {},
      h(
        'caption',
        {},
        this.#name !== null && `${this.#name} · `,
        t('rows', { count: formatCount(rows.length) }),
      ),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          this.#columns.map((column) => this.#heading(column)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.slice(0, this.#shown).map((row) =>
          h(
            'tr',
            {},
            this.#columns.map((column) => cell(row[column])),
          ),
        ),
      ),
    );
    const left = rows.length - this.#shown;
    const more = h(
      'button',
      {
        type: 'button',
        class: 'button small',
        on: {
          click: () => {
            this.#shown += shownAtOnce;
            this.#draw();
          },
        },
      },
      t('showMore', { count: Math.min(left, shownAtOnce) }),
    );
    fill(
      this.element,
      this.#siblings?.element,
      h('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': t('asTable') }, table),
      left > 0 && more,
    );
    return rows.length;
  }

  #heading(column: string): HTMLElement {
    const sorted = this.#sorted?.column === column ? (this.#sorted.down ? 'descending' : 'ascending') : null;
    const button = h(
      'button',
      { type: 'button', on: { click: () => this.#sortBy(column) } },
      column,
      h(
        'span',
        { class: 'sort', 'aria-hidden': 'true' },
        sorted === null ? '' : sorted === 'ascending' ? '↑' : '↓',
      ),
    );
    const heading = h('th', { scope: 'col' }, button);
    setAttribute(heading, 'aria-sort', sorted);
    return heading;
  }

  #sortBy(column: string): void {
    this.#sorted = { column, down: this.#sorted?.column === column && !this.#sorted.down };
    this.#draw();
    const index = this.#columns.indexOf(column);
    this.element.querySelectorAll<HTMLElement>('th button')[index]?.focus();
  }

  #sort(rows: Row[]): Row[] {
    if (!this.#sorted) return rows;
    const { column, down } = this.#sorted;
    return rows.toSorted((left, right) => compare(left[column], right[column]) * (down ? -1 : 1));
  }
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return textOf(left).localeCompare(textOf(right), undefined, { numeric: true });
}

function cell(value: unknown): HTMLElement {
  const text = textOf(value);
  const kind =
    typeof value === 'number' ? 'number' : typeof value === 'object' && value !== null ? 'composed' : '';
  return h(
    'td',
    { class: kind, title: text.length > 60 ? text.slice(0, 1000) : null },
    text.length > 200 ? `${text.slice(0, 200)}…` : text,
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
