import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandrailError } from '../../../src/domain/errors.ts';
import { handrailExport } from '../../../src/import/formats/handrail/handrail-format.ts';
import { parseImport } from '../../../src/import/reading/parse-import.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { fullApi, fullServer, fullTool, policies, schemes } from '../../support/nouns/examples.ts';
import { type Mutation, mutationsOf } from '../../support/nouns/mutations.ts';

function withoutRow<T extends object>(entity: T): Partial<T> {
  const row = ['id', 'apiId', 'revision', 'createdAtMs', 'updatedAtMs'];
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !row.includes(name))) as Partial<T>;
}

/** An export with every way to authenticate and to admit callers, in which something stands in every place. */
const wholeExport = {
  handrail: 1,
  apis: schemes.map((auth) => ({
    ...withoutRow(fullApi(auth)),
    slug: `from-${auth.kind}`,
    tools: [withoutRow(fullTool)],
  })),
  servers: policies.map((policy) => ({
    ...withoutRow(fullServer(policy)),
    slug: `for-${policy.kind}`,
    tools: [{ all: true }, { api: 'from-none', tag: 'pets' }, { tag: 'pets' }, { tool: 'from-none/get_pet' }],
    overrides: { 'from-none/get_pet': { name: 'pet' } },
    givenNames: { 'from-none/get_pet': 'pet' },
    ...(policy.kind === 'oauth' && { policy: { ...policy, toolScopes: { a: ['from-none/get_pet'] } } }),
    resources: [{ uri: 'docs://a', name: 'A', text: 'a' }],
  })),
};

/** The same in parts, because each is changed in hundreds of places. */
const parts = [
  ...wholeExport.apis.map((api) => ({ handrail: 1, apis: [{ ...api, tools: [] }] })),
  {
    handrail: 1,
    apis: [{ slug: 'a', name: 'A', baseUrl: 'https://api.example.com', tools: [withoutRow(fullTool)] }],
  },
  ...wholeExport.servers.map((server) => ({ handrail: 1, apis: [], servers: [server] })),
];

const mutations: readonly Mutation[] = parts
  .flatMap((part) => mutationsOf(handrailExport, part))
  // Without these it is not one of our exports any more, and refused as something unknown.
  .filter(({ path }) => !['', '/handrail', '/apis'].includes(path));

/** What reading a document is refused with; null when it is read. */
function refusalOf(text: string): HandrailError | null {
  try {
    parseImport({ files: [{ name: 'export.json', content: text }] });
    return null;
  } catch (error) {
    if (error instanceof HandrailError) return error;
    throw error;
  }
}

let running: TestGateway;
beforeAll(async () => {
  running = await startGateway();
});
afterAll(() => running.close());

const send = (text: string, dryRun = false) => running.request('POST', '/api/v1/imports', { text, dryRun });

describe('an export of ours', () => {
  test('is imported whole, and gives the same again', async () => {
    const answer = await send(JSON.stringify(wholeExport));
    expect(answer.statusCode, answer.body).toBe(200);
    const exported = await running.request('GET', '/api/v1/export');
    expect((await send(exported.body)).statusCode).toBe(200);
    expect(running.gateway.registry.snapshot.apis.size).toBe(schemes.length);
  });

  test('is refused with a place and a sentence when one thing in it is wrong', () => {
    expect(mutations.length).toBeGreaterThan(5_000);
    const faulty = mutations.flatMap(({ path, what, document }) => {
      const refusal = refusalOf(JSON.stringify(document));
      const [problem] = refusal?.details.problems ?? [];
      const isTold =
        refusal?.code === 'import_unreadable' &&
        problem !== undefined &&
        refusal.message.includes(`${problem.path} ${problem.message}`) &&
        (path.startsWith(problem.path.slice(0, 90)) || problem.path.startsWith(path));
      return isTold ? [] : [`${path}: ${what}: ${refusal?.message.slice(0, 200)}`];
    });
    expect(faulty).toEqual([]);
  });

  test('is refused by the gateway as well, planned or applied, and nothing of it stays', async () => {
    const before = running.gateway.registry.snapshot.seq;
    const step = Math.ceil(mutations.length / 24);
    for (let n = 0; n < mutations.length; n += step) {
      const answer = await send(JSON.stringify(mutations[n]!.document), n % 2 === 0);
      expect(answer.statusCode, mutations[n]!.path).toBe(422);
      expect(answer.json<{ problems: unknown[] }>().problems.length).toBeGreaterThan(0);
    }
    expect(running.gateway.registry.snapshot.seq).toBe(before);
  });

  test('of a newer version is refused as such', () => {
    expect(refusalOf(JSON.stringify({ ...wholeExport, handrail: 2 }))?.message).toContain('newer version');
  });
});
