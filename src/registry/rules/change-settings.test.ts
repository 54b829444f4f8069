import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import { settingsOf } from '../settings.ts';
import { type SettingsPatch, updateSettings } from './change-settings.ts';

let opened: OpenedRegistry;
beforeEach(async () => {
  opened = await openTestRegistry();
});
afterEach(() => opened.close());

const update = (patch: SettingsPatch, revision?: number) =>
  opened.decide((snapshot) => updateSettings(snapshot, patch, revision));
const current = () => settingsOf(opened.registry.snapshot.settings);

it('are empty until somebody says something', () => {
  expect(current()).toEqual({ revision: 0 });
});

it('change one by one, and null goes back to the environment', async () => {
  await update({ retentionDays: 7, egressAllow: ['10.0.0.0/8'] }, 0);
  expect(current()).toEqual({ retentionDays: 7, egressAllow: ['10.0.0.0/8'], revision: 1 });
  await update({ retentionDays: null }, 1);
  expect(current()).toEqual({ egressAllow: ['10.0.0.0/8'], revision: 2 });
});

it.each([
  ['an older revision', { retentionDays: 1 }, 0, 'stale'],
  ['a newer revision', { retentionDays: 1 }, 2, 'stale'],
  ['days that are none', { retentionDays: -1 }, undefined, 'invalid_input'],
  ['an address that is none', { egressAllow: ['not an address'] }, undefined, 'invalid_input'],
])('are not changed with %s', async (_what, patch, revision, code) => {
  await update({ retentionDays: 7 });
  await expect(update(patch, revision)).rejects.toMatchObject({ code });
  expect(current()).toEqual({ retentionDays: 7, revision: 1 });
});
