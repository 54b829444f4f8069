import { expect, it, vi } from 'vitest';
import type { Api } from '../domain/api.ts';
import { createHealth, type SharedProbes } from './health.ts';

/** Probes that two processes share through what would be their store. */
function sharing(): (owner: string) => SharedProbes {
  let owned: string | null = null;
  const counts = new Map<string, number>();
  return (owner) => ({
    areMine: async () => (owned ??= owner) === owner,
    publish: async (apiId, failed) => void counts.set(apiId, failed),
    published: async (apiId) => counts.get(apiId) ?? 0,
  });
}

it('asks an API from one process, and all of them know what it found', async () => {
  vi.useFakeTimers();
  try {
    const share = sharing();
    const asked = { a: 0, b: 0 };
    let status = 500;
    const healths = (['a', 'b'] as const).map((name) =>
      createHealth({
        async fetch() {
          asked[name]++;
          return { status, headers: {}, body: Buffer.alloc(0), url: 'http://api.example/' };
        },
        probes: share(name),
      }),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a probe reads
    const api = {
      id: 'api',
      slug: 'api',
      enabled: true,
      baseUrl: 'http://api.example',
      headers: {},
      probe: { path: '/', everyMs: 1_000 },
    } as unknown as Api;
    for (const health of healths) health.follow([api]);
    await vi.advanceTimersByTimeAsync(4_500);
    expect(healths.map((health) => health.isHealthy('api'))).toEqual([false, false]);
    expect(asked).toEqual({ a: 4, b: 0 });
    status = 200;
    await vi.advanceTimersByTimeAsync(2_500);
    expect(healths.map((health) => health.isHealthy('api'))).toEqual([true, true]);
    for (const health of healths) health.close();
  } finally {
    vi.useRealTimers();
  }
});
