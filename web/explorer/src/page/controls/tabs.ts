import { h, setAttribute, uniqueId } from '../dom.ts';
import type { Child } from '../dom.ts';

/** One tab and what it shows. */
export interface Tab {
  id: string;
  label: Child;
  panel: HTMLElement;
}

/** A row of tabs with arrow keys, and their panels. */
export class Tabs {
  readonly bar: HTMLElement;
  readonly panels: HTMLElement;
  readonly #tabs: { id: string; button: HTMLButtonElement; panel: HTMLElement }[];
  readonly #onChange: (id: string) => void;

  constructor(label: string, tabs: Tab[], onChange: (id: string) => void = () => undefined) {
    this.#onChange = onChange;
    this.#tabs = tabs.map(({ id, label: text, panel }) => {
      const panelId = uniqueId('panel');
      const button = h(
        'button',
        {
          type: 'button',
          role: 'tab',
          class: 'tab',
          id: `${panelId}-tab`,
          'aria-controls': panelId,
          on: { click: () => this.show(id) },
        },
        text,
      );
      panel.id = panelId;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', `${panelId}-tab`);
      return { id, button, panel };
    });
    this.bar = h(
      'div',
      {
        class: 'tabs',
        role: 'tablist',
        'aria-label': label,
        on: { keydown: (event) => this.#onKey(event as KeyboardEvent) },
      },
      this.#tabs.map(({ button }) => button),
    );
    this.panels = h(
      'div',
      { class: 'panels' },
      this.#tabs.map(({ panel }) => panel),
    );
    this.#mark(tabs[0]?.id ?? '');
  }

  show(id: string): void {
    this.#mark(id);
    this.#onChange(id);
  }

  #mark(id: string): void {
    for (const tab of this.#tabs) {
      const chosen = tab.id === id;
      setAttribute(tab.button, 'aria-selected', String(chosen));
      setAttribute(tab.button, 'tabindex', chosen ? 0 : -1);
      tab.panel.hidden = !chosen;
    }
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = this.#tabs.findIndex(({ button }) => button === document.activeElement);
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    if (!next) return;
    this.show(next.id);
    next.button.focus();
  }
}

/** A segmented control: radio buttons in one bar. */
export function segmented(
  label: string,
  options: { id: string; label: string }[],
  chosen: string,
  onChange: (id: string) => void,
): HTMLElement {
  const name = uniqueId('choice');
  return h(
    'div',
    { class: 'segmented', role: 'radiogroup', 'aria-label': label },
    options.map((option) => {
      const input = h('input', {
        type: 'radio',
        name,
        value: option.id,
        on: { change: () => onChange(option.id) },
      });
      input.checked = option.id === chosen;
      return h('label', {}, input, h('span', {}, option.label));
    }),
  );
}
