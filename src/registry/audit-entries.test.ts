import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { createApi, deleteApi, updateApi } from './rules/apis.ts';
import { setCredential } from './rules/credentials.ts';
import { createKey } from './rules/keys.ts';
import { createTool } from './rules/tools.ts';
import type { Decision } from './registry.ts';
import type { Snapshot } from './snapshot.ts';

const moment = { nowMs: 2_000 };
const ann = { id: 'admin_1', label: 'Ann', address: '203.0.113.7' };
let opened: OpenedRegistry;

beforeEach(async () => {
  opened = await openTestRegistry();
});
afterEach(() => opened.close());

const act = <T>(rule: (snapshot: Snapshot) => Decision<T>): Promise<T> => opened.registry.commit(ann, rule);

/** What the log says of Ann, oldest first. */
async function log() {
  const { entries } = await opened.store.audit.find({ actorId: ann.id }, 100);
  return entries.toReversed().map(({ action, subjectLabel, address, before, after }) => ({
    action,
    subject: subjectLabel,
    address,
    before: before === null ? null : (JSON.parse(before) as Record<string, unknown>),
    after: after === null ? null : (JSON.parse(after) as Record<string, unknown>),
  }));
}

const addApi = (input: object = {}) =>
  act((snapshot) =>
    createApi(snapshot, { slug: 'shop', baseUrl: 'https://shop.example.com', ...input }, moment),
  );

describe('the audit log', () => {
  it('tells who made something, changed what of it, and took it away', async () => {
    await addApi();
    await act((snapshot) =>
      updateApi(snapshot, 'shop', { name: 'The shop', enabled: false }, undefined, moment),
    );
    await act((snapshot) => deleteApi(snapshot, 'shop', moment));
    expect(await log()).toMatchObject([
      {
        action: 'api.create',
        subject: 'shop',
        address: '203.0.113.7',
        before: null,
        after: { slug: 'shop', name: 'shop', enabled: true },
      },
      {
        action: 'api.update',
        subject: 'shop',
        before: { name: 'shop', enabled: true },
        after: { name: 'The shop', enabled: false },
      },
      { action: 'api.delete', subject: 'shop', before: { name: 'The shop' }, after: null },
    ]);
  });

  it('tells of a change only the fields that changed', async () => {
    await addApi();
    await act((snapshot) => updateApi(snapshot, 'shop', { description: 'New' }, undefined, moment));
    expect((await log())[1]).toMatchObject({ before: {}, after: { description: 'New' } });
    expect(Object.keys((await log())[1]!.after!)).toEqual(['description']);
  });

  it('says nothing of a commit that changes nothing', async () => {
    await act(() => ({ changes: [], result: null }));
    expect(await log()).toEqual([]);
  });

  it('is one line for an import of many tools, with their names', async () => {
    await addApi();
    await act((snapshot) => ({
      changes: Array.from({ length: 51 }, (_, i) =>
        createTool(
          snapshot,
          {
            api: 'shop',
            name: `tool_${i}`,
            description: '',
            operation: { method: 'GET', path: '/', parameters: [] },
          },
          moment,
        ),
      ).flatMap(({ changes }) => [...changes]),
      result: null,
    }));
    const [, summary, ...more] = await log();
    expect(more).toEqual([]);
    expect(summary).toMatchObject({
      action: 'tool.create',
      subject: '51 of kind tool',
      after: { count: 51 },
    });
    expect(summary!.after!['names']).toHaveLength(51);
  });
});

describe('no secret stands in the log', () => {
  it.each([
    ['a header', () => addApi({ headers: { 'X-Api-Key': 'hunter2', Accept: 'text/plain' } })],
    ['the query of an address', () => addApi({ baseUrl: 'https://shop.example.com/?token=hunter2' })],
    [
      'a fixed parameter',
      async () => {
        await addApi();
        await act((snapshot) =>
          createTool(
            snapshot,
            {
              api: 'shop',
              name: 'list',
              description: '',
              operation: {
                method: 'GET',
                path: '/',
                parameters: [
                  {
                    name: 'api_key',
                    in: 'query',
                    required: false,
                    schema: { type: 'string' },
                    fixed: 'hunter2',
                  },
                ],
              },
            },
            moment,
          ),
        );
      },
    ],
    [
      'a credential',
      async () => {
        await addApi({ auth: { kind: 'bearer' } });
        await act((snapshot) =>
          setCredential(
            snapshot,
            { api: 'shop', fields: { token: 'hunter2' } },
            () => 'sealed-hunter2-text',
            moment,
          ),
        );
      },
    ],
    [
      'an access key',
      () =>
        act((snapshot) =>
          createKey(snapshot, { name: 'Robot' }, { hash: 'hunter2'.padEnd(64, '0'), hint: 'hrk_a' }, moment),
        ),
    ],
  ])('of %s', async (_what, change) => {
    await change();
    const lines = JSON.stringify(await log());
    expect(lines).not.toContain('hunter2');
    expect(lines).toContain('create');
  });

  it('but that it is another one does', async () => {
    await addApi({ headers: { 'X-Api-Key': 'one' } });
    await act((snapshot) =>
      updateApi(snapshot, 'shop', { headers: { 'X-Api-Key': 'two', Accept: 'a/b' } }, undefined, moment),
    );
    expect((await log())[1]!.after).toMatchObject({ headers: { Accept: 'a/b' } });
  });
});
