import { describe, expect, it } from 'vitest';
import { looksLikeSecret, replaceSecretForms } from './secret-patterns.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP';
const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----';

describe('replaceSecretForms', () => {
  it.each([
    [`use ${jwt}, please`, 'use [x], please'],
    [`${jwt} and ${jwt}`, '[x] and [x]'],
    [`jwt-eyJ.${jwt}`, 'jwt-eyJ.[x]'],
    [`before\n${key}\nafter`, 'before\n[x]\nafter'],
    [`${key}${key}`, '[x][x]'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEow', '[x]\nMIIEow'],
    ['-----BEGIN CERTIFICATE-----\nMIIEow', '-----BEGIN CERTIFICATE-----\nMIIEow'],
    ['sk-abcdefghijklmnopqrstuv', '[x]'],
    ['id=AKIAABCDEFGHIJKLMNOP;', 'id=[x];'],
    ['an eyJ that is no token', 'an eyJ that is no token'],
    ['', ''],
  ])('makes of %j', (text, wanted) => {
    expect(replaceSecretForms(text, '[x]')).toBe(wanted);
  });

  it.each([
    ['beginnings of private keys', '-----BEGIN PRIVATE KEY-----'.repeat(40_000)],
    ['ends of private keys', '-----END -----BEGIN PRIVATE KEY-----'.repeat(40_000)],
    ['beginnings of tokens', '-eyJ'.repeat(250_000)],
    ['beginnings of tokens with dots', 'eyJ.'.repeat(250_000)],
  ])('reads a megabyte of %s once', (_what, text) => {
    // Quadratic work on it would take minutes, and vitest would end it.
    expect(replaceSecretForms(text, '').length).toBeLessThanOrEqual(text.length);
  });
});

it.each([
  [jwt, true],
  [key, true],
  ['Bearer abcdefgh', true],
  ['2026-11-17T00:00:00Z', false],
  ['short', false],
])('tells whether %j looks like a secret', (text, wanted) => {
  expect(looksLikeSecret(text)).toBe(wanted);
});
