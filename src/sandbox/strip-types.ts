import { transformSync } from '@swc/wasm-typescript';
import { isObject } from '../lib/json/plain-object.ts';

/** Why the types of a script can't be removed, and on which line. */
export class StripError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

/** A TypeScript script without its types: every line and column stays where it was. */
export function stripTypes(source: string): string {
  try {
    return transformSync(source, { mode: 'strip-only' }).code;
  } catch (thrown) {
    if (!isObject(thrown) || typeof thrown['message'] !== 'string') throw thrown;
    const { message, startLine } = thrown;
    const reworded = message.replace(
      / in strip-only mode$/,
      ' here, because only types can be removed: write it in plain JavaScript',
    );
    throw new StripError(reworded, typeof startLine === 'number' ? startLine : undefined);
  }
}
