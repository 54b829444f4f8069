import type { AuthScheme } from './auth-scheme.ts';

/** A secret for calling an API, sealed. `fields` says which values are inside, never what they are. */
export interface Credential {
  readonly id: string;
  readonly apiId: string;
  /** The caller it belongs to; absent for the shared one. */
  readonly callerId?: string;
  readonly name: string;
  readonly kind: AuthScheme['kind'];
  readonly fields: readonly string[];
  /** The origins it was entered for; it is sent to no other, however its API or tools are edited later. */
  readonly origins: readonly string[];
  /** AES-256-GCM envelope, bound to this row. */
  readonly sealed: string;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
