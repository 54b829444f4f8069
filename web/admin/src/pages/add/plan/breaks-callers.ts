import { isObject } from '#lib/json/plain-object.ts';

interface FieldChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const parameter = /^\/operation\/parameters\/[^/]+(?<field>\/.*)?$/;

/** Whether calls that fit a tool before may fail after these changes: an input is gone, newly required or of another type. */
export function breaksCallers(changes: readonly FieldChange[]): boolean {
  return changes.some(({ path, before, after }) => {
    const found = parameter.exec(path);
    if (found === null) return false;
    const field = found.groups?.['field'];
    if (field === undefined)
      return after === undefined || (before === undefined && isObject(after) && after['required'] === true);
    return (field === '/required' && after === true) || /\/(?:type|enum)$/.test(field);
  });
}
