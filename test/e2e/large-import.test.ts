import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('a description larger than what agents may send', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway();
  });
  afterAll(() => running.stop());

  it('is imported whole, while other routes keep their limit', async () => {
    const filler = 'word '.repeat(1_200_000);
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Large', version: '1', description: filler },
      servers: [{ url: 'https://api.example.com' }],
      paths: { '/things': { get: { operationId: 'listThings', responses: { 200: { description: 'OK' } } } } },
    });
    const imported = await running.admin('POST', '/imports', { text, api: 'large' });
    expect(imported.status).toBe(200);
    expect(imported.body.imports[0].added).toEqual([{ tool: 'listThings', operation: 'GET /things' }]);

    const other = await running.admin('POST', '/apis', {
      slug: 'x',
      baseUrl: 'https://a.example',
      description: filler,
    });
    expect(other.status).toBe(413);
  });
});
