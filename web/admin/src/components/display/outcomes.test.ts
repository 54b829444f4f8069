import { expect, test } from 'vitest';
import { outcomeGroups } from '../../../../../src/domain/call.ts';
import { errorCatalog } from '../../../../../src/domain/errors.ts';
import { en } from '../../i18n/en.ts';
import { faultOf } from './outcomes.ts';

test('blames whom the gateway blames', () => {
  for (const fault of ['agent', 'api', 'gateway'] as const)
    expect(outcomeGroups[fault].filter((code) => faultOf(code) !== fault)).toEqual([]);
  expect([faultOf('ok'), faultOf('waiting')]).toEqual([null, null]);
});

test('names every outcome in words', () => {
  expect(Object.keys(errorCatalog).filter((code) => !(`outcome.${code}` in en))).toEqual([]);
});
