import { fill, h } from '../dom.ts';
import { Form } from '../form/form.ts';
import { icon } from '../icons.ts';
import { initialValue } from './initial-value.ts';
import { JsonEditor } from './json-editor.ts';
import { byteLength, estimateTokens, formatBytes, formatCount } from '../measure.ts';
import { segmented } from '../controls/tabs.ts';
import { t } from '../texts.ts';

/** The arguments as a form and as JSON, kept in sync. */
export class ArgumentsPane {
  readonly element: HTMLElement;
  readonly #schema: unknown;
  readonly #form: Form;
  readonly #editor: JsonEditor;
  readonly #size = h('p', { class: 'small muted' });
  readonly #onChange: () => void;
  #value: unknown;
  #readable = true;

  constructor(schema: unknown, value: unknown, onChange: () => void) {
    this.#schema = schema;
    this.#onChange = onChange;
    this.#form = new Form(schema, (next) => {
      this.#value = next;
      this.#readable = true;
      this.#editor.setValue(next);
      this.#changed();
    });
    this.#editor = new JsonEditor(t('jsonArguments'), (parsed) => {
      this.#readable = parsed.ok;
      this.element.classList.toggle('unreadable', !parsed.ok);
      if (parsed.ok) {
        this.#value = parsed.value;
        this.#form.setValue(parsed.value);
      }
      this.#changed();
    });
    const sides = h(
      'div',
      { class: 'sides show-form' },
      h('div', { class: 'side form-side' }, this.#form.element),
      h('div', { class: 'side json-side' }, this.#editor.element),
    );
    const choice = segmented(
      t('arguments'),
      [
        { id: 'form', label: t('form') },
        { id: 'json', label: t('json') },
      ],
      'form',
      (id) => {
        sides.classList.toggle('show-form', id === 'form');
        sides.classList.toggle('show-json', id === 'json');
      },
    );
    this.element = h(
      'section',
      { class: 'card arguments', 'aria-label': t('arguments') },
      h(
        'div',
        { class: 'card-head' },
        h('h3', {}, t('arguments')),
        h('div', { class: 'side-choice' }, choice),
        h('span', { class: 'grow' }),
        h(
          'button',
          {
            type: 'button',
            class: 'button small quiet',
            title: t('fillAllHelp'),
            'aria-label': t('fillAll'),
            on: { click: () => this.setValue(initialValue(schema, schema, true)) },
          },
          icon('wand'),
          h('span', { class: 'wide' }, t('fillAll')),
        ),
        h(
          'button',
          {
            type: 'button',
            class: 'button small quiet',
            'aria-label': t('reset'),
            title: t('reset'),
            on: { click: () => this.reset() },
          },
          icon('reset'),
          h('span', { class: 'wide' }, t('reset')),
        ),
      ),
      sides,
      h('div', { class: 'card-foot' }, this.#size),
    );
    this.setValue(value ?? initialValue(schema, schema));
  }

  /** The arguments, or null while the JSON is invalid. */
  get value(): { args: unknown } | null {
    return this.#readable ? { args: this.#value } : null;
  }

  setValue(value: unknown): void {
    this.#value = value;
    this.#readable = true;
    this.element.classList.remove('unreadable');
    this.#form.reset();
    this.#form.setValue(value);
    this.#editor.setValue(value);
    this.#changed();
  }

  reset(): void {
    this.setValue(initialValue(this.#schema, this.#schema));
  }

  /** Shows every problem that can be found without the server, and returns how many there are. */
  checkAll(): number {
    return this.#form.check(this.#value, true).length;
  }

  focusOn(path: string): void {
    this.#form.focusOn(path);
  }

  focusEditor(): void {
    this.#editor.focus();
  }

  #changed(): void {
    const text = this.#readable ? JSON.stringify(this.#value) : this.#editor.text;
    fill(
      this.#size,
      t('requestSize', { size: formatBytes(byteLength(text)), tokens: formatCount(estimateTokens(text)) }),
    );
    this.#onChange();
  }
}
