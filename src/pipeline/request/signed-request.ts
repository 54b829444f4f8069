import type { Reply } from '../reply/reply.ts';
import type { RequestPlan } from './request-plan.ts';

/** A secret that is ready to be placed, opened by `credentials/` for one call. */
export interface OpenCredential {
  /** Values to put somewhere in the request. */
  readonly placements: readonly Placement[];
  /** Computes headers over the finished request (AWS, HMAC); pure but for the clock and nonce it was made with. */
  readonly signature?: (request: RequestPlan) => Readonly<Record<string, string>>;
  /** Client certificate and trust for mutual TLS; part of the connection's identity. */
  readonly tls?: ClientTls;
  /** Tells calls with different secrets apart, for caches and pools; derived from no secret value. */
  readonly identity: string;
  /** Every secret value behind it, for masking; absent when the placements hold them all. */
  readonly secrets?: readonly string[];
  /** Whether this reply means that the secret is no longer good. */
  readonly rejectedBy?: (reply: Reply) => boolean;
  /** Drops the tokens behind it, so that new ones are obtained; absent when it has none. */
  readonly dropTokens?: () => void;
}

export interface Placement {
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly name: string;
  readonly value: string;
}

export interface ClientTls {
  readonly certificatePem?: string;
  readonly privateKeyPem?: string;
  readonly passphrase?: string;
  readonly caPem?: string;
}

const noSecrets: readonly string[] = [];

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

  constructor(
    plan: RequestPlan,
    full: RequestPlan,
    credential: Pick<OpenCredential, 'placements' | 'identity' | 'tls' | 'secrets'> | null,
  ) {
    this.plan = plan;
    this.#full = full;
    this.tls = credential?.tls ?? null;
    this.credentialIdentity = credential?.identity ?? '';
    this.#secrets =
      credential === null
        ? noSecrets
        : (credential.secrets ?? credential.placements.map((placement) => placement.value));
  }

  /** The request as it goes on the wire. For `upstream/` only. */
  reveal(): RequestPlan {
    return this.#full;
  }

  /** The secret values that went in. For masking only. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  /** The request that follows a redirect; its client certificate stays behind when the origin changes. */
  redirected(plan: RequestPlan, full: RequestPlan, sameOrigin: boolean): SignedRequest {
    return new SignedRequest(plan, full, {
      placements: [],
      identity: this.credentialIdentity,
      secrets: this.#secrets,
      ...(sameOrigin && this.tls !== null && { tls: this.tls }),
    });
  }

  toJSON(): RequestPlan {
    return this.plan;
  }
}
