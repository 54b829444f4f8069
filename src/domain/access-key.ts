import { type Infer, integer, list, object, optional, text } from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** The name of a key. */
export const keyName = text({ min: 1, max: 200 });

/** Calls per minute; 0 means no limit of its own. */
export const ratePerMinute = integer({ min: 0 });

/** Authenticates a client. The key itself is shown once; only its hash is stored. */
export const accessKey = object({
  ...rowFields,
  name: keyName,
  /** SHA-256 of the key, hex. The key is 32 random bytes, so a slow hash would add nothing. */
  hash: text({ min: 1, max: 200 }),
  /** The first characters of the key, so that people can tell keys apart. */
  hint: text({ max: 100 }),
  /** Ids of the servers it may use; absent means every server. */
  serverIds: optional(list(idText, { max: 100_000 })),
  /** Tool ids it may call; absent means every tool of those servers. */
  toolIds: optional(list(idText, { max: 100_000 })),
  expiresAtMs: optional(timeMs),
  /** 0 or absent means the server's own limit. */
  ratePerMinute: optional(ratePerMinute),
  /** The key this one replaces; both are valid until the older one expires. */
  replacesId: optional(idText),
  /** The id of the first key in a chain of rotations, which stays the caller's id; absent for the first itself. */
  subjectId: optional(idText),
  revokedAtMs: optional(timeMs),
});

export type AccessKey = Infer<typeof accessKey>;
