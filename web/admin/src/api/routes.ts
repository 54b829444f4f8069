import type { z } from 'zod';
import type { analyticsRoutes } from '#contract/analytics.ts';
import type { accountRoutes } from '#contract/accounts.ts';
import type { apiRoutes } from '#contract/apis.ts';
import type { apiTokenRoutes } from '#contract/api-tokens.ts';
import type { auditRoutes } from '#contract/audit.ts';
import type { callRoutes } from '#contract/calls.ts';
import type { connectedAppRoutes } from '#contract/connected-apps.ts';
import type { composedToolRoutes } from '#contract/composed-tools.ts';
import type { checkRoutes } from '#contract/checks.ts';
import type { credentialRoutes } from '#contract/credentials.ts';
import type { importJobRoutes } from '#contract/import-jobs.ts';
import type { importRoutes } from '#contract/imports.ts';
import type { keyRoutes } from '#contract/keys.ts';
import type { meRoutes } from '#contract/me.ts';
import type { modelRoutes } from '#contract/models.ts';
import type { overviewRoutes } from '#contract/overview.ts';
import type { identityProviderRoutes } from '#contract/identity-providers.ts';
import type { peopleRoutes } from '#contract/people.ts';
import type { piiRoutes } from '#contract/pii.ts';
import type { playgroundRoutes } from '#contract/playground.ts';
import type { PathParams, RouteContract } from '#contract/route.ts';
import type { scriptRoutes } from '#contract/scripts.ts';
import type { searchRoutes } from '#contract/search.ts';
import type { serverRoutes } from '#contract/servers.ts';
import type { sessionRoutes } from '#contract/session.ts';
import type { setAsideRoutes } from '#contract/set-aside.ts';
import type { settingsRoutes } from '#contract/settings.ts';
import type { toolDraftRoutes } from '#contract/tool-drafts.ts';
import type { toolIndexRoutes } from '#contract/tool-index.ts';
import type { toolRoutes } from '#contract/tools.ts';

type Values<T> = T[keyof T];

/** Every route of the admin API, as types only, so that calling a route that doesn't exist fails to compile. */
export type Route =
  | Values<typeof analyticsRoutes>
  | Values<typeof accountRoutes>
  | Values<typeof apiRoutes>
  | Values<typeof importRoutes>
  | Values<typeof importJobRoutes>
  | Values<typeof overviewRoutes>
  | Values<typeof setAsideRoutes>
  | Values<typeof settingsRoutes>
  | Values<typeof apiTokenRoutes>
  | Values<typeof auditRoutes>
  | Values<typeof sessionRoutes>
  | Values<typeof callRoutes>
  | Values<typeof composedToolRoutes>
  | Values<typeof connectedAppRoutes>
  | Values<typeof checkRoutes>
  | Values<typeof credentialRoutes>
  | Values<typeof keyRoutes>
  | Values<typeof meRoutes>
  | Values<typeof modelRoutes>
  | Values<typeof identityProviderRoutes>
  | Values<typeof peopleRoutes>
  | Values<typeof piiRoutes>
  | Values<typeof playgroundRoutes>
  | Values<typeof scriptRoutes>
  | Values<typeof searchRoutes>
  | Values<typeof serverRoutes>
  | Values<typeof toolDraftRoutes>
  | Values<typeof toolIndexRoutes>
  | Values<typeof toolRoutes>;

export type Method = Route['method'];

/** The paths that support a method. */
export type PathOf<M extends Method> = Extract<Route, { method: M }>['path'];

/** The contract of a method and path. */
export type RouteAt<M extends Method, P> = Extract<Route, { method: M; path: P }>;

type Field<C, K extends string> = C extends { readonly [X in K]: infer V } ? V : undefined;

/** The reply of a route. */
export type ReplyOf<C extends RouteContract> =
  Field<C, 'reply'> extends z.ZodType ? z.output<Field<C, 'reply'>> : undefined;

/** The query a route takes. */
export type QueryOf<C extends RouteContract> =
  Field<C, 'query'> extends z.ZodType ? z.input<Field<C, 'query'>> : undefined;

/** The body a route takes. */
export type BodyOf<C extends RouteContract> =
  Field<C, 'body'> extends z.ZodType ? z.input<Field<C, 'body'>> : undefined;

type Params<P extends string> =
  unknown extends PathParams<P> ? { readonly params?: undefined } : { readonly params: PathParams<P> };

/** The input of one request. */
export type InputOf<C extends RouteContract> = Params<C['path']> & {
  readonly query?: QueryOf<C>;
  readonly body?: BodyOf<C>;
  /** The revision being edited, sent as If-Match. */
  readonly revision?: number;
  readonly signal?: AbortSignal;
};
