import { beforeEach, describe, expect, it } from 'vitest';
import { createSignInPace, type SignInPace } from './sign-in-pace.ts';

const startMs = 1_000_000;
let nowMs: number;
let pace: SignInPace;

beforeEach(() => {
  nowMs = startMs;
  pace = createSignInPace(() => nowMs);
});

/** How long somebody has to wait now; 0 for nobody, whose try is counted. */
function waitMs(address: string, account: string): number {
  try {
    pace.attempt(address, account);
    return 0;
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs;
  }
}

/** Makes so many tries, each as soon as it is allowed. */
function guess(times: number, address: string, account: string): void {
  for (let i = 0; i < times; i++) {
    for (let leftMs = waitMs(address, account); leftMs > 0; leftMs = waitMs(address, account))
      nowMs += leftMs;
  }
}

describe('whoever guesses from one address', () => {
  it.each([
    [4, 0],
    [5, 1_000],
    [6, 2_000],
    [7, 4_000],
    [10, 32_000],
    [16, 15 * 60_000],
    [40, 15 * 60_000],
  ])('waits after %i tries for %i ms', (tries, expectedMs) => {
    // Another account each time, so that only the address is counted.
    for (let i = 0; i < tries; i++) {
      pace.attempt('203.0.113.7', `account ${i}`);
      if (i < tries - 1) nowMs += 15 * 60_000;
    }
    expect(waitMs('203.0.113.7', 'another')).toBe(expectedMs);
  });

  it('is told how long, in whole seconds', () => {
    for (let i = 0; i < 5; i++) pace.attempt('203.0.113.7', 'ann');
    nowMs += 1;
    expect(() => pace.attempt('203.0.113.7', 'ann')).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        message: 'Too many failed attempts. Try again in 1 s.',
        details: { retryAfterMs: 999 },
      }),
    );
  });

  it('is not punished for tries that were refused', () => {
    for (let i = 0; i < 5; i++) pace.attempt('203.0.113.7', 'ann');
    for (let i = 0; i < 50; i++) expect(waitMs('203.0.113.7', 'ann')).toBe(1_000);
  });
});

it.each([
  ['another address', '203.0.113.8', 0],
  ['the same address', '203.0.113.7', 1_000],
])('%s', (_who, address, expectedMs) => {
  for (let i = 0; i < 5; i++) pace.attempt('203.0.113.7', 'ann');
  expect(waitMs(address, 'ben')).toBe(expectedMs);
});

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1', 'one network', 1_000],
  ['2001:db8::1', '2001:db8:0:0:9::', 'one network, written shorter', 1_000],
  ['::1', '::2', 'one network, all zeros', 1_000],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', 'two networks', 0],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.8', 'two IPv4 addresses in IPv6 notation', 0],
  ['fe80::1%eth0', 'fe80::2%eth0', 'one network with a zone', 1_000],
])('counts %s and %s as %s', (first, second, _what, expectedMs) => {
  for (let i = 0; i < 5; i++) pace.attempt(first, 'ann');
  expect(waitMs(second, 'ben')).toBe(expectedMs);
});

describe('an account that is guessed from many addresses', () => {
  it.each([
    [20, 0],
    [21, 1_000],
    [24, 8_000],
    [25, 10_000],
    [60, 10_000],
  ])('waits after %i tries for %i ms, and never so long that its owner gives up', (tries, expectedMs) => {
    for (let i = 0; i < tries; i++) {
      pace.attempt(`203.0.113.${i}`, 'ann');
      if (i < tries - 1) nowMs += 10_000;
    }
    expect(waitMs('198.51.100.1', 'ann')).toBe(expectedMs);
    expect(waitMs('198.51.100.1', 'ben')).toBe(0);
  });
});

it('forgets what went before when somebody gets in', () => {
  guess(8, '203.0.113.7', 'ann');
  pace.succeeded('203.0.113.7', 'ann');
  for (let i = 0; i < 4; i++) expect(waitMs('203.0.113.7', 'ann')).toBe(0);
});

it.each([
  ['an hour', 60 * 60_000, 1],
  ['more than an hour', 60 * 60_000 + 1, 5],
])('after %s of quiet (%i ms) there are %i tries until the next wait', (_what, idleMs, free) => {
  guess(8, '203.0.113.7', 'ann');
  nowMs += idleMs;
  let tries = 0;
  while (waitMs('203.0.113.7', 'ann') === 0) tries++;
  expect(tries).toBe(free);
});

it('remembers ten thousand addresses, and lets go of the one that was quiet longest', () => {
  for (let i = 0; i < 5; i++) pace.attempt('first', 'a');
  for (let i = 0; i < 5; i++) pace.attempt('second', 'b');
  for (let i = 0; i < 9_999; i++) pace.attempt(`address ${i}`, `account ${i % 7_000}`);
  expect(waitMs('second', 'c')).toBe(1_000);
  expect(waitMs('first', 'd')).toBe(0);
});
