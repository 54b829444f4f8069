import type { EntityKind } from './stored/read-stored.ts';

/** What a complete export contains; the compiler asks for a line about every other noun of the registry. */
type Exported = 'api' | 'tool' | 'server' | 'composed-tool';

const omittedNouns: Readonly<Record<Exclude<EntityKind, Exported>, string>> = {
  credential: 'credentials and every other secret',
  key: 'access keys',
  setting: 'settings',
  model: 'models',
  check: 'checks and their runs',
  'identity-provider': 'identity providers',
  'api-token': 'tokens of the admin API',
};

/** What an export in Handrail's own format leaves out, one entry a line. */
export const exportOmissions: readonly string[] = [
  ...Object.values(omittedNouns),
  'people, their groups, sessions and own accounts',
  'earlier versions of composed tools',
  'call records and statistics',
  'the audit log',
  'stored replies and files',
  'ids, revisions and dates',
  'rows that were set aside',
];

/** What an export in HandsAI's format leaves out as well. */
export const handsaiOmissions: readonly string[] = [
  'servers and composed tools',
  'hidden and fixed parameters',
  'limits, tags, reply settings and everything else that HandsAI has no field for',
];
