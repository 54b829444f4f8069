import { ApiError } from './api.ts';
import type { Api, ToolDetail, Validation } from './api.ts';
import { ArgumentsPane } from './arguments/arguments-pane.ts';
import { badges, isDestructive } from './badges.ts';
import { confirmed } from './controls/confirm-dialog.ts';
import { copyText } from './controls/clipboard.ts';
import { copyForms } from './controls/copy-as.ts';
import { fill, h } from './dom.ts';
import { icon } from './icons.ts';
import { pretty } from './json-text.ts';
import { markdown } from './markdown.ts';
import { menu } from './controls/menu.ts';
import type { History } from './result/history.ts';
import type { Outcome } from './result/outcome.ts';
import { ResultPane } from './result/result-pane.ts';
import { schemaView } from './arguments/schema-tree.ts';
import { Tabs } from './controls/tabs.ts';
import type { Tab } from './controls/tabs.ts';
import { t } from './texts.ts';
import { titleOf } from './tool-search.ts';

/** What a tool's view needs from the page. */
export interface ToolViewContext {
  api: Api;
  history: History;
  allowExecute: boolean;
  askForKey(): Promise<boolean>;
  onBack(): void;
  /** Called on each change, so that the arguments are still there when the tool is opened again. */
  onDraft(args: unknown): void;
}

/** One tool: its description, arguments and result. */
export class ToolView {
  readonly element: HTMLElement;
  readonly #tool: ToolDetail;
  readonly #around: ToolViewContext;
  readonly #arguments: ArgumentsPane;
  readonly #result: ResultPane;
  readonly #verdict = h('div', { class: 'verdict', role: 'status', 'aria-live': 'polite' });
  readonly #execute: HTMLButtonElement;
  #running: AbortController | null = null;
  #forced = false;

