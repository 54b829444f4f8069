/** A tool as MCP describes it; any object of this shape will do. */
export interface Tool {
  name: string;
  description?: string;
  title?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | null;
  annotations?: Record<string, unknown> | null;
}

export interface TextContent {
  type: 'text';
  text: string;
}

export interface ImageContent {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface AudioContent {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ResourceLink {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

export interface EmbeddedResource {
  type: 'resource';
  resource: { uri: string; mimeType?: string; text?: string; blob?: string };
}

/** One piece of a tool's answer. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The body of every answer of `POST /tools/{name}/call` that reached the handler. */
export interface CallResult {
  content: Content[];
  isError: boolean;
  _meta?: { _trace_id: string };
}

/** The tools to show: a list, or a function that is asked anew on each request. */
export type ToolsProvider = readonly Tool[] | (() => readonly Tool[] | Promise<readonly Tool[]>);

/**
 * What a handler answers: the content, whether it is an error, a trace id when there is one, and the HTTP status of the API
 * behind the tool, which the page shows instead of its own 500.
 */
export type ToolCallReturn = readonly [
  content: Content[],
  isError: boolean,
  traceId?: string | null,
  upstreamStatus?: number | undefined,
];

/**
 * Runs a tool. A function that declares three parameters (`Function.length`) is given the request as
 * well; rest and default parameters do not count.
 */
export type ToolCallHandler = (
  name: string,
  args: Record<string, unknown>,
  request: IncomingRequest,
) => Promise<ToolCallReturn> | ToolCallReturn;

/**
 * Guards `POST /tools/{name}/call`. Return `next()` to let the call through; throw to answer
 * 401 `{"error":"Unauthorized"}`, or return a `Response` of your own.
 */
export type AuthHook = (
  request: IncomingRequest,
  next: () => Promise<Response>,
) => Promise<Response> | Response;

/** Where an error that is reported to `onError` happened. */
export interface ErrorSite {
  during: 'tools' | 'call' | 'auth' | 'request';
  toolName?: string;
}

/** Options of all three entry points. */
export interface UIConfig {
  /** Whether `POST /tools/{name}/call` runs tools. Off unless it is `true`. */
  allowExecute?: boolean;
  authHook?: AuthHook;
  title?: string;
  /**
   * Other ways in which clients see these tools, each one word. The page offers them, and adds `?mode=` with the chosen one
   * to its requests: answer those with a handler of that mode.
   */
  modes?: readonly string[];
  /**
   * Whether the page asks `GET about`, below where it is mounted, for what the server is for: `description`, `instructions`
   * and `address`, all optional. The answer is yours to give.
   */
  about?: boolean;
  projectName?: string;
  /** Where the project's name links to; web and mail addresses and paths of this origin become a link. */
  projectUrl?: string;
  /** The largest request body that is read; 4 MiB unless given. */
  maxBodyBytes?: number;
  /** Told of every exception that an answer hides or carries; `console.error` unless given. */
  onError?: (error: unknown, site: ErrorSite) => void;
}

/** The request as hooks and handlers see it, the same for every entry point. */
export interface IncomingRequest {
  method?: string;
  url?: string;
  /** Lower-case names. Through `createHandler` and `createNodeHandler` it also has `get(name)`. */
  headers: Record<string, string | string[] | undefined>;
  /** The arguments as parsed JSON, or what the framework made of the body. */
  body?: unknown;
  /** Aborted when the caller went away. */
  signal?: AbortSignal;
  /** The web `Request` or `IncomingMessage` this was made from. */
  raw?: unknown;
}

/** One way in which arguments do not fit the schema. */
export interface ValidationFailure {
  /** JSON Pointer (RFC 6901) into the arguments; the root is the empty string. */
  path: string;
  message: string;
  /** The JSON Schema keyword that failed; `schema` when the schema itself cannot be used. Always there in an answer. */
  keyword?: string;
}

/** The body of `POST /tools/{name}/validate`; `errors` is there only when `valid` is false. */
export interface ValidateResult {
  valid: boolean;
  errors?: ValidationFailure[];
}

/** One route, to be registered with any router that gives decoded path parameters. */
export interface Route {
  method: 'GET' | 'POST';
  pattern: '/' | '/tools' | '/tools/:name' | '/tools/:name/validate' | '/tools/:name/call';
  handler: (request: IncomingRequest, params: Record<string, string>) => Promise<Response>;
}
