import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryEmbeddings } from '../../src/mcp/built-in/embeddings/try-embeddings.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { type EmbeddingsEndpoint, startEmbeddings } from '../support/servers/embeddings-endpoint.ts';

// No word of it stands in the tool that is meant.
const umbrella = 'will I need an umbrella';

describe('a gateway whose operator named an embeddings endpoint', () => {
  let endpoint: EmbeddingsEndpoint;
  let running: RunningGateway;
  beforeAll(async () => {
    endpoint = await startEmbeddings([['weather', 'umbrella']]);
    running = await startGateway({
      demo: true,
      egressAllow: endpoint.host,
      embeddingsUrl: endpoint.url,
      embeddingsTimeoutMs: 20_000,
    });
  });
  afterAll(async () => {
    await running.stop();
    await endpoint.close();
  });

  const find = async (query: string): Promise<string[]> => {
    const { body } = await running.admin('GET', `/search?query=${encodeURIComponent(query)}`);
    return body.results.map(({ name }: { name: string }) => name);
  };
  const counted = async (outcome: string) => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    return Number(new RegExp(`embeddings_queries_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1]);
  };

  it('finds by meaning what the words do not tell', async () => {
    await expect.poll(() => find(umbrella), { timeout: 30_000 }).toContain('weather_get');
    expect(await counted('answered')).toBeGreaterThan(0);
  });

  it('goes by words alone while it is away', async () => {
    endpoint.behave('refuses');
    expect(await find('weather of a place')).toContain('weather_get');
    expect(await counted('away')).toBeGreaterThan(0);
  });

  it.each([
    ['answers', 'answers' as const, true, 'returns 2 numbers per text'],
    [
      'is away',
      'refuses' as const,
      false,
      'search uses words alone: The embeddings endpoint answered with status 503.',
    ],
  ])('is told by doctor whether it %s', async (_, how, ok, detail) => {
    endpoint.behave(how);
    const settings = {
      embeddingsModel: 'm',
      embeddingsKey: undefined,
      embeddingsTimeoutMs: 20_000,
      egressAllow: [endpoint.host],
      httpsProxy: undefined,
    };
    const told = await tryEmbeddings(settings, endpoint.url);
    expect(told).toEqual({ ok, detail: expect.stringContaining(detail) });
  });
});
