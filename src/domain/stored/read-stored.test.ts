import { describe, expect, it } from 'vitest';
import { examples, fullKey, fullSettings } from '../../../test/support/nouns/examples.ts';
import { mutationsOf } from '../../../test/support/nouns/mutations.ts';
import { problemsIn } from '../../lib/schema/problems.ts';
import { installationSettings } from '../settings.ts';
import { readStored, storedNouns } from './read-stored.ts';

describe('reading a stored row', () => {
  it.each(examples)('reads %s', (_what, kind, example) => {
    expect(readStored(kind, JSON.stringify(example))).toEqual({ ok: true, entity: example });
  });

  it.each(examples)(
    'reads nothing of %s that has one thing wrong, and says where',
    (_what, kind, example) => {
      const mutations = mutationsOf(storedNouns[kind], example);
      expect(mutations.length).toBeGreaterThan(25);
      for (const { what, path, document } of mutations) {
        const read = readStored(kind, JSON.stringify(document));
        expect(read.ok, `${path}: ${what}`).toBe(false);
        if (read.ok) continue;
        const [problem] = read.problems;
        expect(
          path.startsWith(problem!.path.slice(0, 90)) || problem!.path.startsWith(path),
          `${path}: ${problem!.path}`,
        ).toBe(true);
        expect(problem!.message).toMatch(/^[a-z]/);
      }
    },
  );

  it('refuses settings with one thing wrong', () => {
    for (const { what, path, document } of mutationsOf(installationSettings, fullSettings))
      expect(problemsIn(installationSettings, document).length, `${path}: ${what}`).toBeGreaterThan(0);
  });

  it.each([
    ['nothing', ''],
    ['half a row', '{"id":"api_1","slug'],
    ['no object', '[]'],
    ['null', 'null'],
    ['a row of a newer layout', JSON.stringify({ ...fullKey, layout: 2 })],
    ['a row with a field of a newer version', JSON.stringify({ ...fullKey, color: 'red' })],
  ])('reads nothing of %s', (_what, text) => {
    expect(readStored('key', text)).toMatchObject({ ok: false });
  });

  it('says that a newer version may have written what it does not know', () => {
    const read = readStored('key', JSON.stringify({ ...fullKey, color: 'red' }));
    expect(read).toEqual({
      ok: false,
      problems: [
        { path: '/color', message: 'is not a known field: a newer version of Handrail may have written it' },
      ],
    });
  });
});
