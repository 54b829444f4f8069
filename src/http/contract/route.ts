import type { z } from 'zod';
import type { Principal, Role } from '../../domain/person.ts';
import type { Actor } from '../../domain/audit.ts';

/**
 * One route of the admin API, as data. The OpenAPI document, input validation and the types of handlers and of the
 * admin app are all derived from it.
 */
export interface RouteContract {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, with `:name` for parameters. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** The minimum role that may use it, `none` for anyone who is signed in; only signing in is public. */
  readonly access: Role | 'public';
  /** Only for people themselves, signed in in any way or in a browser; tokens for programs are refused. */
  readonly person?: 'signed-in' | 'in-browser';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Overrides the gateway's limit for request bodies. */
  readonly maxBodyBytes?: number;
  /** Large bodies are read in a thread, and their long strings arrive as UTF-8 bytes; the schema must allow for that. */
  readonly takesUploads?: boolean;
  /** Absent for a response without a body. */
  readonly reply?: z.ZodType;
  /** Media types of a streamed response, instead of `reply`. */
  readonly stream?: readonly string[];
  readonly status: 200 | 201 | 202 | 204;
  /**
   * Offered to agents as a tool at `/mcp/_admin`; absent, the default, means that it isn't. With `fields`, only these of
   * the body; `always` is added to it. Never for what changes who may do what: people, groups, tokens, keys, egress, secrets, settings.
   */
  readonly tool?:
    | true
    | { readonly fields: readonly string[]; readonly always?: Readonly<Record<string, unknown>> };
}

/** The path parameters in `/apis/:api/tools/:tool`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The input of a handler. */
export interface RouteInput<C extends RouteContract> {
  readonly params: PathParams<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  /** The revision in If-Match, when there is one. */
  readonly expectedRevision: number | undefined;
  readonly signal: AbortSignal;
  /** The W3C trace that the request is part of, as the client wrote it. */
  readonly traceparent: string | undefined;
  /** Who is signed in. */
  readonly admin: C['access'] extends 'public' ? null : Principal;
  /** Who changes are attributed to in the audit log. */
  readonly actor: Actor;
  readonly browser: Browser;
}

/** The client of a request, as far as signing in and out needs it. */
export interface Browser {
  readonly address: string;
  readonly userAgent: string;
  /** Identifies this browser when it returns from connecting an API; stored in a cookie. */
  connectMark(): string;
  /** Sets the session cookie, or removes it. */
  keepSession(session: { readonly token: string; readonly expiresAtMs: number } | null): void;
}

/** A response that is sent in chunks. */
export interface StreamedReply {
  readonly type: string;
  /** Offers it as a download of this name. */
  readonly fileName?: string;
  readonly pieces: AsyncIterable<string>;
}

/** What a handler returns. */
export type RouteResult<C extends RouteContract> = C['reply'] extends z.ZodType
  ? z.input<C['reply']>
  : C['stream'] extends readonly string[]
    ? StreamedReply
    : void;

/** Keeps the literal types of a contract. */
export function defineRoute<const C extends RouteContract>(contract: C): C {
  return contract;
}
