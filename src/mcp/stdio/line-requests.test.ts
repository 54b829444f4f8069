import { expect, it } from 'vitest';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { createLineRequests } from './line-requests.ts';

function connect() {
  const written: unknown[] = [];
  const delivered: unknown[] = [];
  const requests = createLineRequests({
    write: (text) => written.push(JSON.parse(text)),
    isMessage: (value): value is PlainObject => isObject(value) && value['jsonrpc'] === '2.0',
    deliver: (message) => delivered.push(message),
  });
  return { requests, written, delivered };
}

const request = (id: number, method = 'ping') => ({ jsonrpc: '2.0', id, method });
const response = (id: number, result: object = {}) => ({ jsonrpc: '2.0', id, result });

it('answers a batch in one line, once all of it is answered', () => {
  const { requests, written } = connect();
  requests.take([request(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, request(2)]);
  requests.send(response(2));
  expect(written).toEqual([]);
  requests.send(response(1));
  expect(written).toEqual([[response(2), response(1)]]);
});

it('takes batches only in the revision that has them', () => {
  const { requests, written, delivered } = connect();
  requests.send(response(0, { protocolVersion: '2025-06-18' }));
  requests.take([request(1)]);
  expect(delivered).toEqual([]);
  expect(written[1]).toMatchObject({ id: null, error: { code: -32_600 } });
});

it.each([[[]], [[1]], [[request(1, 'initialize')]], [Array.from({ length: 101 }, (_, id) => request(id))]])(
  'refuses the batch %j',
  (batch) => {
    const { requests, written, delivered } = connect();
    requests.take(batch);
    expect(delivered).toEqual([]);
    expect(written).toMatchObject([{ id: null, error: { code: -32_600 } }]);
  },
);

it('settles when all is answered or taken back, and waits for nobody who only listens', async () => {
  const { requests } = connect();
  await requests.settled();
  requests.take(request(1));
  requests.take(request(2));
  requests.take(request(3, 'subscriptions/listen'));
  let isSettled = false;
  const settled = requests.settled().then(() => (isSettled = true));
  requests.send(response(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  requests.take({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await expect(settled).resolves.toBe(true);
});

it('refuses what is no message, but never answers an answer', () => {
  const { requests, written } = connect();
  requests.take({ id: 7, method: 'ping' });
  requests.take({ id: 8, error: {} });
  expect(written).toEqual([
    expect.objectContaining({ id: 7, error: expect.objectContaining({ code: -32_600 }) as unknown }),
  ]);
});

it('refuses an id that is still in use', () => {
  const { requests, written, delivered } = connect();
  requests.take(request(1));
  requests.take(request(1));
  expect(delivered).toHaveLength(1);
  expect(written).toMatchObject([{ id: null, error: { code: -32_600 } }]);
});
