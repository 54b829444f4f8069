import { describe, expect, it } from 'vitest';
import { checkPassword, hashPassword, requireGoodPassword } from './passwords.ts';

const good = 'four unrelated clay windows';

describe('a password', () => {
  it.each([
    ['elevenchars', 'needs at least 12 characters; it has 11'],
    ['𝒶𝒷𝒸𝒹𝑒𝒻𝑔𝒽𝒾𝒿𝓀', 'needs at least 12 characters; it has 11'],
    ['', 'needs at least 12 characters; it has 0'],
    ['x'.repeat(201), 'can have at most 200 characters'],
    ['annabelle-ann', 'is little more than your name'],
    ['AnnaBelle2026', 'is little more than your name'],
    ['@nn@b3ll3 @nn@b3ll3', 'is little more than your name'],
    ['handrail-2026!', 'is little more than the name of this program'],
    ['aaaabbbbccccdddd', 'repeats the same few characters'],
    ['abcdefghijklmnop', 'is a sequence of adjacent keys, letters or digits'],
    ['qwertyuiopas', 'is a sequence of adjacent keys, letters or digits'],
    ['zyxwvutsrqponm', 'is a sequence of adjacent keys, letters or digits'],
    ['Password12345', 'consists of commonly used passwords'],
    ['P@$$w0rd!P@$$w0rd!', 'consists of commonly used passwords'],
    ['letmein-welcome', 'consists of commonly used passwords'],
    ['correct horse battery staple', 'consists of commonly used passwords'],
  ])('such as "%s" is refused: it %s', (password, why) => {
    expect(() => requireGoodPassword(password, 'Annabelle')).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringContaining(`The password ${why}.`) as unknown,
        details: { problems: [{ path: '/password', message: why }] },
      }),
    );
  });

  it.each([
    good,
    'Zwölf Boxkämpfer jagen',
    '密码很长而且没有人会猜到它吧',
    'x9$kL2#vQ7!mB4',
    'y'.repeat(3) + 'abcdjklmqrstuvwx',
  ])('such as "%s" is taken', (password) => {
    expect(() => requireGoodPassword(password, 'Annabelle')).not.toThrow();
  });

  it('is not asked to avoid a name of two letters', () => {
    expect(() => requireGoodPassword('two boats cross the bay', 'bo')).not.toThrow();
  });
});

describe('a kept password', () => {
  it('is Argon2id, salted anew each time, and never itself', async () => {
    const [one, two] = [await hashPassword(good), await hashPassword(good)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain(good);
  });

  it.each([
    ['the right one', good, good, true],
    ['a wrong one', good, `${good}.`, false],
    ['another case', good, good.toUpperCase(), false],
    ['nothing', good, '', false],
    ['one that is too long to be one', good, 'x'.repeat(201), false],
    ['the same letters, composed otherwise', 'ein langes Wort: größe', 'ein langes Wort: gro\u0308ße', true],
  ])('is known by %s', async (_what, kept, given, right) => {
    expect(await checkPassword(await hashPassword(kept), given)).toBe(right);
  });

  it.each(['not the password of anyone', good, ''])(
    'of nobody is never right, not even "%s"',
    async (password) => {
      expect(await checkPassword(undefined, password)).toBe(false);
    },
  );

  it('is checked two at a time; a crowd is asked to come again', async () => {
    const kept = await hashPassword(good);
    const answers = await Promise.allSettled(Array.from({ length: 60 }, () => checkPassword(kept, good)));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', details: { retryAfterMs: 2_000 } } });
    expect(await checkPassword(kept, good)).toBe(true);
  });
});
