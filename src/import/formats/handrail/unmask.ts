import { mask, maskQuery } from '../../../lib/secrets/mask-secrets.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { byName } from '../../../domain/field-changes.ts';
import { valueAt } from '../../../lib/json/json-pointer.ts';

/**
 * Restores the current values where Handrail's export masks them. A masked value without a current one is left out and
 * its path passed to `onMissing`; a fixed parameter still stays hidden.
 */
export function unmask<T>(exported: T, standing: unknown, onMissing: (path: string) => void): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only masked texts are replaced, by the current values
  return walk(exported, standing, onMissing, '') as T;
}

function walk(
  exported: unknown,
  standing: unknown,
  onMissing: (path: string) => void,
  path: string,
): unknown {
  if (typeof exported === 'string') return isMaskOf(exported, standing) ? standing : exported;
  if (typeof exported !== 'object' || exported === null) return exported;
  if (Array.isArray(exported)) {
    const known = byName(standing, path);
    const named = byName(exported, path);
    const keys = isObject(named) ? Object.keys(named) : exported.map((_, i) => String(i));
    const inner = (key: string): unknown => valueAt(known, [key]);
    return exported.map((value, i) => walk(value, inner(keys[i]!), onMissing, `${path}/${keys[i]!}`));
  }
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(exported)) {
    const known = isObject(standing) && Object.hasOwn(standing, key) ? standing[key] : undefined;
    const place = `${path}/${key}`;
    if (value === mask && typeof known !== 'string') {
      onMissing(place);
      if (key === 'fixed') result['hidden'] = true;
      continue;
    }
    Object.defineProperty(result, key, {
      value: walk(value, known, onMissing, place),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function isMaskOf(text: string, standing: unknown): boolean {
  if (!text.includes(mask) || typeof standing !== 'string') return false;
  return text === mask || text === maskQuery(standing);
}
