import { describe, expect, it } from 'vitest';
import { newId } from './ids.ts';

describe('ids', () => {
  it('look like a ULID behind the name of their kind', () => {
    expect(newId('tool')).toMatch(/^tool_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('tell the time they were made', () => {
    const later = Date.now() + 86_400_000;
    expect(newId('call', later).slice(0, 15)).toBe(newId('call', later).slice(0, 15));
    expect(newId('call', later + 1) > newId('call', later)).toBe(false);
  });

  it('are all different and in order, however many a millisecond brings', () => {
    const nowMs = Date.now() + 2 * 86_400_000;
    const outOfOrder: string[] = [];
    let last = newId('call', nowMs);
    for (let i = 0; i < 1_200_000; i++) {
      const next = newId('call', nowMs);
      if (!(next > last)) outOfOrder.push(`${next} follows ${last}`);
      last = next;
    }
    expect(outOfOrder).toEqual([]);
  });
});
