import { describe, expect, it } from 'vitest';
import type { Api } from '../../domain/api.ts';
import type { Parameter } from '../../domain/operation.ts';
import type { Tool } from '../../domain/tool.ts';
import { compile } from '../compile.ts';
import type { Arguments } from '../arguments/checked-arguments.ts';
import { resolve } from './resolve.ts';

const api = {
  baseUrl: 'https://api.example.com/v1',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
} as unknown as Api;

function target(parameter: Partial<Parameter>, value: string): string {
  const operation = {
    method: 'GET',
    path: '/files/{path}/raw',
    parameters: [{ name: 'path', in: 'path', schema: {}, required: true, ...parameter }],
  };
  const tool = compile(api, { operation, reply: {}, limits: {} } as unknown as Tool);
  return resolve(tool, { path: value } as unknown as Arguments).target;
}

describe('a path argument', () => {
  it.each<[Partial<Parameter>, string, string]>([
    [{}, 'a/b', '/v1/files/a%2Fb/raw'],
    [{ keepSlashes: true }, 'a/b.c/.d', '/v1/files/a/b.c/.d/raw'],
    [{ keepSlashes: true }, 'a%2Fb', '/v1/files/a%2Fb/raw'],
  ])('%j makes %j a part of the address', (parameter, value, expected) => {
    expect(target(parameter, value)).toBe(expected);
  });

  const climbing = ['..', '.', 'a/../b', 'a/..', '../a', '%2e%2e', 'a/%2E%2e/b', '.%2e', 'a/./b'];
  it.each(
    climbing.flatMap((value) => [
      [{ keepSlashes: true }, value] as const,
      [{ allowReserved: true }, value] as const,
    ]),
  )('%j never leads elsewhere: %j', (parameter, value) => {
    // Without slashes of its own it is one segment, which may well be called `a%2F..%2Fb`.
    if ('allowReserved' in parameter && value.includes('/'))
      expect(target(parameter, value)).toContain('%2F');
    else expect(() => target(parameter, value)).toThrow('must not be "." or ".."');
  });

  it('is refused when it is longer than servers accept', () => {
    expect(target({}, 'x'.repeat(8_192))).toContain('xxx');
    expect(() => target({}, 'x'.repeat(8_193))).toThrow(
      'path is too long for the path: 8193 characters once encoded, and the limit is 8192',
    );
  });
});
