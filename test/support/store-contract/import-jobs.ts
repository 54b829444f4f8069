import { describe, expect, test } from 'vitest';
import type { StorePlace } from './place.ts';

/** The promises of imports that run on their own. */
export function describeImportJobs({ name, openEmpty }: StorePlace): void {
  describe(`import jobs on ${name}`, () => {
    const job = (id: string, revision = 1, text = '{"label":"\u0000 ünïcode"}') => ({
      id,
      revision,
      updatedAtMs: 1_700_000_000_000,
      text,
    });
    const parts = (...texts: string[]) => texts.map((text) => Buffer.from(text));

    test('are listed newest first, and replaced only from the revision before', async () => {
      const { importJobs } = await openEmpty();
      await importJobs.add(job('imp_1'), { document: parts('one', 'two') });
      await importJobs.add(job('imp_2'), {});
      expect((await importJobs.list()).map(({ id }) => id)).toEqual(['imp_2', 'imp_1']);
      expect(await importJobs.replace(job('imp_1', 2, '{"is":2}'), { result: parts('three') })).toBe(true);
      expect(await importJobs.replace(job('imp_1', 2, '{"is":3}'), { result: parts('four') })).toBe(false);
      expect(await importJobs.replace(job('imp_3', 2))).toBe(false);
      expect(await importJobs.get('imp_1')).toEqual(job('imp_1', 2, '{"is":2}'));
      expect(await importJobs.get('imp_3')).toBeNull();
      expect(await importJobs.content('imp_1', 'document')).toEqual(parts('one', 'two'));
      expect(await importJobs.content('imp_1', 'result')).toEqual(parts('three'));
    });

    test('lose content that is replaced by none, and everything when they are removed', async () => {
      const { importJobs } = await openEmpty();
      await importJobs.add(job('imp_1'), { document: parts('one'), options: parts('two') });
      await importJobs.replace(job('imp_1', 2), { document: [] });
      expect(await importJobs.content('imp_1', 'document')).toBeNull();
      await importJobs.remove(['imp_1', 'imp_9']);
      await importJobs.remove([]);
      expect(await importJobs.list()).toEqual([]);
      expect(await importJobs.content('imp_1', 'options')).toBeNull();
    });
  });
}
