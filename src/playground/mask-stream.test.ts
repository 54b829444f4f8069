import { describe, expect, it } from 'vitest';
import { createMaskStream } from './mask-stream.ts';

const key = 'sk-abcdef0123456789';

describe('a key in a stream of words', () => {
  it.each<[string, string, string]>([
    ['is masked', `It is ${key}, they say.`, 'It is [masked], they say.'],
    ['is masked at the end', `It is ${key}`, 'It is [masked]'],
    ['is masked beside letters beyond ASCII', `钥匙${key}钥匙`, '钥匙[masked]钥匙'],
    ['is not seen where there is none', 'Nothing to see, 什么也没有.', 'Nothing to see, 什么也没有.'],
  ])('%s, however it is cut', (_what, text, shown) => {
    for (const size of [1, 3, 5, 100]) {
      const stream = createMaskStream(key);
      let told = '';
      for (let at = 0; at < text.length; at += size) told += stream.take(text.slice(at, at + size));
      expect(told + stream.end()).toBe(shown);
    }
  });

  it('lets words through as they end', () => {
    const stream = createMaskStream(key);
    expect(stream.take('Hello wor')).toBe('Hello ');
    expect(stream.take('ld 你好')).toBe('world 你好');
  });
});
