import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('many tools at once', () => {
  let running: RunningGateway;

  beforeAll(async () => {
    running = await startGateway();
    await running.admin('POST', '/apis', { slug: 'zoo', baseUrl: 'https://zoo.example' });
    for (const name of ['list_animals', 'get_animal', 'feed_animal']) {
      await running.admin('POST', '/tools', {
        api: 'zoo',
        name,
        description: `${name} of the zoo. ${'x'.repeat(400)}`,
        tags: ['animals'],
        operation: { method: 'GET', path: `/${name}` },
      });
    }
  });
  afterAll(() => running.stop());

  const index = async (query = '') => (await running.admin('GET', `/tool-index${query}`)).body;
  const ids = async (): Promise<string[]> => (await index()).items.map((line: { id: string }) => line.id);

  it('lists every tool in a line, with what it costs a model to know it', async () => {
    const { items, estimatedTokens } = await index('?api=zoo');
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({
      api: 'zoo',
      method: 'GET',
      kind: 'read',
      tags: ['animals'],
      enabled: true,
    });
    expect(items[0].summary).toHaveLength(160);
    expect(items[0].estimatedTokens).toBeGreaterThan(100);
    expect(estimatedTokens).toBe(
      items.reduce((sum: number, line: { estimatedTokens: number }) => sum + line.estimatedTokens, 0),
    );
    expect((await index('?server=default')).items).toHaveLength(3);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', null],
  ])('compresses a long list for a client that accepts %s', async (accepted, encoding) => {
    const tags = Array.from({ length: 90 }, (_, at) => `${'tag'.repeat(30)}${at}`);
    const tools = await ids();
    await running.admin('POST', '/tools/bulk', { tools, addTags: tags });
    const reply = await running.admin('GET', '/tool-index', undefined, { 'accept-encoding': accepted });
    expect(reply.headers.get('content-encoding')).toBe(encoding);
    expect(reply.headers.get('vary')).toContain('accept-encoding');
    expect(reply.body.items).toHaveLength(3);
    await running.admin('POST', '/tools/bulk', { tools, removeTags: tags });
  });

  it('switches and tags many tools in one change', async () => {
    const [first, second] = await ids();
    const answer = await running.admin('POST', '/tools/bulk', {
      tools: [first, second],
      enabled: false,
      addTags: ['zoo'],
      removeTags: ['animals'],
    });
    expect(answer.body).toEqual({ changed: 2 });
    const { items } = await index();
    expect(items.map((line: { enabled: boolean }) => line.enabled)).toEqual([false, false, true]);
    expect(items[0].tags).toEqual(['zoo']);
  });

  it('counts only what really changed', async () => {
    const answer = await running.admin('POST', '/tools/bulk', { tools: await ids(), enabled: false });
    expect(answer.body).toEqual({ changed: 1 });
  });

  it('changes nothing when one of the tools does not exist', async () => {
    const answer = await running.admin('POST', '/tools/bulk', {
      tools: [...(await ids()), 'tool_missing'],
      delete: true,
    });
    expect(answer.status).toBe(404);
    expect(await ids()).toHaveLength(3);
  });

  it('deletes many tools at once', async () => {
    const all = await ids();
    await running.admin('POST', '/tools/bulk', { tools: all.slice(0, 2), delete: true });
    expect(await ids()).toEqual(all.slice(2));
  });
});
