import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { loadAdminTokens, resetAdminToken } from './admin-token.ts';

describe('the admin token', () => {
  let opened: OpenedRegistry;
  beforeEach(async () => {
    opened = await openTestRegistry();
  });
  afterEach(() => opened.close());

  it('is made at the first start, shown once, and kept as a hash', async () => {
    const first = await loadAdminTokens(opened.registry, undefined);
    expect(first.made).toMatch(/^hra_[\w-]{43}$/);
    expect(() => first.check(`Bearer ${first.made}`)).not.toThrow();
    const second = await loadAdminTokens(opened.registry, undefined);
    expect(second.made).toBeNull();
    expect(() => second.check(`Bearer ${first.made}`)).not.toThrow();
    expect(JSON.stringify([...opened.registry.snapshot.settings])).not.toContain(first.made!.slice(4));
  });

  it.each([
    ['nobody', undefined, 'needs the admin token'],
    ['nothing', '', 'needs the admin token'],
    ['another scheme', 'Basic Y29uZmlndXJlZA==', 'needs the admin token'],
    ['no token', 'Bearer ', 'needs the admin token'],
    ['two tokens', 'Bearer configured configured', 'needs the admin token'],
    ['a wrong token', 'Bearer wrong', 'is wrong'],
    ['its beginning', 'Bearer configure', 'is wrong'],
    ['more than it', 'Bearer configuredd', 'is wrong'],
    ['another case', 'Bearer Configured', 'is wrong'],
  ])('refuses %s', async (_who, authorization, why) => {
    const tokens = await loadAdminTokens(opened.registry, 'configured');
    expect(() => tokens.check(authorization)).toThrow(
      expect.objectContaining({
        code: 'unauthenticated',
        message: expect.stringContaining(why) as unknown,
      }),
    );
  });

  it.each(['Bearer configured', 'bearer configured', 'BEARER   configured'])(
    'lets in "%s"',
    async (header) => {
      const tokens = await loadAdminTokens(opened.registry, 'configured');
      expect(tokens.made).toBeNull();
      expect(() => tokens.check(header)).not.toThrow();
    },
  );

  it('of the configuration is the only one while it is configured', async () => {
    const { made } = await loadAdminTokens(opened.registry, undefined);
    const configured = await loadAdminTokens(opened.registry, 'configured');
    expect(() => configured.check(`Bearer ${made}`)).toThrow('is wrong');
  });

  it('is replaced at once where it is already in use', async () => {
    const tokens = await loadAdminTokens(opened.registry, undefined);
    const fresh = await resetAdminToken(opened.registry);
    expect(() => tokens.check(`Bearer ${tokens.made}`)).toThrow('is wrong');
    expect(() => tokens.check(`Bearer ${fresh}`)).not.toThrow();
  });

  it('is one, whichever of two processes starts first', async () => {
    const made = await Promise.all([
      loadAdminTokens(opened.registry, undefined),
      loadAdminTokens(opened.registry, undefined),
    ]);
    expect(made.filter((tokens) => tokens.made !== null)).toHaveLength(1);
  });
});
