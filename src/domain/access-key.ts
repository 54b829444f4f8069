import { type Infer, integer, list, object, optional, text } from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** What people call a key. */
export const keyName = text({ min: 1, max: 200 });

/** Calls a minute; 0 means no limit of its own. */
export const ratePerMinute = integer({ min: 0 });

/** Lets a client in. The key itself is shown once; only its hash is kept. */
export const accessKey = object({
  ...rowFields,
  name: keyName,
  /** SHA-256 of the key, hex. The key is 32 random bytes, so a slow hash would add nothing. */
  hash: text({ min: 1, max: 200 }),
  /** The first characters of the key, for people to tell keys apart. */
  hint: text({ max: 100 }),
  /** Server ids it opens; absent means every server. */
  serverIds: optional(list(idText, { max: 100_000 })),
  /** Tool ids it may call; absent means every tool of those servers. */
  toolIds: optional(list(idText, { max: 100_000 })),
  expiresAtMs: optional(timeMs),
  /** 0 or absent means the server's own limit. */
  ratePerMinute: optional(ratePerMinute),
  /** The key this one replaces; both work until the older one expires. */
  replacesId: optional(idText),
  /** The id of the first key of a line of rotations, which callers stay known by; absent for the first itself. */
  subjectId: optional(idText),
  revokedAtMs: optional(timeMs),
});

export type AccessKey = Infer<typeof accessKey>;
