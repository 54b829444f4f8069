import { describe, expect, it } from 'vitest';
import {
  examples,
  fullPerson,
  fullApi,
  fullCredential,
  fullKey,
  fullServer,
  fullTool,
  policies,
  schemes,
} from '../../../test/support/nouns/examples.ts';
import { accessKey } from '../../domain/access-key.ts';
import { person } from '../../domain/person.ts';
import { api } from '../../domain/api.ts';
import { credential } from '../../domain/credential.ts';
import { server } from '../../domain/server.ts';
import { tool } from '../../domain/tool.ts';
import { handrailItself } from '../../domain/audit.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import type { AnySchema, Infer } from '../../lib/schema/schema.ts';
import { auditEntriesOf } from '../../registry/audit-entries.ts';
import { buildSnapshot } from '../../registry/build-snapshot.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import { viewApi, viewCredential, viewKey, viewPerson, viewServer, viewTool } from './views.ts';

const unknownField = 'fieldOfTomorrow';

/** The document with a field that nobody knows yet in every object of every noun, however deep. */
function withUnknownFields<S extends AnySchema>(schema: S, value: Infer<S>): Infer<S> {
  return grow(schema, value) as Infer<S>;
}

function grow({ form }: AnySchema, value: unknown): unknown {
  switch (form.is) {
    case 'object':
      return {
        ...Object.fromEntries(
          Object.entries(value as object).map(([name, inner]) => [name, grow(form.fields.get(name)!, inner)]),
        ),
        [unknownField]: 'secret',
      };
    case 'variants':
      return grow(form.options.get((value as Record<string, string>)[form.tag]!)!, value);
    case 'by-key':
      return grow([...form.options].find(([name]) => name in (value as object))![1], value);
    case 'list':
      return (value as unknown[]).map((item) => grow(form.item, item));
    case 'record':
      return Object.fromEntries(
        Object.entries(value as object).map(([name, inner]) => [name, grow(form.value, inner)]),
      );
    case 'nullable':
      return value === null ? null : grow(form.inner, value);
    default:
      return value;
  }
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countOf(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + Number(name === unknownField) + countOf(inner),
    0,
  );
}

const snapshot = buildSnapshot({
  seq: 1,
  apis: [fullApi(schemes[0]!)],
  tools: [fullTool],
  servers: [],
  composedTools: [],
  credentials: [],
  keys: [],
  settings: [],
  models: [],
  checks: [],
  identityProviders: [],
  apiTokens: [],
  givenNames: [],
  setAside: [],
});
const health = { isHealthy: () => true, unhealthy: new Set<string>() } as never;

describe('a field that is added to a noun', () => {
  it.each<[string, AnySchema, unknown, (value: never) => unknown]>([
    ...schemes.map(
      (auth) =>
        [
          `an API with ${auth.kind}`,
          api,
          fullApi(auth),
          (value: never) => viewApi(snapshot, value, health),
        ] as [string, AnySchema, unknown, (value: never) => unknown],
    ),
    ['a tool', tool, fullTool, (value) => viewTool(snapshot, value)],
    ...policies.map(
      (policy) =>
        [
          `a server with ${policy.kind}`,
          server,
          fullServer(policy),
          (value: never) => viewServer(snapshot, value, ''),
        ] as [string, AnySchema, unknown, (value: never) => unknown],
    ),
    ['a credential', credential, fullCredential, (value) => viewCredential(snapshot, value)],
    ['an access key', accessKey, fullKey, (value) => viewKey(snapshot, value, 1)],
    ['a person', person, fullPerson, (value) => viewPerson(value, null)],
  ])('does not leave through the admin API with %s', (_what, schema, example, view) => {
    const grown = withUnknownFields(schema, example);
    expect(countOf(grown)).toBeGreaterThan(0);
    expect(countOf(view(grown as never))).toBe(0);
    // What is shown is otherwise the same.
    expect(view(grown as never)).toEqual(view(example as never));
  });

  it.each(examples)('does not leave through the audit log with %s', (_what, kind, example) => {
    const entity = { ...example, [unknownField]: 'secret' };
    const changes = [{ op: 'put', kind, entity }] as RegistryChange[];
    const [entry] = auditEntriesOf(snapshot, changes, handrailItself, 1);
    expect(`${entry!.before} ${entry!.after}`).not.toContain(unknownField);
  });
});
