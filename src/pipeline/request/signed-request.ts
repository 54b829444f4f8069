import type { Reply } from '../reply/reply.ts';
import type { RequestPlan } from './request-plan.ts';

/** A decrypted secret for one call, opened by `credentials/`. */
export interface OpenCredential {
  /** Values to put somewhere in the request. */
  readonly placements: readonly Placement[];
  /** Computes headers over the finished request (AWS, HMAC); pure except for its clock and nonce. */
  readonly signature?: (request: RequestPlan) => Readonly<Record<string, string>>;
  /** Client certificate and trust for mutual TLS; part of the connection's identity. */
  readonly tls?: ClientTls;
  /** Distinguishes calls with different secrets, for caches and pools; not derived from any secret value. */
  readonly identity: string;
  /** Every secret value behind it, for masking; absent if the placements contain them all. */
  readonly secrets?: readonly string[];
  /** Whether this reply means that the secret is no longer valid. */
  readonly rejectedBy?: (reply: Reply) => boolean;
  /** Drops its tokens, so that new ones are obtained; absent if it has none. */
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
 * A request with its credential in place. The complete form is private: only `upstream/` reads it, through `reveal`, so
 * that no log, record or error can print a secret by accident.
 */
export class SignedRequest {
  /** The request without its credential, safe to show. */
  readonly plan: RequestPlan;
  readonly tls: ClientTls | null;
  /** Distinguishes requests made with different secrets. */
  readonly credentialIdentity: string;
  /** The secret values in the request, for masking the reply. */
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

  /** The request as sent over the wire. For `upstream/` only. */
  reveal(): RequestPlan {
    return this.#full;
  }

  /** The secret values in the request. For masking only. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  /** The request for a redirect; the client certificate is dropped if the origin changes. */
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
