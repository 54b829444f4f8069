import { keepKey, keptKey } from './controls/preferences.ts';

/** A tool in the list. */
export interface ToolSummary {
  name: string;
  description: string;
  annotations?: Record<string, unknown>;
}

/** What a server reports about itself. */
export interface About {
  /** Its name, which the page of a protected server does not contain. */
  title?: string;
  description?: string;
  instructions?: string;
  /** Where clients connect. */
  address?: string;
}

/** A tool with its schemas. */
export interface ToolDetail extends ToolSummary {
  title?: string;
  inputSchema: unknown;
  outputSchema?: unknown;
}

/** The reply of the validate route. */
export interface Validation {
  valid: boolean;
  errors?: { path: string; message: string; keyword: string }[];
}

/** The reply of the call route, as text and, if it is JSON, parsed. */
export interface CallAnswer {
  status: number;
  /** The HTTP status of the API behind the tool, if the server reports it. */
  apiStatus: string | null;
  text: string;
  body: unknown;
}

/** A reply that isn't what was requested. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The page's own routes, and the token sent with each request. The token survives a reload, but not the tab. */
export class Api {
  /** Where the page is mounted, without a trailing slash. */
  readonly base = `${location.origin}${withoutLastSlashes(location.pathname)}`;
  #token = keptKey(this.base);
  /** The mode in which clients see the tools; empty for all tools as they are. */
  mode = new URLSearchParams(location.search).get('mode') ?? '';

  get token(): string {
    return this.#token;
  }

  set token(token: string) {
    this.#token = token.trim().replace(/^bearer\s+/i, '');
    keepKey(this.base, this.#token);
  }

  callUrl(name: string): string {
    return `${this.base}/tools/${encodeURIComponent(name)}/call${this.#query()}`;
  }

  list(): Promise<ToolSummary[]> {
    return this.#read('/tools') as Promise<ToolSummary[]>;
  }

  about(): Promise<About> {
    return this.#read('/about') as Promise<About>;
  }

  detail(name: string): Promise<ToolDetail> {
    return this.#read(`/tools/${encodeURIComponent(name)}`) as Promise<ToolDetail>;
  }

  async validate(name: string, body: string): Promise<Validation> {
    const answer = await this.#fetch(`/tools/${encodeURIComponent(name)}/validate`, { method: 'POST', body });
    const value = parse(await answer.text());
    if (answer.status !== 200 && answer.status !== 400)
      throw new ApiError(answer.status, reasonOf(value, answer));
    return value as Validation;
  }

  async call(name: string, body: string, signal: AbortSignal): Promise<CallAnswer> {
    const answer = await this.#fetch(`/tools/${encodeURIComponent(name)}/call`, {
      method: 'POST',
      body,
      signal,
    });
    const text = await answer.text();
    return {
      status: answer.status,
      apiStatus: answer.headers.get('x-upstream-status'),
      text,
      body: parse(text),
    };
  }

  async #read(path: string): Promise<unknown> {
    const answer = await this.#fetch(path, {});
    const value = parse(await answer.text());
    if (!answer.ok) throw new ApiError(answer.status, reasonOf(value, answer));
    return value;
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (init.method === 'POST') headers['content-type'] = 'application/json';
    if (this.#token !== '') headers['authorization'] = `Bearer ${this.#token}`;
    return fetch(this.base + path + this.#query(), { ...init, headers });
  }

  #query(): string {
    return this.mode === '' ? '' : `?mode=${encodeURIComponent(this.mode)}`;
  }
}

function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf(value: unknown, answer: Response): string {
  const body = value as { error?: unknown; detail?: unknown; title?: unknown } | undefined;
  const reason = body?.error ?? body?.detail ?? body?.title;
  return typeof reason === 'string' ? reason : `${answer.status} ${answer.statusText}`;
}
