import type { ToolSummary } from './api.ts';
import { listBadges } from './badges.ts';
import { fill, h, setAttribute } from './dom.ts';
import { icon } from './icons.ts';
import { formatCount } from './measure.ts';
import { plainText } from './markdown.ts';
import { t } from './texts.ts';
import { groupTools, searchTools, titleOf } from './tool-search.ts';

type Row =
  | { kind: 'group'; name: string; count: number }
  | { kind: 'tool'; tool: ToolSummary; index: number };

const toolHeight = 58;
const groupHeight = 34;
const spareRows = 6;

/** The searchable list of tools. Only the rows in view exist, so a thousand tools cost no more than twenty. */
export class ToolList {
  readonly element: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #scroller: HTMLElement;
  readonly #sheet: HTMLElement;
  readonly #count: HTMLElement;
  readonly #onChoose: (name: string) => void;
  #tools: readonly ToolSummary[] = [];
  #rows: Row[] = [];
  #offsets: number[] = [];
  #found: ToolSummary[] = [];
  #active = -1;
  #chosen: string | null = null;
  #frame = 0;

  constructor(onChoose: (name: string) => void) {
    this.#onChoose = onChoose;
    this.#sheet = h('div', { class: 'list-sheet', role: 'presentation' });
    this.#scroller = h(
      'div',
      {
        class: 'list-rows',
        id: 'tool-list',
        role: 'listbox',
        tabindex: 0,
        'aria-label': t('tools'),
        on: {
          scroll: () => this.#drawSoon(),
          keydown: (event) => this.#onKey(event as KeyboardEvent),
          click: (event) => this.#onClick(event),
        },
      },
      this.#sheet,
    );
    this.#search = h('input', {
      type: 'search',
      id: 'tool-search',
      role: 'combobox',
      placeholder: t('searchTools'),
      'aria-label': t('searchTools'),
      'aria-controls': 'tool-list',
      'aria-expanded': 'true',
      'aria-autocomplete': 'list',
      autocomplete: 'off',
      spellcheck: 'false',
      on: { input: () => this.#update(), keydown: (event) => this.#onKey(event as KeyboardEvent) },
    });
    this.#count = h('p', { class: 'list-count', role: 'status' });
    this.element = h(
      'nav',
      { class: 'list', 'aria-label': t('tools') },
      h(
        'div',
        { class: 'search-box' },
        icon('search'),
        this.#search,
        h('kbd', { 'aria-hidden': 'true' }, '/'),
      ),
      this.#count,
      this.#scroller,
    );
    new ResizeObserver(() => this.#drawSoon()).observe(this.#scroller);
  }

  get query(): string {
    return this.#search.value;
  }

  set query(query: string) {
    this.#search.value = query;
    this.#update();
  }

  setTools(tools: readonly ToolSummary[]): void {
    this.#tools = tools;
    this.#update();
  }

  focusSearch(): void {
    this.#search.focus();
    this.#search.select();
  }

  /** Scrolls to the tools of a group and marks the first. */
  showGroup(name: string): void {
    this.query = '';
    const at = this.#rows.findIndex((row) => row.kind === 'group' && row.name === name);
    const first = this.#rows[at + 1];
    if (at === -1 || first?.kind !== 'tool') return;
    this.#active = first.index;
    this.#scroller.scrollTop = this.#offsets[at] as number;
    this.#draw();
    this.#scroller.focus();
  }

  /** Marks the open tool and scrolls it into view. */
  setChosen(name: string | null): void {
    this.#chosen = name;
    const index = this.#found.findIndex((tool) => tool.name === name);
    if (index !== -1) {
      this.#active = index;
      this.#reveal();
    }
    this.#draw();
  }

  #update(): void {
    const query = this.#search.value;
    const found = searchTools(this.#tools, query);
    const groups = query.trim() === '' ? groupTools(found, t('otherGroup')) : [{ name: '', tools: found }];
    this.#found = groups.flatMap((group) => group.tools);
    this.#rows = [];
    let index = 0;
    for (const group of groups) {
      if (group.name !== '') this.#rows.push({ kind: 'group', name: group.name, count: group.tools.length });
      for (const tool of group.tools) this.#rows.push({ kind: 'tool', tool, index: index++ });
    }
    let top = 0;
    this.#offsets = this.#rows.map((row) => {
      const offset = top;
      top += row.kind === 'group' ? groupHeight : toolHeight;
      return offset;
    });
    this.#sheet.style.height = `${top}px`;
    this.#active =
      query.trim() === ''
        ? this.#found.findIndex((tool) => tool.name === this.#chosen)
        : found.length > 0
          ? 0
          : -1;
    this.#scroller.scrollTop = 0;
    this.#reveal();
    fill(this.#count, this.#countText(query));
    this.#draw();
  }

  #countText(query: string): string {
    if (this.#tools.length === 0) return t('noTools');
    if (this.#found.length === 0) return t('noMatch', { query });
    if (this.#found.length < this.#tools.length) {
      return t('matchCount', {
        count: formatCount(this.#found.length),
        total: formatCount(this.#tools.length),
      });
    }
    return this.#tools.length === 1
      ? t('toolCountOne')
      : t('toolCount', { count: formatCount(this.#tools.length) });
  }

  #drawSoon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const top = this.#scroller.scrollTop;
    const bottom = top + (this.#scroller.clientHeight || 800);
    const first = Math.max(0, firstBelow(this.#offsets, top) - spareRows);
    const drawn: HTMLElement[] = [];
    for (
      let at = first;
      at < this.#rows.length && (this.#offsets[at] as number) < bottom + spareRows * toolHeight;
      at++
    ) {
      drawn.push(this.#drawRow(this.#rows[at] as Row, this.#offsets[at] as number));
    }
    this.#sheet.replaceChildren(...drawn);
    const active = this.#active >= 0 ? `tool-${this.#active}` : null;
    const visible = active !== null && drawn.some((row) => row.id === active);
    for (const holder of [this.#search, this.#scroller]) {
      setAttribute(holder, 'aria-activedescendant', visible ? active : null);
    }
  }

  #drawRow(row: Row, top: number): HTMLElement {
    const element =
      row.kind === 'group'
        ? h(
            'div',
            { class: 'list-group', role: 'presentation' },
            h('span', {}, row.name),
            h('span', { class: 'count' }, row.count),
          )
        : this.#drawTool(row.tool, row.index);
    element.style.transform = `translateY(${top}px)`;
    return element;
  }

  #drawTool(tool: ToolSummary, index: number): HTMLElement {
    const about = titleOf(tool) ?? plainText(tool.description);
    return h(
      'div',
      {
        class: `list-tool${index === this.#active ? ' active' : ''}`,
        id: `tool-${index}`,
        role: 'option',
        'aria-selected': String(tool.name === this.#chosen),
        'aria-setsize': this.#found.length,
        'aria-posinset': index + 1,
        'data-index': index,
      },
      h(
        'span',
        { class: 'list-name' },
        h('span', { class: 'mono' }, tool.name),
        listBadges(tool.annotations),
      ),
      h('span', { class: 'list-about' }, about || ' '),
    );
  }

  #onClick(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (row) this.#choose(Number(row.dataset['index']));
  }

  #onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / toolHeight) - 1);
    const inSearch = event.target === this.#search;
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (!inSearch) Object.assign(moves, { Home: -this.#found.length, End: this.#found.length });
    const move = moves[event.key];
    if (move !== undefined && this.#found.length > 0) {
      event.preventDefault();
      this.#active = Math.min(this.#found.length - 1, Math.max(0, this.#active + move));
      this.#reveal();
      this.#draw();
    } else if (event.key === 'Enter' && this.#active >= 0) {
      event.preventDefault();
      this.#choose(this.#active);
    } else if (event.key === 'Escape' && inSearch && this.#search.value !== '') {
      event.preventDefault();
      event.stopPropagation();
      this.query = '';
    }
  }

  #choose(index: number): void {
    const tool = this.#found[index];
    if (!tool) return;
    this.#active = index;
    this.#onChoose(tool.name);
  }

  #reveal(): void {
    const at = this.#rows.findIndex((row) => row.kind === 'tool' && row.index === this.#active);
    if (at === -1) return;
    const top = this.#offsets[at] as number;
    const height = this.#scroller.clientHeight;
    if (height === 0) return;
    if (top < this.#scroller.scrollTop + groupHeight)
      this.#scroller.scrollTop = Math.max(0, top - groupHeight);
    else if (top + toolHeight > this.#scroller.scrollTop + height)
      this.#scroller.scrollTop = top + toolHeight - height;
  }
}

function firstBelow(offsets: number[], top: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) < top) low = middle + 1;
    else high = middle;
  }
  return low;
}
