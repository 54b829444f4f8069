import { expect, describe, test } from 'vitest';
import type { Account } from '../../../src/domain/account.ts';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import type { Store } from '../../../src/storage/ports.ts';
import { fullPerson } from '../nouns/examples.ts';
import { api, put } from './entities.ts';
import type { StorePlace } from './place.ts';

/** The promises of people's own accounts. */
export function describeAccounts({ name: place, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`people's own accounts on ${place}`, () => {
    const account = (personId: string, apiId: string, more: Partial<Account> = {}): Account => ({
      id: `acct_${personId.slice(-1)}${apiId.slice(-1)}`,
      revision: 1,
      createdAtMs: 1,
      updatedAtMs: 1,
      apiId,
      personId,
      callerId: `person:${personId}`,
      name: 'Shop',
      kind: 'bearer',
      fields: ['token'],
      origins: ['https://api.example.com'],
      sealed: 'v1.a.b.c',
      ...more,
    });
    const line = (id: number): AuditEntry => ({
      id: `audit_${String(id).padStart(26, '0')}`,
      atMs: 1,
      actorId: 'person_1',
      actorLabel: 'Ann',
      address: null,
      action: 'account.connect',
      subjectKind: 'account',
      subjectId: null,
      subjectLabel: null,
      before: null,
      after: null,
    });
    const addPeople = async ({ people }: Store, ...ids: string[]) => {
      for (const id of ids)
        await people.change(async () => ({
          changes: [
            {
              op: 'put',
              kind: 'person',
              entity: {
                ...fullPerson,
                id,
                name: id,
                identity: `local:${id}`,
                issuer: 'local',
                invitation: undefined,
              },
            },
          ],
          audit: [],
          result: null,
        }));
    };

    test('are found by person and API, one for each', async () => {
      const store = await openEmpty();
      await addPeople(store, 'person_1', 'person_2');
      const { accounts, audit } = store;
      expect(await accounts.put(account('person_1', 'api_1'), null, [line(1)])).toBe(true);
      expect(await accounts.put(account('person_2', 'api_1'), null)).toBe(true);
      // Someone else connected it in the meantime, so neither is it stored nor is there a line.
      expect(await accounts.put(account('person_1', 'api_1', { id: 'acct_other' }), null, [line(2)])).toBe(
        false,
      );
      expect(await accounts.find('person_1', 'api_1')).toEqual(account('person_1', 'api_1'));
      expect(await accounts.find('person_1', 'api_2')).toBeNull();
      expect(await accounts.get('acct_21')).toMatchObject({ personId: 'person_2' });
      expect((await accounts.listOf('person_1')).map(({ id }) => id)).toEqual(['acct_11']);
      expect((await audit.find({}, 10)).entries.map(({ id }) => id)).toEqual([line(1).id]);
    });

    test('change only from the revision that was read, by one of two processes', async () => {
      const options = await makeEmpty();
      const [one, other] = [await open(options), await open(options)];
      await addPeople(one, 'person_1');
      await one.accounts.put(account('person_1', 'api_1'), null);
      const next = (sealed: string) => account('person_1', 'api_1', { revision: 2, sealed });
      const changed = await Promise.all([
        one.accounts.put(next('v1.one'), 1),
        other.accounts.put(next('v1.other'), 1),
      ]);
      expect(changed.filter(Boolean)).toHaveLength(1);
      expect((await other.accounts.find('person_1', 'api_1'))?.revision).toBe(2);
    });

    test('are removed by their person, with their API and with whoever is gone', async () => {
      const store = await openEmpty();
      const { accounts, audit, registry, people } = store;
      await registry.commit(0, [put.api(api('api_1'))]);
      await addPeople(store, 'person_1', 'person_2');
      for (const person of ['person_1', 'person_2'])
        for (const id of ['api_1', 'api_2']) await accounts.put(account(person, id), null);
      expect(await accounts.remove('person_1', 'api_1', [line(1)])).toBe(true);
      expect(await accounts.remove('person_1', 'api_1', [line(2)])).toBe(false);
      expect((await audit.find({}, 10)).entries.map(({ id }) => id)).toEqual([line(1).id]);
      // There is no API "a2".
      expect(await accounts.removeOrphans()).toBe(2);
      expect((await accounts.list({ limit: 9 })).map(({ id }) => id)).toEqual(['acct_21']);
      expect(await accounts.removeOfApi('api_1')).toBe(1);
      await accounts.put(account('person_2', 'api_1'), null);
      await people.change(async () => ({
        changes: [{ op: 'delete', kind: 'person', id: 'person_2' }],
        audit: [],
        result: null,
      }));
      expect(await accounts.listOf('person_2')).toEqual([]);
      // Nor is one stored for someone who is gone.
      expect(await accounts.put(account('person_2', 'api_1'), null)).toBe(false);
    });

    test('are listed by id, in pages, leaving out hostile rows', async () => {
      const store = await openEmpty();
      const { accounts } = store;
      await addPeople(store, 'person_1', 'person_2', 'person_3', 'person_4');
      for (const person of ['person_1', 'person_2', 'person_3', 'person_4'])
        await accounts.put(account(person, 'api_1'), null);
      // A row whose content says otherwise than its columns, or isn't an account at all.
      await accounts.put({ ...account('person_2', 'api_1'), sealed: '' }, 1);
      const ids = (all: readonly Account[]) => all.map(({ id }) => id);
      expect(await accounts.find('person_2', 'api_1')).toBeNull();
      expect(ids(await accounts.list({ apiId: 'api_1', limit: 2 }))).toEqual(['acct_11', 'acct_31']);
      expect(ids(await accounts.list({ apiId: 'api_1', limit: 2, afterId: 'acct_31' }))).toEqual(['acct_41']);
      expect(await accounts.list({ apiId: 'api_2', limit: 2 })).toEqual([]);
    });
  });
}
