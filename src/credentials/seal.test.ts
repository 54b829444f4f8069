import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetaStore } from '../storage/ports.ts';
import { addKeyToFile, loadMasterKey } from './master-key.ts';
import type { KeyRing } from './seal.ts';
import { masterKey, seal, sealedWith, unseal } from './seal.ts';
import fc from '../../test/support/property.ts';

const ringOf = (...keys: ReturnType<typeof masterKey>[]): KeyRing => ({
  current: () => keys[0]!,
  find: (id) => keys.find((key) => key.id === id) ?? null,
});
const newKey = () => masterKey(randomBytes(32));
const row = { id: 'cred_1', apiId: 'api_1', origins: ['https://a.example'] };

function metaStore(): MetaStore {
  const facts = new Map<string, string>();
  return {
    get: async (name) => facts.get(name) ?? null,
    set: async (name, value) => void facts.set(name, value),
    setIfAbsent: async (name, value) => facts.get(name) ?? (facts.set(name, value), value),
    delete: async (name) => void facts.delete(name),
    setAll: async (all) => all.forEach(([name, value]) => facts.set(name, value)),
    getAll: async (prefix) => [...facts].filter(([name]) => name.startsWith(prefix)),
  };
}

describe('seal', () => {
  it('opens to what was sealed, and never shows it', () => {
    const ring = ringOf(newKey());
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ minLength: 4 })), (fields) => {
        const plain = JSON.parse(JSON.stringify(fields)) as Record<string, string>;
        const text = seal(ring, row, plain);
        expect(unseal(ring, row, text)).toEqual(plain);
        expect(text).not.toBe(seal(ring, row, plain));
      }),
    );
  });

  it('does not open in another row, for another API, caller or origin', () => {
    const ring = ringOf(newKey());
    const text = seal(ring, row, { value: 'x' });
    for (const other of [
      { ...row, id: 'cred_2' },
      { ...row, apiId: 'api_2' },
      { ...row, callerId: 'key:1' },
      { ...row, origins: ['https://evil.example'] },
    ]) {
      expect(() => unseal(ring, other, text)).toThrow('belongs to another credential');
    }
  });

  it('does not open when any part was changed', () => {
    const ring = ringOf(newKey());
    const text = seal(ring, row, { value: 'secret-value' });
    for (let i = text.lastIndexOf('.') + 1; i < text.length - 1; i++) {
      const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1);
      expect(() => unseal(ring, row, changed)).toThrow('was corrupted');
    }
  });

  it('opens rows of an older key as long as that key is at hand', () => {
    const [old, next] = [newKey(), newKey()];
    const text = seal(ringOf(old), row, { value: 'x' });
    expect(unseal(ringOf(next, old), row, text)).toEqual({ value: 'x' });
    expect(() => unseal(ringOf(next), row, text)).toThrow(`master key ${old.id}, which is not available`);
  });
});

describe('loadMasterKey', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'handrail-key-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('makes a key file that only its owner can read, once', async () => {
    const meta = metaStore();
    const first = await loadMasterKey({ dataDir, meta });
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    const second = await loadMasterKey({ dataDir, meta });
    expect(second.ring.current().id).toBe(first.ring.current().id);
    expect(second.warning).toBeNull();
  });

  it('keeps serving without the lost key and says what to do', async () => {
    const meta = metaStore();
    await loadMasterKey({ dataDir, meta });
    rmSync(join(dataDir, 'secret.key'));
    const { ring, warning } = await loadMasterKey({ dataDir, meta });
    expect(warning).toContain('rotate-key --lost-key');
    expect(existsSync(join(dataDir, 'secret.key'))).toBe(false);
    expect(() => ring.current()).toThrow('is lost');
  });

  it('refuses a shared store without a key, or with another than its own', async () => {
    const meta = metaStore();
    await expect(loadMasterKey({ dataDir: null, meta })).rejects.toMatchObject({ code: 'config_invalid' });
    await loadMasterKey({ dataDir: null, meta, secretKey: randomBytes(32).toString('base64') });
    await expect(
      loadMasterKey({ dataDir: null, meta, secretKey: randomBytes(32).toString('base64') }),
    ).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('new,old') });
  });

  it.each(['short', randomBytes(31).toString('base64'), `${randomBytes(32).toString('base64')}!`])(
    'refuses the key %s',
    async (secretKey) => {
      await expect(loadMasterKey({ dataDir, meta: metaStore(), secretKey })).rejects.toMatchObject({
        code: 'config_invalid',
      });
    },
  );

  it('follows a key that another process exchanged in the file', async () => {
    const { ring } = await loadMasterKey({ dataDir, meta: metaStore() });
    const before = seal(ring, row, { value: 'x' });
    const freshId = addKeyToFile(dataDir);
    expect(unseal(ring, row, before)).toEqual({ value: 'x' });
    expect(ring.current().id).toBe(freshId);
    expect(sealedWith(seal(ring, row, { value: 'x' }))).toBe(freshId);
    expect(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('warns when others can read the key file', async () => {
    const meta = metaStore();
    await loadMasterKey({ dataDir, meta });
    chmodSync(join(dataDir, 'secret.key'), 0o644);
    expect((await loadMasterKey({ dataDir, meta })).warning).toContain('chmod 600');
  });
});