  constructor(tool: ToolDetail, around: ToolViewContext, args?: unknown) {
    this.#tool = tool;
    this.#around = around;
    this.#result = new ResultPane(around.history);
    this.#execute = h(
      'button',
      {
        type: 'button',
        class: 'button primary',
        'aria-keyshortcuts': 'Control+Enter',
        on: { click: () => void this.execute() },
      },
      icon('play'),
      t('execute'),
    );
    this.#arguments = new ArgumentsPane(tool.inputSchema, args, () => this.#onChange());
    const title = tool.title ?? titleOf(tool);
    const tabs = this.#tabs();
    this.element = h(
      'article',
      { class: 'tool', 'aria-labelledby': 'tool-name' },
      h(
        'button',
        { type: 'button', class: 'button quiet back', on: { click: () => around.onBack() } },
        icon('back'),
        t('backToList'),
      ),
      h(
        'header',
        { class: 'tool-head' },
        h(
          'div',
          { class: 'row' },
          h('h2', { id: 'tool-name', class: 'mono', tabindex: -1 }, tool.name),
          h(
            'button',
            {
              type: 'button',
              class: 'icon-button',
              'aria-label': t('copyLink'),
              title: t('copyLink'),
              on: { click: () => void copyText(location.href) },
            },
            icon('link'),
          ),
        ),
        title !== undefined && title !== tool.name && h('p', { class: 'tool-title' }, title),
        badges(tool.annotations),
        tool.description !== '' && h('div', { class: 'tool-about' }, markdown(tool.description)),
      ),
      tabs.bar,
      tabs.panels,
    );
  }

  /** Moves the focus to the tool's name, so that a screen reader starts there. */
  focus(): void {
    this.element.querySelector<HTMLElement>('#tool-name')?.focus({ preventScroll: true });
  }

  show(outcome: Outcome): void {
    this.#result.show(outcome);
  }

  setArguments(args: unknown): void {
    this.#arguments.setValue(args);
    this.#arguments.element.scrollIntoView({ block: 'nearest' });
  }

  /** Cancels the running call. */
  cancel(): boolean {
    this.#running?.abort();
    return this.#running !== null;
  }

  /** Runs the tool. A destructive tool asks for confirmation first. */
  async execute(agreed = false): Promise<void> {
    const given = this.#arguments.value;
    if (!this.#around.allowExecute || this.#running) return;
    if (!this.#canSend() || given === null) return this.#result.showNotExecuted();
    if (!agreed && isDestructive(this.#tool.annotations) && !(await this.#agree(given.args)))
      return this.#result.showNotExecuted();
    const body = JSON.stringify(given.args);
    const running = new AbortController();
    this.#running = running;
    this.#execute.disabled = true;
    this.#result.showRunning(() => running.abort());
    this.#result.element.scrollIntoView({ block: 'nearest' });
    const outcome = await callTool(this.#around.api, this.#tool.name, given.args, body, running.signal);
    this.#running = null;
    this.#execute.disabled = false;
    this.#result.show(outcome);
    this.#result.element.scrollIntoView({ block: 'nearest' });
    this.#around.history.add(outcome);
    if (outcome.status === 401 && (await this.#around.askForKey())) await this.execute(true);
  }

  #agree(args: unknown): Promise<boolean> {
    return confirmed(
      t('confirmTitle', { name: this.#tool.name }),
      t('confirmDestructive'),
      pretty(args),
      t('execute'),
    );
  }

  #tabs(): Tabs {
    const actions = h(
      'div',
      { class: 'actions' },
      this.#around.allowExecute && this.#execute,
      h(
        'button',
        { type: 'button', class: 'button', on: { click: () => void this.validate() } },
        icon('check'),
        t('validate'),
      ),
      menu(
        t('copyAs'),
        copyForms.map((form) => ({ label: form.label, run: () => this.#copyAs(form) })),
      ),
      this.#around.allowExecute &&
        isDestructive(this.#tool.annotations) &&
        h('span', { class: 'warning small' }, icon('alert'), t('confirmDestructive')),
      !this.#around.allowExecute && h('span', { class: 'muted small' }, t('executeOff')),
    );
    const tryIt = h(
      'div',
      {},
      this.#arguments.element,
      actions,
      this.#verdict,
      this.#around.allowExecute && this.#result.element,
    );
    const tabs: Tab[] = [
      { id: 'try', label: t('tryIt'), panel: tryIt },
      {
        id: 'input',
        label: t('inputSchema'),
        panel: h('div', {}, schemaView(this.#tool.inputSchema, t('inputSchema'))),
      },
    ];
    if (this.#tool.outputSchema !== undefined) {
      tabs.push({
        id: 'output',
        label: t('outputSchema'),
        panel: h('div', {}, schemaView(this.#tool.outputSchema, t('outputSchema'))),
      });
    }
    return new Tabs(this.#tool.name, tabs);
  }

  /** Problems stop the first attempt; a second click sends the arguments anyway. */
  #canSend(): boolean {
    if (this.#arguments.value === null) {
      this.#arguments.focusEditor();
      return false;
    }
    const problems = this.#arguments.checkAll();
    if (problems === 0 || this.#forced) return true;
    this.#forced = true;
    fill(this.#execute, icon('alert'), t('executeAnyway'));
    fill(
      this.#verdict,
      h(
        'p',
        { class: 'notice bad' },
        problems === 1 ? t('invalidOne') : t('invalidCount', { count: problems }),
      ),
    );
    this.element.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    return false;
  }

  #onChange(): void {
    const given = this.#arguments?.value;
    if (given) this.#around.onDraft(given.args);
    this.#forced = false;
    fill(this.#execute, icon('play'), t('execute'));
    fill(this.#verdict);
  }

  async validate(): Promise<void> {
    const given = this.#arguments.value;
    if (given === null) {
      this.#arguments.focusEditor();
      return this.#holdBack();
    }
    this.#arguments.checkAll();
    try {
      this.#showVerdict(await this.#around.api.validate(this.#tool.name, JSON.stringify(given.args)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && (await this.#around.askForKey()))
        return this.validate();
      this.#holdBack();
      fill(
        this.#verdict,
        h('p', { class: 'notice bad' }, error instanceof ApiError ? error.message : t('networkError')),
      );
    }
  }

  /** A running call continues; its result is still to come. */
  #holdBack(): void {
    if (this.#running === null) this.#result.showNotExecuted();
  }

  #showVerdict(verdict: Validation): void {
    this.#drawVerdict(verdict);
    this.#verdict.scrollIntoView({ block: 'nearest' });
  }

  #drawVerdict(verdict: Validation): void {
    if (verdict.valid) {
      fill(this.#verdict, h('p', { class: 'notice good' }, icon('check'), t('valid')));
      return;
    }
    this.#holdBack();
    const errors = verdict.errors ?? [];
    const lines = errors
      .slice(0, 20)
      .map(({ path, message }) =>
        h(
          'li',
          {},
          h(
            'button',
            { type: 'button', class: 'link mono', on: { click: () => this.#arguments.focusOn(path) } },
            path === '' ? t('root') : path,
          ),
          ` ${message}`,
        ),
      );
    fill(
      this.#verdict,
      h(
        'div',
        { class: 'notice bad' },
        h('p', {}, errors.length === 1 ? t('invalidOne') : t('invalidCount', { count: errors.length })),
        h('ul', {}, lines),
      ),
    );
  }

  #copyAs(form: (typeof copyForms)[number]): void {
    const { api } = this.#around;
    const args = this.#arguments.value?.args ?? {};
    void copyText(
      form.write({ url: api.callUrl(this.#tool.name), tool: this.#tool.name, args, token: api.token }),
      t('copiedAs', { what: form.label }),
    );
  }
}

async function callTool(
  api: Api,
  tool: string,
  args: unknown,
  body: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAtMs = Date.now();
  const startedAt = performance.now();
  const base = { tool, args, startedAtMs, status: 0, apiStatus: null, text: '', body: undefined };
  try {
    const answer = await api.call(tool, body, signal);
    const state = answer.status === 200 ? 'succeeded' : answer.status === 500 ? 'tool-error' : 'rejected';
    return { ...base, ...answer, state, elapsedMs: performance.now() - startedAt };
  } catch {
    return {
      ...base,
      state: signal.aborted ? 'canceled' : 'unreachable',
      elapsedMs: performance.now() - startedAt,
    };
  }
}
