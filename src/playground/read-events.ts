import { playgroundErrors } from '../domain/error-messages/playground.ts';

const maxLineChars = 8 * 1024 * 1024;

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from the bytes of a stream, and
 * reports each as soon as it is complete.
 */
export class EventReader {
  readonly #onEvent: (name: string, data: string) => void;
  readonly #decoder = new TextDecoder();
  /** The pieces of an unfinished line. */
  #pieces: string[] = [];
  #length = 0;
  #name = '';
  #data: string[] = [];
  #endedWithReturn = false;

  constructor(onEvent: (name: string, data: string) => void) {
    this.#onEvent = onEvent;
  }

  take(bytes: Uint8Array): void {
    this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Reports a last event that isn't followed by an empty line, as some servers send it. */
  end(): void {
    this.#read(this.#decoder.decode());
    if (this.#length > 0) this.#line(this.#takeLine(''));
    this.#dispatch();
  }

  #read(text: string): void {
    let start = 0;
    // The second half of a line ending that was split.
    if (this.#endedWithReturn && text.startsWith('\n')) start = 1;
    if (text !== '') this.#endedWithReturn = false;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.#line(this.#takeLine(text.slice(start, at)));
      if (code === 13) {
        if (at + 1 === text.length) this.#endedWithReturn = true;
        else if (text.charCodeAt(at + 1) === 10) at++;
      }
      start = at + 1;
    }
    if (start >= text.length) return;
    this.#pieces.push(text.slice(start));
    this.#length += text.length - start;
    if (this.#length > maxLineChars) throw playgroundErrors.eventTooLong();
  }

  #takeLine(rest: string): string {
    if (this.#length === 0) return rest;
    const line = this.#pieces.join('') + rest;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }

  #dispatch(): void {
    const { length } = this.#data;
    const data = this.#data.join('\n');
    const name = this.#name;
    this.#data = [];
    this.#name = '';
    if (length > 0) this.#onEvent(name, data);
  }
}
