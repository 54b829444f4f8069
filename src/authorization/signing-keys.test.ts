import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterKey } from '../credentials/seal.ts';
import { openStore } from '../storage/open-store.ts';
import type { Store } from '../storage/ports.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningKeys } from './signing-keys.ts';

const dayMs = 86_400_000;
let store: Store;
let folder: string;
let nowMs: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handrail-keys-'));
  store = await openStore({ dataDir: folder });
  nowMs = 1_800_000_000_000;
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function open(bytes = key) {
  const own = masterKey(bytes);
  return createSigningKeys({
    ring: { current: () => own, find: (id) => (id === own.id ? own : null) },
    meta: store.meta,
    leases: store.leases,
    now: () => nowMs,
  });
}
const key = randomBytes(32);

describe('the signing keys', () => {
  it('sign only once every process shows them, and stay published after that', async () => {
    const keys = open();
    const first = await keys.signingKey();
    expect((await open().publicKeys()).map(({ kid }) => kid)).toEqual([first.kid]);
    nowMs += 91 * dayMs;
    const [next, ...older] = await keys.publicKeys();
    expect(older.map(({ kid }) => kid)).toEqual([first.kid]);
    expect((await keys.signingKey()).kid).toBe(first.kid);
    nowMs += 120_000;
    expect((await keys.signingKey()).kid).toBe(next!.kid);
    expect((await keys.publicKeys()).map(({ kid }) => kid)).toContain(first.kid);
  });

  it('are the same in every process, sealed in the store, and public without their private part', async () => {
    const [one, other] = await Promise.all([open().keys(), open().keys()]);
    expect(one).toEqual(other);
    expect(await open().cookieKey()).toBe(await open().cookieKey());
    expect(await store.meta.get('signing_keys')).not.toContain(one[0]!.d);
    expect(Object.keys((await open().publicKeys())[0]!)).not.toContain('d');
  });

  it('rotate after 90 days; the old one is still published for a while', async () => {
    const [first] = await open().keys();
    nowMs += 91 * dayMs;
    const rotated = await open().keys();
    expect(rotated.map(({ kid }) => kid)).toEqual([expect.not.stringMatching(first!.kid), first!.kid]);
    nowMs += 91 * dayMs;
    const later = await open().keys();
    expect(later.map(({ kid }) => kid)).not.toContain(first!.kid);
    expect(await open().cookieKey()).toBe(await open().cookieKey());
  });

  it('are made anew when the master key that sealed them is gone', async () => {
    const [first] = await open().keys();
    const [fresh] = await open(randomBytes(32)).keys();
    expect(fresh!.kid).not.toBe(first!.kid);
  });
});
