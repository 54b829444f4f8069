import type { z } from 'zod';
import type { AdminPrincipal, AdminRole } from '../../domain/admin.ts';
import type { Actor } from '../../domain/audit.ts';

/**
 * One route of the admin API, as data: the OpenAPI document, the checks of input and the types of handlers (and of
 * the admin app) all come from here.
 */
export interface RouteContract {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, with `:name` for parameters. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** The least role that may use it; only getting in is public. */
  readonly access: AdminRole | 'public';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The largest body this route reads, when it is not the gateway's own limit. */
  readonly maxBodyBytes?: number;
  /** Large bodies are read in a thread, and their long strings arrive as UTF-8 bytes; the schema must allow for that. */
  readonly takesUploads?: boolean;
  /** Absent for an answer without a body. */
  readonly reply?: z.ZodType;
  /** Media types of an answer that is written piece by piece, instead of `reply`. */
  readonly stream?: readonly string[];
  readonly status: 200 | 201 | 202 | 204;
}

/** The path parameters in `/apis/:api/tools/:tool`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler is given. */
export interface RouteInput<C extends RouteContract> {
  readonly params: PathParams<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  /** The revision in If-Match, when there is one. */
  readonly expectedRevision: number | undefined;
  readonly signal: AbortSignal;
  /** The W3C trace that the request is part of, as the client wrote it. */
  readonly traceparent: string | undefined;
  /** Who asks. */
  readonly admin: C['access'] extends 'public' ? null : AdminPrincipal;
  /** Whose name changes are written down under. */
  readonly actor: Actor;
  readonly browser: Browser;
}

/** The other end of a request, as far as getting in and out needs to know. */
export interface Browser {
  readonly address: string;
  readonly userAgent: string;
  /** What tells this browser from others when it comes back from connecting an API; kept in a cookie. */
  connectMark(): string;
  /** Sets the session cookie, or takes it away. */
  keepSession(session: { readonly token: string; readonly expiresAtMs: number } | null): void;
}

/** An answer that is written piece by piece. */
export interface StreamedReply {
  readonly type: string;
  /** Offers it as a download of this name. */
  readonly fileName?: string;
  readonly pieces: AsyncIterable<string>;
}

/** What a handler answers with; extra reply headers are optional. */
export type RouteResult<C extends RouteContract> = C['reply'] extends z.ZodType
  ? z.input<C['reply']>
  : C['stream'] extends readonly string[]
    ? StreamedReply
    : void;

/** Keeps the literal types of a contract. */
export function defineRoute<const C extends RouteContract>(contract: C): C {
  return contract;
}
