import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from './config/load-config.ts';
import type { SettingName } from './config/settings.ts';
import { createGateway } from './gateway.ts';
import type { Store } from './storage/ports.ts';

const opened = vi.hoisted((): Store[] => []);

// The real store; kept, because a gateway that cannot be opened hands nothing out.
vi.mock('./storage/open-store.ts', async (original) => {
  const { openStore } = await original<typeof import('./storage/open-store.ts')>();
  return {
    openStore: async (...args: Parameters<typeof openStore>) => {
      const store = await openStore(...args);
      opened.push(store);
      return store;
    },
  };
});

describe('a gateway', () => {
  let dataDir: string;
  beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'handrail-gateway-'))));
  afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));

  const open = (settings: Partial<Record<SettingName, unknown>> = {}) =>
    createGateway(loadConfig({ flags: { dataDir, port: 0, logLevel: 'silent', ...settings } }));
  const storeAnswers = () =>
    opened
      .at(-1)!
      .ping()
      .then(
        () => true,
        () => false,
      );

  it('closes its store with everything else', async () => {
    const gateway = await open();
    expect(await storeAnswers()).toBe(true);
    await gateway.close();
    expect(await storeAnswers()).toBe(false);
  });

  it.each([
    ['the registry', { host: '0.0.0.0' }, 'would let anyone call your APIs'],
    ['upstream', { egressAllow: 'http://not an entry' }, 'HANDRAIL_EGRESS_ALLOW'],
    ['the credentials', {}, 'secret.key'],
  ])('closes its store when %s cannot be opened', async (room, settings, message) => {
    await (await open()).close();
    if (room === 'the credentials') await writeFile(join(dataDir, 'secret.key'), 'damaged');
    await expect(open(settings)).rejects.toThrow(message);
    expect(opened).toHaveLength(2);
    expect(await storeAnswers()).toBe(false);
  });

  afterEach(() => void opened.splice(0));
});
