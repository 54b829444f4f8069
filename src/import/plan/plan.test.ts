import { describe, expect, it } from 'vitest';
import type { Api } from '../../domain/api.ts';
import type { ApiDescription } from '../../domain/description.ts';
import { hashedToolName } from '../../domain/names.ts';
import { contentOf, type Tool } from '../../domain/tool.ts';
import { readDocument } from '../../openapi/read-document.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { changesFor, merge } from './merge.ts';
import { exportHandrail } from '../formats/handrail/export-handrail.ts';
import { exportHandsai } from '../formats/handsai/export-handsai.ts';
import type { PlanOptions } from './import-plan.ts';
import { diff } from '../../domain/field-changes.ts';
import { parseImport } from '../reading/parse-import.ts';
import { planImport } from './plan.ts';
import { approvePending, dismissPending, pendingOf } from './plan-tool.ts';
import fc from '../../../test/support/property.ts';

const options: PlanOptions = { documentHash: 'h', nowMs: 1 };

function description(paths: Record<string, unknown>): ApiDescription {
  return readDocument({
    root: 'd',
    files: new Map([
      [
        'd',
        { openapi: '3.0.3', info: { title: 'Pets' }, servers: [{ url: 'https://pets.example.com' }], paths },
      ],
    ]),
  });
}

const listPets = (over: Record<string, unknown> = {}) => ({
  operationId: 'listPets',
  description: 'Lists pets.',
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
    { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
  ],
  ...over,
});

/** The registry as one API and its tools, after carrying plans out. */
class State {
  api: Api | null = null;
  tools = new Map<string, Tool>();

  plan(paths: Record<string, unknown> | ApiDescription, over: Partial<PlanOptions> = {}) {
    const wanted = 'operations' in paths ? (paths as ApiDescription) : description(paths);
    return planImport(
      wanted,
      { api: this.api, tools: [...this.tools.values()], isSlugTaken: () => false, isNameHeld: () => false },
      { ...options, ...over },
    );
  }

  async apply(paths: Record<string, unknown> | ApiDescription, over: Partial<PlanOptions> = {}) {
    const plan = await this.plan(paths, over);
    for (const change of changesFor(plan)) {
      if (change.op === 'put' && change.kind === 'api') this.api = change.entity;
      else if (change.op === 'put' && change.kind === 'tool') this.tools.set(change.entity.id, change.entity);
      else if (change.op === 'delete' && change.kind === 'tool') this.tools.delete(change.id);
    }
    return plan;
  }

  edit(name: string, patch: (tool: Tool) => Partial<Tool>): void {
    const tool = this.find(name);
    this.tools.set(tool.id, {
      ...tool,
      source: { imported: contentOf(tool), ...tool.source! },
      ...patch(tool),
    });
  }

  find(name: string): Tool {
    return [...this.tools.values()].find((tool) => tool.name === name)!;
  }
}

it('accepts as many operations as a document may have, and says how to choose among more', async () => {
  const state = new State();
  const one = description({ '/p': { get: {} } });
  const [operation] = one.operations;
  const many = {
    ...one,
    operations: Array.from({ length: 50_001 }, (_, i) => ({
      ...operation!,
      key: `GET /p${i}`,
      content: null,
    })),
  };
  await expect(state.plan(many)).rejects.toThrow('50001 operations, but one import accepts at most 50000');
});

