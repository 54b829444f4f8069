import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { abandonedRequest } from '../../../test/support/servers/abandoned-request.ts';
import { openEventStream } from './event-stream.ts';

describe('an event stream', () => {
  it('is not open to a client that left before it began, and says so', async () => {
    const { res } = await abandonedRequest('GET');
    let gone = 0;
    const stream = openEventStream(res, {}, () => gone++);
    expect(stream.open).toBe(false);
    stream.write('{}');
    await nextTurn();
    expect(gone).toBe(1);
    stream.end();
    await nextTurn();
    expect(gone).toBe(1);
  });
});
