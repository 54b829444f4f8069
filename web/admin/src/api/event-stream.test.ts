import { expect, test } from 'vitest';
import { eventCutter, type StreamEvent } from './event-stream.ts';
import fc from '../../../../test/support/property.ts';

const stream =
  ': hello\n\nevent: change\ndata: {"seq":1}\n\nevent: call\r\ndata: a\r\ndata: b\r\n\r\ndata:plain\n\n';
const events: StreamEvent[] = [
  { name: 'change', text: '{"seq":1}' },
  { name: 'call', text: 'a\nb' },
  { name: 'message', text: 'plain' },
];

test('reads the same events however the bytes arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const found: StreamEvent[] = [];
      const push = eventCutter((event) => found.push(event));
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      for (let at = 1; at < places.length; at++) push(stream.slice(places[at - 1], places[at]));
      expect(found).toEqual(events);
    }),
  );
});

test('an unfinished event is not told', () => {
  const found: StreamEvent[] = [];
  eventCutter((event) => found.push(event))('event: change\ndata: 1\n');
  expect(found).toEqual([]);
});