describe('importing again', () => {
  it('changes nothing when the document is the same', async () => {
    const state = new State();
    await state.apply({ '/pets': { get: listPets() } });
    const again = await state.plan({ '/pets': { get: listPets() } });
    expect(changesFor(again)).toEqual([]);
    expect(again.unchanged).toHaveLength(1);
  });

  it('keeps names where operations exchanged their ids, and takes a new id as a new name', async () => {
    const state = new State();
    const named = (pets: string, owners: string, toys: string) => ({
      '/pets': { get: listPets({ operationId: pets }) },
      '/owners': { get: listPets({ operationId: owners }) },
      '/toys': { get: listPets({ operationId: toys }) },
    });
    await state.apply(named('pets', 'owners', 'toys'));
    await state.apply(named('owners', 'pets', 'playthings'));
    const names = [...state.tools.values()].map(({ name, operation }) => [operation.path, name]);
    expect(names).toEqual([
      ['/pets', 'pets'],
      ['/owners', 'owners'],
      ['/toys', 'playthings'],
    ]);
    expect(changesFor(await state.plan(named('owners', 'pets', 'playthings')))).toEqual([]);
  });

  it('keeps a long name that an earlier version cut', async () => {
    const state = new State();
    const long = 'list_all_the_things_of_an_organization_with_their_owners_and_their_toys';
    await state.apply({ '/pets': { get: listPets({ operationId: long }) } });
    const [tool] = state.tools.values();
    state.tools.set(tool!.id, { ...tool!, name: hashedToolName(long) });
    expect(changesFor(await state.plan({ '/pets': { get: listPets({ operationId: long }) } }))).toEqual([]);
  });

  it('keeps hand edits, lists exactly the upstream changes, and then changes nothing', async () => {
    const state = new State();
    await state.apply({ '/pets': { get: listPets() } });
    state.edit('listPets', (tool) => ({
      description: 'Mine.',
      operation: {
        ...tool.operation,
        parameters: tool.operation.parameters.map((parameter) =>
          parameter.in === 'header' ? { ...parameter, hidden: true } : parameter,
        ),
      },
    }));
    const newer = {
      '/pets': {
        get: listPets({
          description: 'Lists all pets.',
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500 } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'page', in: 'query', schema: { type: 'integer' } },
          ],
        }),
      },
    };
    const plan = await state.apply(newer);
    expect(plan.changed[0]!.fields.map(({ path }) => path)).toEqual([
      '/description',
      '/operation/parameters/query limit/schema/maximum',
      '/operation/parameters/query page',
      '/operation/pagination',
    ]);
    expect(plan.changed[0]!.kept).toEqual(['/description']);
    const tool = state.find('listPets');
    expect(tool.description).toBe('Mine.');
    expect(tool.operation.parameters).toMatchObject([
      { name: 'limit', schema: { maximum: 500 } },
      { name: 'page' },
      { name: 'X-Trace', hidden: true },
    ]);
    expect(changesFor(await state.plan(newer))).toEqual([]);
  });

  it('adds, removes, and leaves tools that nobody imported alone', async () => {
    const state = new State();
    await state.apply({ '/pets': { get: listPets() }, '/old': { get: { operationId: 'old' } } });
    const { source: _source, ...handMade } = state.find('old');
    state.tools.set('tool_hand', { ...handMade, id: 'tool_hand', name: 'hand_made' });
    const plan = await state.apply({
      '/pets': { get: listPets() },
      '/new': { get: { operationId: 'fresh' } },
    });
    expect([plan.added.map(({ name }) => name), plan.removed.map(({ name }) => name)]).toEqual([
      ['fresh'],
      ['old'],
    ]);
    expect([...state.tools.values()].map(({ name }) => name).toSorted()).toEqual([
      'fresh',
      'hand_made',
      'listPets',
      'old',
    ]);
    expect(state.find('old').source).toMatchObject({ standing: 'gone', goneAtMs: 1 });
  });

  it('keeps names when a new operation wants the same one, and follows a renamed path variable', async () => {
    const state = new State();
    await state.apply({ '/b/{id}': { get: { operationId: 'same' } } });
    const plan = await state.apply({
      '/a': { get: { operationId: 'same' } },
      '/b/{key}': { get: { operationId: 'same' } },
    });
    expect(plan.added.map(({ name, operation }) => [name, operation])).toEqual([['same_2', 'GET /a']]);
    expect(plan.changed.map(({ name, operation }) => [name, operation])).toEqual([['same', 'GET /b/{key}']]);
    expect(plan.removed).toEqual([]);
  });

  it('remembers what was selected', async () => {
    const state = new State();
    const paths = { '/pets': { get: listPets(), post: { operationId: 'addPet' } } };
    await state.apply(paths, { selection: { methods: ['GET'] } });
    const again = await state.plan(paths);
    expect(changesFor(again)).toEqual([]);
    expect(again.report.map(({ tool, selected }) => [tool, selected])).toEqual([
      ['listPets', true],
      [null, false],
    ]);
  });

  it('does not follow a document to another host', async () => {
    const state = new State();
    await state.apply(description({ '/pets': { get: listPets() } }));
    const moved = {
      ...description({ '/pets': { get: listPets() } }),
      baseUrls: ['https://evil.example.com'],
    };
    const plan = await state.apply(moved);
    expect(state.api!.baseUrl).toBe('https://pets.example.com');
    expect(plan.notes.map(({ code }) => code)).toContain('server_changed');
  });
});

