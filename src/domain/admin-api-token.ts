import { choice, described, type Infer, list, object, optional, text } from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** A permission such as `calls:read` or `servers:write`: a tag of the admin API, or `*`, and what it allows. */
export const tokenScope = text({
  min: 3,
  max: 100,
  pattern: /^(?:\*|[a-z-]+):(?:read|write)$/,
  wants: 'must be a tag of the admin API and read or write, such as calls:read, or *:read for everything',
});

/** The fields of a token that an owner sets. */
export const apiTokenFields = {
  name: text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' }),
  role: described(choice('viewer', 'editor', 'owner'), 'The highest role it acts with.'),
  scopes: optional(
    described(
      list(tokenScope, { min: 1, max: 100 }),
      'Only these kinds of things, such as calls:read or servers:write; absent means everything its role allows.',
    ),
  ),
};

/** A token for programs that use the admin API. Only its hash is stored. */
export const apiToken = object({
  ...rowFields,
  ...apiTokenFields,
  hash: text({ min: 1, max: 200 }),
  /** Its first characters, to tell tokens apart. */
  hint: text({ min: 1, max: 50 }),
  expiresAtMs: timeMs,
  /** The person who created it: it never may more than they do. Absent if the bootstrap token created it. */
  createdBy: optional(idText),
  revokedAtMs: optional(timeMs),
});

export type ApiToken = Infer<typeof apiToken>;

/** Whether scopes allow reading or writing what a tag of the admin API stands for. */
export function scopesAllow(scopes: ApiToken['scopes'], tag: string, access: 'read' | 'write'): boolean {
  if (scopes === undefined) return true;
  return scopes.some((scope) => {
    const [what, how] = scope.split(':');
    return (what === '*' || what === tag) && (how === 'write' || access === 'read');
  });
}
