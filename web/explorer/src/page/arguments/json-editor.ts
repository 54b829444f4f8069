import { fill, h, setAttribute, uniqueId } from '../dom.ts';
import { matchingBracket, parseJson, pretty, tokenize } from '../json-text.ts';
import type { ParsedJson } from '../json-text.ts';
import { t } from '../texts.ts';

const maxHighlightedChars = 60_000;

/** A JSON editor with highlighting, line numbers, bracket matching and automatic indentation. */
export class JsonEditor {
  readonly element: HTMLElement;
  readonly #input: HTMLTextAreaElement;
  readonly #highlighted: HTMLElement;
  readonly #numbers: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #onInput: (parsed: ParsedJson) => void;

  constructor(label: string, onInput: (parsed: ParsedJson) => void) {
    this.#onInput = onInput;
    const problemId = uniqueId('json-problem');
    this.#highlighted = h('code');
    this.#numbers = h('div', { class: 'line-numbers', 'aria-hidden': 'true' });
    this.#problem = h('p', { class: 'problem', id: problemId, role: 'status' });
    this.#input = h('textarea', {
      'aria-label': label,
      'aria-describedby': problemId,
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      rows: 1,
      on: {
        input: () => this.#changed(),
        keydown: (event) => this.#onKey(event as KeyboardEvent),
        keyup: () => this.#draw(),
        click: () => this.#draw(),
        blur: () => this.#draw(),
      },
    });
    this.element = h(
      'div',
      { class: 'editor' },
      h(
        'div',
        { class: 'editor-scroll' },
        this.#numbers,
        h(
          'div',
          { class: 'editor-text' },
          h('pre', { 'aria-hidden': 'true' }, this.#highlighted),
          this.#input,
        ),
      ),
      this.#problem,
    );
  }

  get text(): string {
    return this.#input.value;
  }

  /** Shows a value. Does not call `onInput`. */
  setValue(value: unknown): void {
    this.#input.value = pretty(value);
    this.#show(parseJson(this.#input.value));
  }

  focus(): void {
    this.#input.focus();
  }

  #changed(): void {
    const parsed = parseJson(this.#input.value);
    this.#show(parsed);
    this.#onInput(parsed);
  }

  #show(parsed: ParsedJson): void {
    this.#draw();
    setAttribute(this.#input, 'aria-invalid', parsed.ok ? null : 'true');
    fill(this.#problem, parsed.ok ? null : t('invalidJson', { line: parsed.line, reason: parsed.reason }));
  }

  #draw(): void {
    const text = this.#input.value;
    const lines = text.split('\n').length;
    if (this.#numbers.childElementCount !== lines) {
      fill(
        this.#numbers,
        Array.from({ length: lines }, (_line, index) => h('span', {}, index + 1)),
      );
    }
    // An empty last line has no height without a character.
    if (text.length > maxHighlightedChars) {
      fill(this.#highlighted, `${text} `);
      return;
    }
    const tokens = tokenize(text);
    const caret = document.activeElement === this.#input ? this.#input.selectionStart : -1;
    const pair = caret < 0 ? [] : this.#pairAt(tokens, caret);
    let at = 0;
    const drawn = tokens.map((token) => {
      const matched = pair.includes(at);
      at += token.text.length;
      return token.kind === 'space'
        ? token.text
        : h('span', { class: `json-${token.kind}${matched ? ' matched' : ''}` }, token.text);
    });
    fill(this.#highlighted, drawn, ' ');
  }

  #pairAt(tokens: ReturnType<typeof tokenize>, caret: number): number[] {
    for (const offset of [caret - 1, caret]) {
      const other = matchingBracket(tokens, offset);
      if (other !== null) return [offset, other];
    }
    return [];
  }

  /** Enter keeps the indentation. Tab leaves the field, as keyboard users need. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    const { selectionStart: start, selectionEnd: end, value } = this.#input;
    const line = value.slice(value.lastIndexOf('\n', start - 1) + 1, start);
    const margin = /^\s*/.exec(line)?.[0] ?? '';
    const opens = /[{[]\s*$/.test(line);
    const closes = /^\s*[}\]]/.test(value.slice(end));
    const inner = `\n${margin}${opens ? '  ' : ''}`;
    event.preventDefault();
    this.#input.setRangeText(opens && closes ? `${inner}\n${margin}` : inner, start, end, 'end');
    if (opens && closes) this.#input.selectionStart = this.#input.selectionEnd = start + inner.length;
    this.#changed();
  }
}

/** Highlighted JSON, read-only. */
export function jsonBlock(value: unknown, label: string): HTMLElement {
  const text = typeof value === 'string' ? value : pretty(value);
  const code = h('code');
  if (text.length > maxHighlightedChars) fill(code, text);
  else
    fill(
      code,
      tokenize(text).map((token) =>
        token.kind === 'space' ? token.text : h('span', { class: `json-${token.kind}` }, token.text),
      ),
    );
  return h('pre', { class: 'json-block', tabindex: 0, role: 'region', 'aria-label': label }, code);
}