describe('changes that wait for approval', () => {
  const changed = { '/pets': { get: listPets({ description: 'Deletes all pets.' }) } };

  async function waiting(): Promise<State> {
    const state = new State();
    await state.apply({ '/pets': { get: listPets() } }, { approveChanges: true });
    expect((await state.apply(changed)).changed[0]!.pending).toBe(true);
    return state;
  }

  it('leave the tool as it is until someone agrees', async () => {
    const state = await waiting();
    expect(state.find('listPets').description).toBe('Lists pets.');
    expect(changesFor(await state.plan(changed))).toEqual([]);
    const approved = approvePending(state.find('listPets'), 2)!;
    expect([approved.description, approved.source]).toEqual([
      'Deletes all pets.',
      { operationKey: 'GET /pets' },
    ]);
  });

  it('say what they would do, and which hand edits would stand', async () => {
    const state = await waiting();
    const kind = [
      { path: '/annotations/readOnlyHint', before: true, after: false },
      { path: '/annotations/destructiveHint', before: false, after: true },
    ];
    expect(pendingOf(state.find('listPets'))).toEqual({
      waiting: 'changed',
      fields: [{ path: '/description', before: 'Lists pets.', after: 'Deletes all pets.' }, ...kind],
      kept: [],
    });
    const edited = { ...state.find('listPets'), description: 'Lists pets, by hand.', title: 'Mine' };
    expect(pendingOf(edited)).toEqual({ waiting: 'changed', fields: kind, kept: ['/description'] });
    expect(pendingOf(dismissPending(edited, 2)!)).toBeNull();
  });

  it('do not come back once turned down', async () => {
    const state = await waiting();
    const dismissed = dismissPending(state.find('listPets'), 2)!;
    state.tools.set(dismissed.id, dismissed);
    expect(state.find('listPets').description).toBe('Lists pets.');
    expect(changesFor(await state.plan(changed))).toEqual([]);
  });
});

describe('exports', () => {
  const bytes = (value: unknown) => ({
    files: [{ name: 'x.json', content: Buffer.from(JSON.stringify(value)) }],
  });

  it('of our own format, imported again, give the same', async () => {
    const state = new State();
    await state.apply({
      '/pets': {
        get: listPets(),
        post: {
          operationId: 'addPet',
          requestBody: {
            content: { 'application/json': { schema: { type: 'object', properties: { a: {} } } } },
          },
        },
      },
    });
    state.edit('listPets', () => ({
      description: 'Mine.',
      enabled: false,
      reply: { select: 'items' },
      limits: { retries: 2 },
    }));
    const exported = exportHandrail([{ api: state.api!, tools: [...state.tools.values()] }]);
    const { apis } = parseImport(bytes(exported));
    expect(changesFor(await state.plan(apis[0]!))).toEqual([]);
    const other = new State();
    await other.apply(apis[0]!, { slug: state.api!.slug });
    expect(exportHandrail([{ api: other.api!, tools: [...other.tools.values()] }])).toEqual(exported);
  });

  it('of HandsAI’s format mask secrets, and a mask never becomes a credential', async () => {
    const provider = {
      name: 'Tavily',
      code: 'tavily',
      baseUrl: 'https://api.tavily.com',
      authenticationType: 'API_KEY',
      apiKeyLocation: 'IN_BODY',
      apiKeyName: 'api_key',
      apiKeyValue: 'real-secret-1',
      customHeaders: { 'X-App': '1' },
      tools: [
        {
          name: 'Search',
          code: 'tavily-search',
          description: 'd',
          endpointPath: '/search/{kind}',
          httpMethod: 'POST',
          parameters: [
            { name: 'kind', type: 'STRING', required: true },
            { name: 'depth', type: 'NUMBER', required: false, defaultValue: '3' },
            { name: 'sites', type: 'ARRAY', required: false },
            { name: 'ids', type: 'ARRAY', required: false, defaultValue: '[1]' },
            { name: 'api_key', type: 'STRING', required: true },
          ],
        },
      ],
    };
    const [first] = parseImport(bytes([provider])).apis;
    expect(first!.proposedCredential).toEqual({ fields: { value: 'real-secret-1' } });
    const state = new State();
    await state.apply(first!);
    expect(state.find('tavily-search').operation.parameters).toMatchObject([
      { name: 'kind', in: 'path' },
      { name: 'depth', in: 'body', default: 3 },
      { name: 'sites', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'ids', schema: { type: 'array', items: { type: 'integer' } } },
    ]);
    const exported = exportHandsai([{ api: state.api!, tools: [...state.tools.values()] }]);
    expect(JSON.stringify(exported)).not.toContain('real-secret-1');
    const [second] = parseImport(bytes(exported)).apis;
    expect(second!.proposedCredential).toBeUndefined();
    expect(changesFor(await state.plan(second!, { documentHash: 'h' }))).toEqual([]);
  });
});

describe('the three-way merge', () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  it('takes theirs when nothing was edited, and mine when nothing changed', () => {
    fc.assert(
      fc.property(json, json, (base, other) => {
        expect(merge(base, other, base, [])).toEqual(other);
        expect(merge(base, base, other, [])).toEqual(other);
      }),
    );
  });

  it('finds no difference exactly when there is none', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diff(a, structuredClone(a))).toEqual([]);
        expect(diff(a, b).length === 0).toBe(sameJson(a, b));
      }),
    );
  });
});
