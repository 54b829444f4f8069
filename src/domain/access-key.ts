/** Lets a client in. The key itself is shown once; only its hash is kept. */
export interface AccessKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key, hex. The key is 32 random bytes, so a slow hash would add nothing. */
  readonly hash: string;
  /** The first characters of the key, for people to tell keys apart. */
  readonly hint: string;
  /** Server ids it opens; absent means every server. */
  readonly serverIds?: readonly string[];
  /** Tool ids it may call; absent means every tool of those servers. */
  readonly toolIds?: readonly string[];
  readonly expiresAtMs?: number;
  /** Calls a minute; 0 or absent means the server's own limit. */
  readonly ratePerMinute?: number;
  /** The key this one replaces; both work until the older one expires. */
  readonly replacesId?: string;
  /** The id of the first key of a line of rotations, which callers stay known by; absent for the first itself. */
  readonly subjectId?: string;
  readonly revokedAtMs?: number;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
