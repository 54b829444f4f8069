import { describe, expect, it } from 'vitest';
import type { Reply } from '../reply.ts';
import { retryAfter, waitFor, waitText } from './retry-after.ts';

const nowMs = Date.parse('2026-11-17T12:00:00Z');
const epoch = nowMs / 1000;
const reply = (headers: Record<string, string>, status = 429): Reply => ({
  status,
  headers,
  body: Buffer.alloc(0),
  tries: 1,
  cached: false,
  upstreamMs: 1,
});

describe('how long an API wants its callers to wait', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Tue, 17 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Tue, 17 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': String(epoch + 12) }, 12_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'x-ratelimit-reset': String(epoch + 90), 'x-ratelimit-remaining': '0' }, 90_000],
    [{ 'x-ratelimit-reset': String((epoch + 90) * 1000) }, 90_000],
    [{ 'x-rate-limit-reset': String(epoch + 90) }, 90_000],
    [{ 'x-ratelimit-reset': '45' }, 45_000],
    [{ 'x-ratelimit-reset-after': '1.25' }, 1_250],
    [{ 'x-ratelimit-reset': '2026-11-17T12:01:00Z' }, 60_000],
    [{ 'x-ratelimit-reset': 'Tue, 17 Nov 2026 12:00:05 GMT' }, 5_000],
    [{ 'ratelimit-reset': '50', 'ratelimit-remaining': '0' }, 50_000],
    [{ ratelimit: 'limit=100, remaining=0, reset=50' }, 50_000],
    [{ ratelimit: '"default";r=0;t=50' }, 50_000],
    [{ ratelimit: '"burst";r=10;t=1, "daily";r=0;t=3600' }, 3_600_000],
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m6.5s',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '6h',
      },
      66_500,
    ],
    [{ 'anthropic-ratelimit-requests-reset': '2026-11-17T12:00:20Z' }, 20_000],
    [{ 'x-ratelimit-reset': 'nonsense' }, undefined],
    [{}, undefined],
  ])('%j', (headers, wait) => expect(waitFor(reply(headers), [], nowMs)).toBe(wait));

  it('comes from the body where the headers say nothing', () => {
    const bare = reply({});
    expect(waitFor(bare, [['retry_after', '1.5']], nowMs)).toBe(1_500);
    expect(waitFor(bare, [['retryAfterMs', '300']], nowMs)).toBe(300);
    expect(waitFor(bare, [['retryDelay', '30s']], nowMs)).toBe(30_000);
  });

  it('is nothing when the limit is not what was reached', () => {
    const headers = { 'x-ratelimit-reset': String(epoch + 90), 'x-ratelimit-remaining': '4' };
    expect(waitFor(reply(headers, 429), [], nowMs)).toBeUndefined();
    expect(waitFor(reply({ 'x-ratelimit-reset': '90' }, 404), [], nowMs)).toBeUndefined();
    expect(waitFor(reply({ ...headers, 'x-ratelimit-remaining': '0' }, 403), [], nowMs)).toBe(90_000);
    expect(retryAfter(reply({ 'retry-after': '5' }, 503), nowMs)).toBe(5_000);
  });

  it('is told in words', () => {
    expect([1, 1_000, 90_000, 599_001, 3_600_000, 86_400_000].map(waitText)).toEqual([
      '1 s',
      '1 s',
      '90 s',
      '10 min',
      '60 min',
      '24 h',
    ]);
  });
});
