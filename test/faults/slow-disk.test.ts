import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

const folder = makeFolder();
afterAll(() => folder.remove());
const slowNow = join(folder.path, 'slow-now');

// What libc does when a file is synced: after five seconds, while there is a file that says so.
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void wait_if_slow(void) { if (access(getenv("SLOW_NOW"), F_OK) == 0) usleep(5000000); }
int fsync(int fd) { wait_if_slow(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { wait_if_slow(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`;

/** A library that makes every sync slow; null where there is no compiler, or libc is not replaced like this. */
function slowSync(): string | null {
  if (process.platform !== 'linux') return null;
  const [from, to] = [join(folder.path, 'slow.c'), join(folder.path, 'slow.so')];
  writeFileSync(from, source);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', to, from, '-ldl'], { stdio: 'ignore' });
    return to;
  } catch {
    return null;
  }
}

const library = slowSync();

describe.skipIf(library === null)('a disk that takes seconds for every sync', () => {
  let api: TestServer;
  beforeAll(async () => {
    api = await serveHttp((_request, response) => json(response, 200, { fine: true }));
  });
  afterAll(() => api.close());

  test.each([1, 2])('lets calls through while changes wait for it, with %i workers', async (workers) => {
    const dataDir = join(folder.path, `data-${workers}`);
    const gateway = await startFaulty(dataDir, ['--workers', String(workers)], {
      LD_PRELOAD: library!,
      SLOW_NOW: slowNow,
    });
    try {
      await gateway.register('kept', api.origin);
      expect(saidBy(await gateway.call('kept')).failed).toBe(false);
      // The admin API is loaded by the first change.
      await gateway.register('first', api.origin);
      writeFileSync(slowNow, '');
      let isWritten = false;
      const write = gateway.admin('POST', '/apis', { slug: 'slow', baseUrl: api.origin }).finally(() => {
        isWritten = true;
      });
      // All of them, one after the other, while one change is on its way to the disk.
      for (let calls = 0; calls < 20; calls++) {
        expect(saidBy(await gateway.call('kept')).failed).toBe(false);
        expect(isWritten).toBe(false);
      }
      expect((await write).status).toBe(201);
    } finally {
      rmSync(slowNow, { force: true });
      await gateway.kill();
    }
  });
});
