import type { CallRecord } from '../domain/call.ts';
import type { Store } from '../storage/ports.ts';

const personCallerId = /^(?:person|admin):(person_.+|admin_.+)$/;

/** The caller in a name of each dimension that has one. */
const callerIn: Readonly<Record<string, ((name: string) => string) | undefined>> = {
  caller: (name) => name,
  caller_tool: (name) => name.slice(0, name.lastIndexOf(' ')),
};

/** What a record says of someone who was removed: the same for all their calls, and nothing about who they were. */
export function pseudonymOf(personId: string): string {
  return `Former person ${personId.slice(-6)}`;
}

/**
 * Call records and roll-ups as they are shown: without the names of people who were removed since. Records aren't
 * rewritten; their retention ends what they say.
 */
export function withPseudonyms<T extends Pick<Store, 'calls' | 'rollups' | 'people'>>(store: T): T {
  const { calls, rollups, people } = store;

  async function pseudonyms(callerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const persons = new Map<string, string>();
    for (const id of callerIds) {
      const personId = personCallerId.exec(id)?.[1];
      if (personId !== undefined) persons.set(id, personId);
    }
    if (persons.size === 0) return new Map();
    const present = await people.present([...new Set(persons.values())]);
    return new Map(
      [...persons].flatMap(([id, personId]) =>
        present.has(personId) ? [] : [[id, pseudonymOf(personId)] as const],
      ),
    );
  }

  async function records(all: readonly CallRecord[]): Promise<CallRecord[]> {
    const found = await pseudonyms(all.map(({ callerId }) => callerId));
    return all.map((one) => ({ ...one, callerLabel: found.get(one.callerId) ?? one.callerLabel }));
  }

  async function sums<R extends { readonly name: string; readonly label: string }>(
    dimension: string,
    rows: readonly R[],
  ): Promise<readonly R[]> {
    const callerOf = callerIn[dimension];
    if (callerOf === undefined) return rows;
    const found = await pseudonyms(rows.map(({ name }) => callerOf(name)));
    return found.size === 0
      ? rows
      : rows.map((row) => ({ ...row, label: found.get(callerOf(row.name)) ?? row.label }));
  }

  return {
    ...store,
    calls: {
      ...calls,
      async get(id) {
        const record = await calls.get(id);
        return record && (await records([record]))[0]!;
      },
      async find(...asked) {
        const page = await calls.find(...asked);
        return { ...page, calls: await records(page.calls) };
      },
    },
    rollups: {
      ...rollups,
      find: async (filter) => sums(filter.dimension, await rollups.find(filter)),
      sumByName: async (filter) => sums(filter.dimension, await rollups.sumByName(filter)),
      findErrors: async (filter) => sums(filter.dimension, await rollups.findErrors(filter)),
    },
  };
}
