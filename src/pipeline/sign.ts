import type { ClientTls, OpenCredential, RequestPlan } from './types.ts';

/**
 * A request with its credential in place. The complete form is private: only `upstream/` takes it out, through
 * `reveal`, so that no log, record or error can print a secret by accident.
 */
export class SignedRequest {
  /** The request without its credential, safe to show. */
  readonly plan: RequestPlan;
  readonly tls: ClientTls | null;
  /** Tells requests made with different secrets apart. */
  readonly credentialIdentity: string;
  /** The secret values that went in, for masking what comes back. */
  readonly #secrets: readonly string[];
  readonly #full: RequestPlan;

  constructor(plan: RequestPlan, full: RequestPlan, credential: OpenCredential | null) {
    this.plan = plan;
    this.#full = full;
    this.tls = credential?.tls ?? null;
    this.credentialIdentity = credential?.identity ?? '';
    this.#secrets = credential?.placements.map((placement) => placement.value) ?? [];
  }

  /** The request as it goes on the wire. For `upstream/` only. */
  reveal(): RequestPlan {
    return this.#full;
  }

  /** The secret values that went in. For masking only. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  toJSON(): RequestPlan {
    return this.plan;
  }
}
