import { isObject, nestsDeeperThan } from '../../schema/json-values.ts';
import { copyText, saveText } from '../controls/clipboard.ts';
import { fill, h } from '../dom.ts';
import type { Child } from '../dom.ts';
import { icon } from '../icons.ts';
import { jsonBlock } from '../arguments/json-editor.ts';
import { byteLength, estimateTokens, formatBytes, formatCount, formatDuration } from '../measure.ts';
import { Tabs } from '../controls/tabs.ts';
import { t } from '../texts.ts';
import { contentView } from './content-view.ts';
import type { History } from './history.ts';
import type { Outcome } from './outcome.ts';

/** Shows results: the result itself, the raw reply, and earlier calls. */
export class ResultPane {
  readonly element: HTMLElement;
  readonly #result = h('div', { class: 'result-body' });
  readonly #raw = h('div', { class: 'result-body' });
  readonly #state = h('div', { class: 'result-state', role: 'status', 'aria-live': 'polite' });
  readonly #tabs: Tabs;
  #answered = false;
  #ticking: ReturnType<typeof setInterval> | undefined;

  constructor(history: History) {
    this.#tabs = new Tabs(t('result'), [
      { id: 'result', label: t('result'), panel: this.#result },
      { id: 'raw', label: t('raw'), panel: this.#raw },
      { id: 'history', label: t('history'), panel: h('div', { class: 'result-body' }, history.element) },
    ]);
    this.element = h(
      'section',
      { class: 'card result', 'aria-label': t('result') },
      h('div', { class: 'card-head' }, this.#tabs.bar, this.#state),
      this.#tabs.panels,
    );
    this.#showNothing(t('noResult'), t('noResultHelp'));
  }

  /** Removes an earlier result, so that it isn't mistaken for that of an attempt that wasn't executed. */
  showNotExecuted(): void {
    if (this.#answered) this.#showNothing(t('notExecuted'), t('notExecutedHelp'));
  }

  #showNothing(what: string, help: string): void {
    this.#answered = false;
    this.element.classList.remove('failed');
    fill(this.#state);
    fill(
      this.#result,
      h('div', { class: 'empty' }, icon('play'), h('p', {}, what), h('p', { class: 'muted small' }, help)),
    );
    fill(this.#raw, h('p', { class: 'muted pad' }, what));
  }

  /** Shows that a call is running, for how long, and a button to cancel it. */
  showRunning(onCancel: () => void): void {
    this.#showNothing(t('executing'), '');
    this.#stopTicking();
    const startedAt = performance.now();
    const time = h('span', { class: 'mono' });
    const tick = (): void => fill(time, formatDuration(performance.now() - startedAt));
    tick();
    this.#ticking = setInterval(tick, 100);
    fill(this.#state, h('span', { class: 'pill running' }, t('executing')));
    fill(
      this.#result,
      h('div', { class: 'progress', role: 'progressbar', 'aria-label': t('executing') }),
      h(
        'div',
        { class: 'empty' },
        h('p', { 'aria-hidden': 'true' }, time),
        h('button', { type: 'button', class: 'button', on: { click: onCancel } }, icon('stop'), t('cancel')),
      ),
    );
    this.#tabs.show('result');
  }

  show(outcome: Outcome): void {
    this.#stopTicking();
    this.#answered = true;
    const failed = outcome.state !== 'succeeded';
    this.element.classList.toggle('failed', failed);
    fill(this.#state, stateLine(outcome));
    fill(this.#result, resultOf(outcome));
    fill(
      this.#raw,
      outcome.text === '' ? h('p', { class: 'muted pad' }, t('emptyResult')) : rawView(outcome),
    );
    this.#tabs.show('result');
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
  }
}

function stateLine(outcome: Outcome): Child[] {
  const names = {
    succeeded: t('succeeded'),
    'tool-error': t('toolError'),
    rejected: t('failed'),
    canceled: t('canceled'),
    unreachable: t('failed'),
  };
  const good = outcome.state === 'succeeded';
  const trace = traceOf(outcome.body);
  return [
    h(
      'span',
      { class: `pill ${good ? 'good' : outcome.state === 'canceled' ? 'plain' : 'bad'}` },
      icon(good ? 'check' : 'alert'),
      names[outcome.state],
      outcome.apiStatus !== null
        ? ` · ${t('apiAnswered', { status: outcome.apiStatus })}`
        : outcome.status > 0 && ` ${outcome.status}`,
    ),
    h('span', { class: 'small muted nowrap elapsed' }, formatDuration(outcome.elapsedMs)),
    outcome.text !== '' &&
      h(
        'span',
        { class: 'small muted nowrap' },
        t('resultSize', {
          size: formatBytes(byteLength(outcome.text)),
          tokens: formatCount(estimateTokens(outcome.text)),
        }),
      ),
    trace !== null && h('span', { class: 'small muted mono clip' }, t('trace', { id: trace })),
  ];
}

function traceOf(body: unknown): string | null {
  const meta = isObject(body) && isObject(body['_meta']) ? body['_meta']['_trace_id'] : null;
  return typeof meta === 'string' ? meta : null;
}

function resultOf(outcome: Outcome): Child[] {
  if (outcome.state === 'canceled')
    return [h('p', { class: 'notice' }, t('canceledHelp', { time: formatDuration(outcome.elapsedMs) }))];
  if (outcome.state === 'unreachable') return [h('p', { class: 'notice bad' }, t('networkError'))];
  const body = isObject(outcome.body) ? outcome.body : {};
  if (Array.isArray(body['content'])) {
    return body['content'].length === 0
      ? [h('p', { class: 'muted pad' }, t('emptyResult'))]
      : body['content'].map(contentView);
  }
  const reason = body['error'] ?? body['detail'] ?? outcome.text;
  return [h('p', { class: 'notice bad' }, typeof reason === 'string' ? reason : JSON.stringify(reason))];
}

function rawView(outcome: Outcome): Child[] {
  return [
    h(
      'div',
      { class: 'block-tools' },
      h('span', { class: 'grow' }),
      h(
        'button',
        {
          type: 'button',
          class: 'icon-button',
          'aria-label': t('copy'),
          title: t('copy'),
          on: { click: () => void copyText(outcome.text) },
        },
        icon('copy'),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'icon-button',
          'aria-label': t('download'),
          title: t('download'),
          on: { click: () => saveText(outcome.text, 'answer.json') },
        },
        icon('download'),
      ),
    ),
    jsonBlock(nestsDeeperThan(outcome.body, 500) ? outcome.text : (outcome.body ?? outcome.text), t('raw')),
  ];
}
