import { isSecretName, mask } from './mask-secrets.ts';

/**
 * The start of a value's JSON text, with the fields that have secret names masked at any depth. Stops soon
 * after `most` characters, so the cost doesn't grow with the value.
 */
export function maskedJson(value: unknown, most: number): string {
  const writer = new Writer(most);
  writer.write(value);
  return writer.text;
}

class Writer {
  text = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  write(value: unknown): void {
    if (typeof value === 'string') this.#text(value);
    else if (typeof value !== 'object' || value === null) this.text += JSON.stringify(value) ?? 'null';
    else if (Array.isArray(value)) this.#list(value);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not an array, as checked before; indexed here because every call goes through this
    else this.#object(value as Readonly<Record<string, unknown>>);
  }

  get #full(): boolean {
    return this.text.length >= this.#most;
  }

  #text(value: string): void {
    this.text += JSON.stringify(value.length > this.#most ? value.slice(0, this.#most) : value);
  }

  #list(list: readonly unknown[]): void {
    this.text += '[';
    for (let i = 0; i < list.length && !this.#full; i++) {
      if (i > 0) this.text += ',';
      this.write(list[i]);
    }
    this.text += ']';
  }

  #object(object: Readonly<Record<string, unknown>>): void {
    this.text += '{';
    let first = true;
    for (const name in object) {
      if (this.#full) break;
      const value = object[name];
      if (value === undefined) continue;
      if (!first) this.text += ',';
      first = false;
      this.#text(name);
      this.text += ':';
      this.write(isSecretName(name) && value !== null && value !== '' ? mask : value);
    }
    this.text += '}';
  }
}
