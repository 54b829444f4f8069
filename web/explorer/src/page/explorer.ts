import { Api, ApiError } from './api.ts';
import type { About, ToolSummary } from './api.ts';
import { fill, h } from './dom.ts';
import { icon } from './icons.ts';
import { askForKey } from './controls/key-dialog.ts';
import { History } from './result/history.ts';
import type { Outcome } from './result/outcome.ts';
import type { Settings } from './settings.ts';
import { currentLanguage, setLanguage, t } from './texts.ts';
import { currentTheme, toggleTheme } from './controls/theme.ts';
import { ToolList } from './tool-list.ts';
import { ToolView } from './tool-view.ts';
import { welcome } from './welcome.ts';

/** The whole page: header, list, and the open tool. */
export class Explorer {
  readonly #settings: Settings;
  readonly #api = new Api();
  readonly #main = h('main', { id: 'main', tabindex: -1 });
  #history = this.#createHistory();
  #list = new ToolList((name) => this.#open(name));
  #tools: ToolSummary[] | null = null;
  #about: About = {};
  #isKeyRejected = false;
  #view: ToolView | null = null;
  #viewName: string | null = null;
  #pending: { args?: unknown; outcome?: Outcome } = {};
  readonly #drafts = new Map<string, unknown>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Renders the page, loads the tools, and listens to keys and links. */
  start(): void {
    this.#draw();
    addEventListener('hashchange', () => void this.#showHash());
    addEventListener('keydown', (event) => this.#onKey(event));
    void this.#load();
  }

  #draw(): void {
    document.body.replaceChildren(
      h(
        'a',
        {
          class: 'skip',
          href: '#main',
          on: {
            click: (event) => {
              event.preventDefault();
              this.#main.focus();
            },
          },
        },
        t('skip'),
      ),
      this.#head(),
      h('div', { class: 'columns' }, this.#list.element, this.#main),
    );
  }

  /** The name of the server: of a protected one, once the key opens it. */
  get #title(): string {
    return this.#about.title ?? this.#settings.title;
  }

  #redrawHead(): void {
    document.querySelector('.head')?.replaceWith(this.#head());
  }

  #head(): HTMLElement {
    const { project } = this.#settings;
    const themeButton = h('button', {
      type: 'button',
      class: 'icon-button',
      on: {
        click: () => {
          toggleTheme();
          drawTheme();
        },
      },
    });
    const drawTheme = (): void => {
      const dark = currentTheme() === 'dark';
      themeButton.setAttribute('aria-label', dark ? t('toLight') : t('toDark'));
      themeButton.title = dark ? t('toLight') : t('toDark');
      fill(themeButton, icon(dark ? 'sun' : 'moon'));
    };
    drawTheme();
    const keySet = this.#api.token !== '';
    const other = currentLanguage() === 'en' ? 'es' : 'en';
    return h(
      'header',
      { class: 'head' },
      h('span', { class: 'logo', 'aria-hidden': 'true' }),
      h('h1', {}, this.#title),
      project,
      h('span', { class: 'grow' }),
      this.#modeChoice(),
      h(
        'button',
        {
          type: 'button',
          class: `button quiet key${keySet ? (this.#isKeyRejected ? ' rejected' : ' set') : ''}`,
          on: { click: () => void this.#askForKey(false) },
        },
        icon('key'),
        h(
          'span',
          { class: 'wide' },
          keySet ? t(this.#isKeyRejected ? 'accessRejected' : 'accessSet') : t('access'),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'button quiet',
          lang: other,
          'aria-label': t('language'),
          on: { click: () => this.#switchLanguage(other) },
        },
        icon('globe'),
        h('span', { class: 'wide' }, t('language')),
      ),
      themeButton,
    );
  }

  /** Selects how the tools are shown: all of them, or as clients see them in a mode. */
  #modeChoice(): HTMLElement | null {
    const { modes } = this.#settings;
    if (modes.length === 0) return null;
    const { mode } = this.#api;
    const choice = h(
      'select',
      { class: 'mode', 'aria-label': t('view'), title: t('view') },
      h('option', { value: '', selected: mode === '' }, t('viewAll')),
      modes.map((one) => h('option', { value: one, selected: mode === one }, t('viewMode', { mode: one }))),
    );
    choice.addEventListener('change', () => void this.#switchMode(choice.value));
    return choice;
  }

  async #switchMode(mode: string): Promise<void> {
    this.#api.mode = mode;
    this.#drafts.clear();
    // The open tool may not exist in the other mode.
    history.replaceState(null, '', location.pathname + (mode === '' ? '' : `?mode=${mode}`));
    await this.#load();
  }

  async #load(): Promise<void> {
    this.#message(h('p', { class: 'muted' }, t('loading')));
    try {
      this.#tools = await this.#api.list();
      if (this.#settings.about) this.#about = await this.#api.about();
      this.#isKeyRejected = false;
      this.#redrawHead();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.#isKeyRejected = this.#api.token !== '';
        this.#redrawHead();
      }
      if (error instanceof ApiError && error.status === 401 && (await this.#askForKey(true, false)))
        return this.#load();
      const reason = error instanceof ApiError ? error.message : t('networkError');
      this.#message(
        h('p', {}, t('loadFailed', { reason })),
        h(
          'button',
          { type: 'button', class: 'button', on: { click: () => void this.#load() } },
          t('tryAgain'),
        ),
      );
      return;
    }
    this.#list.setTools(this.#tools);
    await this.#showHash();
  }

  async #showHash(): Promise<void> {
    const name = nameFromHash();
    if (this.#tools === null) return;
    document.body.classList.toggle('tool-open', name !== null);
    this.#list.setChosen(name);
    document.title = name === null ? this.#title : `${name} · ${this.#title}`;
    if (name === null) {
      this.#view = null;
      this.#viewName = null;
      this.#welcome();
      return;
    }
    await this.#showTool(name);
  }

  async #showTool(name: string): Promise<void> {
    const { args, outcome } = this.#pending;
    this.#pending = {};
    try {
      const tool = await this.#api.detail(name);
      if (nameFromHash() !== name) return;
      this.#view?.cancel();
      this.#view = new ToolView(
        tool,
        {
          api: this.#api,
          history: this.#history,
          allowExecute: this.#settings.allowExecute,
          askForKey: () => this.#askForKey(true),
          onBack: () => this.#close(),
          onDraft: (draft) => this.#drafts.set(name, draft),
        },
        args ?? this.#drafts.get(name),
      );
      this.#viewName = name;
      fill(this.#main, this.#view.element);
      if (outcome) this.#view.show(outcome);
      this.#main.scrollTop = 0;
      this.#view.focus();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && (await this.#askForKey(true)))
        return this.#showTool(name);
      const missing = error instanceof ApiError && error.status === 404;
      const reason = error instanceof Error ? error.message : '';
      this.#message(
        h('p', {}, missing ? t('toolNotFound', { name }) : t('loadFailed', { reason })),
        h('button', { type: 'button', class: 'button', on: { click: () => this.#close() } }, t('backToList')),
      );
    }
  }

  #open(name: string): void {
    const hash = `#/${encodeURIComponent(name)}`;
    if (location.hash === hash) void this.#showHash();
    else location.hash = hash;
  }

  #close(): void {
    location.hash = '';
    this.#list.focusSearch();
  }

  #welcome(): void {
    fill(
      this.#main,
      welcome(this.#title, this.#about, this.#tools ?? [], (group) => this.#list.showGroup(group)),
    );
  }

  #message(...children: HTMLElement[]): void {
    fill(this.#main, h('div', { class: 'message' }, children));
  }

  /** Asks for the key, then reloads what is on screen. */
  async #askForKey(rejected: boolean, reload = !rejected): Promise<boolean> {
    const changed = await askForKey(this.#api, rejected);
    if (changed) {
      this.#isKeyRejected = false;
      this.#redrawHead();
      if (reload) await this.#load();
    }
    return changed;
  }

  #createHistory(): History {
    return new History(
      (outcome) => this.#revisit(outcome, { args: outcome.args }),
      (outcome) => this.#revisit(outcome, { args: outcome.args, outcome }),
    );
  }

  #revisit(call: Outcome, pending: { args?: unknown; outcome?: Outcome }): void {
    if (this.#view && this.#viewName === call.tool) {
      this.#view.setArguments(pending.args);
      if (pending.outcome) this.#view.show(pending.outcome);
      return;
    }
    this.#pending = pending;
    this.#open(call.tool);
  }

  #switchLanguage(language: 'en' | 'es'): void {
    setLanguage(language);
    const { query } = this.#list;
    this.#list = new ToolList((name) => this.#open(name));
    this.#draw();
    this.#list.setTools(this.#tools ?? []);
    this.#list.query = query;
    this.#history.draw();
    void this.#showHash();
  }

  #onKey(event: KeyboardEvent): void {
    const typing =
      event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null;
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (matchMedia('(max-width: 820px)').matches) location.hash = '';
      this.#list.focusSearch();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && this.#view) {
      event.preventDefault();
      if (document.querySelector('dialog[open]') !== null) return;
      void this.#view.execute();
    } else if (
      event.key === 'Escape' &&
      !event.defaultPrevented &&
      document.querySelector('dialog[open]') === null
    ) {
      if (this.#view?.cancel()) return;
      // Escape first leaves the field: it may only have been meant to close a suggestion.
      if (typing) this.#view?.focus();
      else if (this.#viewName !== null) this.#close();
    }
  }
}

function nameFromHash(): string | null {
  if (!location.hash.startsWith('#/')) return null;
  try {
    return decodeURIComponent(location.hash.slice(2)) || null;
  } catch {
    return null;
  }
}
