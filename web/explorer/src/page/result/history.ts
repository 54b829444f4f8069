import { fill, h } from '../dom.ts';
import { pretty } from '../json-text.ts';
import { formatDuration } from '../measure.ts';
import { currentLanguage, t } from '../texts.ts';
import { compareLines } from './compare.ts';
import type { Outcome } from './outcome.ts';

const maxKept = 50;

/** The calls made on this page, newest first. They are gone when it closes. */
export class History {
  readonly element = h('div', { class: 'history' });
  readonly #onRepeat: (outcome: Outcome) => void;
  readonly #onShow: (outcome: Outcome) => void;
  #calls: Outcome[] = [];
  #selected: Outcome[] = [];

  constructor(onRepeat: (outcome: Outcome) => void, onShow: (outcome: Outcome) => void) {
    this.#onRepeat = onRepeat;
    this.#onShow = onShow;
    this.draw();
  }

  add(outcome: Outcome): void {
    this.#calls = [outcome, ...this.#calls].slice(0, maxKept);
    this.#selected = this.#selected.filter((call) => this.#calls.includes(call));
    this.draw();
  }

  draw(): void {
    if (this.#calls.length === 0) {
      fill(this.element, h('p', { class: 'muted pad' }, t('noHistory')));
      return;
    }
    fill(
      this.element,
      h('p', { class: 'muted small pad' }, t('compareHelp')),
      h(
        'ul',
        {},
        this.#calls.map((call) => this.#row(call)),
      ),
      this.#comparison(),
    );
  }

  #row(call: Outcome): HTMLElement {
    const time = new Date(call.startedAtMs).toLocaleTimeString(currentLanguage());
    const box = h('input', {
      type: 'checkbox',
      'aria-label': t('selectCall', { time, name: call.tool }),
      on: { change: () => this.#select(call, box.checked) },
    });
    box.checked = this.#selected.includes(call);
    return h(
      'li',
      {},
      box,
      h(
        'span',
        { class: `state ${call.state}`, title: stateName(call) },
        h('span', { class: 'offscreen' }, stateName(call)),
      ),
      h(
        'div',
        { class: 'grow history-about' },
        h('span', { class: 'mono' }, call.tool),
        h('span', { class: 'mono small muted clip' }, JSON.stringify(call.args)),
      ),
      h('span', { class: 'small muted nowrap' }, `${time} · ${formatDuration(call.elapsedMs)}`),
      h(
        'button',
        { type: 'button', class: 'button small', on: { click: () => this.#onShow(call) } },
        t('show'),
      ),
      h(
        'button',
        { type: 'button', class: 'button small', on: { click: () => this.#onRepeat(call) } },
        t('repeat'),
      ),
    );
  }

  #select(call: Outcome, selected: boolean): void {
    this.#selected = selected
      ? [...this.#selected, call].slice(-2)
      : this.#selected.filter((other) => other !== call);
    const index = this.#calls.indexOf(call);
    this.draw();
    this.element.querySelectorAll<HTMLElement>('input[type=checkbox]')[index]?.focus();
  }

  #comparison(): HTMLElement | null {
    const [one, two] = this.#selected.toSorted((left, right) => left.startedAtMs - right.startedAtMs);
    if (!one || !two) return null;
    const [before, after] = [comparable(one), comparable(two)];
    const body =
      before === after
        ? h('p', { class: 'notice good' }, t('compareSame'))
        : h(
            'pre',
            { class: 'diff', tabindex: 0, role: 'region', 'aria-label': t('compareTitle') },
            compareLines(before, after).map(({ sign, text }) =>
              h('span', { class: sign === '+' ? 'gained' : sign === '-' ? 'lost' : '' }, `${sign} ${text}\n`),
            ),
          );
    return h('section', { class: 'comparison' }, h('h3', {}, t('compareTitle')), body);
  }
}

/** A call's arguments and result, one line per member, with JSON inside texts expanded. */
function comparable(call: Outcome): string {
  try {
    return pretty({ arguments: call.args, answer: unfold(call.body ?? call.text) });
  } catch {
    return call.text;
  }
}

function unfold(value: unknown): unknown {
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  }
  if (Array.isArray(value)) return value.map(unfold);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unfold(member)]));
  return value;
}

function stateName(call: Outcome): string {
  return call.state === 'succeeded'
    ? t('succeeded')
    : call.state === 'canceled'
      ? t('canceled')
      : t('failed');
}
