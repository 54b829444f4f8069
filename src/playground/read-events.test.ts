import { describe, expect, it } from 'vitest';
import { EventReader } from './read-events.ts';

const read = (text: string, pieceBytes: number): [string, string][] => {
  const events: [string, string][] = [];
  const reader = new EventReader((name, data) => events.push([name, data]));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.take(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return events;
};

describe('server-sent events are read', () => {
  it.each<[string, string, [string, string][]]>([
    [
      'one after the other',
      'data: a\n\ndata: b\n\n',
      [
        ['', 'a'],
        ['', 'b'],
      ],
    ],
    ['with their names', 'event: x\ndata: {"a":1}\n\n', [['x', '{"a":1}']]],
    ['of several lines', 'data: a\ndata:  b\n\n', [['', 'a\n b']]],
    [
      'with the line ends of Windows',
      'event: x\r\ndata: ü\r\n\r\ndata: z\r\n\r\n',
      [
        ['x', 'ü'],
        ['', 'z'],
      ],
    ],
    ['past comments and empty blocks', ': hello\n\n\ndata: a\n\n', [['', 'a']]],
    ['without an empty line at the end', 'data: last', [['', 'last']]],
    ['beyond ASCII', 'data: „grün" 🌳\n\n', [['', '„grün" 🌳']]],
  ])('%s, however they are cut', (_what, text, events) => {
    for (const bytes of [1, 2, 3, 7, 1_000]) expect(read(text, bytes)).toEqual(events);
  });
});
