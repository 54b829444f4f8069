import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { tokenBound } from '../../lib/text/token-bound.ts';
import { linesIn } from './text-lines.ts';

describe('the lines of a text', () => {
  it('begin after each line break, and add up to the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', 'é', '🙂', 'x'.repeat(500), '\r\n')), (pieces) => {
        const text = pieces.join('');
        const starts = linesIn(text);
        const lines = starts.slice(0, -1).map((start, n) => text.slice(start, starts[n + 1]));
        expect(lines.join('')).toBe(text);
        for (const line of lines) expect(line.slice(0, -1)).not.toContain('\n');
      }),
    );
  });

  it.each(['x', '天', '!@', '🙂', '0x7f ', '\\u00e9'])('fit the smallest budget: %s', (word) => {
    const text = word.repeat(2_000);
    const starts = linesIn(text);
    for (const [n, start] of starts.slice(0, -1).entries())
      expect(tokenBound(text.slice(start, starts[n + 1]))).toBeLessThan(300);
  });

  it('are found in one pass over a text that is one line', () => {
    // Looked for once for each part of it, the end of the line would be read for minutes.
    const starts = linesIn('x'.repeat(50_000_000));
    expect(starts.length).toBe(125_001);
  });
});
