import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

describe('the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const file = (content: unknown) => {
    const path = join(folder, 'handrail.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  it('needs no setting', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './handrail-data',
      egressAllow: [],
      trustProxy: [],
      adminAllow: [],
    });
  });

  it('prefers flags to the environment, the environment to the file, the file to the default', () => {
    const path = file({ port: 1, host: 'file', dataDir: 'file' });
    const config = loadConfig({
      flags: { port: '3' },
      env: { HANDRAIL_PORT: '2', HANDRAIL_HOST: 'env' },
      file: path,
    });
    expect(config).toMatchObject({ port: 3, host: 'env', dataDir: 'file', logLevel: 'info' });
  });

  it('reads lists and switches from text', () => {
    const config = loadConfig({
      env: {
        HANDRAIL_EGRESS_ALLOW: 'a.example, 10.0.0.0/8 ,',
        HANDRAIL_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8',
        HANDRAIL_DEMO: 'false',
        DATABASE_URL: 'postgres://db',
      },
    });
    expect(config).toMatchObject({
      egressAllow: ['a.example', '10.0.0.0/8'],
      trustProxy: ['127.0.0.1', '10.0.0.0/8'],
      demo: false,
      databaseUrl: 'postgres://db',
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ env: { HANDRAIL_PORT: '' } }).port).toBe(8080);
  });

  it.each([
    [{ env: { HANDRAIL_PORT: 'eighty' } }, 'HANDRAIL_PORT'],
    [{ flags: { port: '70000' } }, '--port'],
    [{ env: { DATABASE_URL: 'mysql://x' } }, 'DATABASE_URL'],
    [{ env: { HANDRAIL_SECRET_KEY: 'short' } }, 'HANDRAIL_SECRET_KEY'],
    [{ env: { HANDRAIL_PUBLIC_URL: 'not a url' } }, 'HANDRAIL_PUBLIC_URL'],
    [{ env: { HANDRAIL_PUBLIC_URL: 'https://a"b/' } }, 'HANDRAIL_PUBLIC_URL'],
    [{ env: { HANDRAIL_ADMIN_TOKEN: 'short' } }, 'HANDRAIL_ADMIN_TOKEN'],
  ])('refuses %j and names the place', (sources, place) => {
    expect(() => loadConfig(sources)).toThrow(place);
  });

  it('never repeats a secret it refuses', () => {
    expect(() => loadConfig({ env: { HANDRAIL_SECRET_KEY: 'my-secret-value' } })).not.toThrow(
      'my-secret-value',
    );
  });

  it('refuses unknown keys, wrong JSON and a missing file', () => {
    expect(() => loadConfig({ file: file({ prot: 1 }) })).toThrow('prot: is not a setting');
    expect(() => loadConfig({ file: file('{') })).toThrow('not valid JSON');
    expect(() => loadConfig({ file: join(folder, 'none.json') })).toThrow('cannot be read');
  });
});
