/** A tool as described by MCP; any object of this shape works. */
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

/** One piece of a tool's result. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The response body of `POST /tools/{name}/call` whenever the handler was reached. */
export interface CallResult {
  content: Content[];
  isError: boolean;
  _meta?: { _trace_id: string };
}

/** The tools to show: a list, or a function that is called on each request. */
export type ToolsProvider = readonly Tool[] | (() => readonly Tool[] | Promise<readonly Tool[]>);

/**
 * What a handler returns: the content, whether it is an error, an optional trace id, and the HTTP status of the API
 * behind the tool, which the page shows instead of its own 500.
 */
export type ToolCallReturn = readonly [
  content: Content[],
  isError: boolean,
  traceId?: string | null,
  upstreamStatus?: number | undefined,
];

/**
 * Runs a tool. A function that declares three parameters (`Function.length`) also gets the request; rest and default
 * parameters don't count.
 */
export type ToolCallHandler = (
  name: string,
  args: Record<string, unknown>,
  request: IncomingRequest,
) => Promise<ToolCallReturn> | ToolCallReturn;

/**
 * Guards `POST /tools/{name}/call`. Return `next()` to allow the call, throw to respond with 401
 * `{"error":"Unauthorized"}`, or return your own `Response`.
 */
export type AuthHook = (
  request: IncomingRequest,
  next: () => Promise<Response>,
) => Promise<Response> | Response;

/** Where an error reported to `onError` happened. */
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
   * Other modes in which clients see these tools, each one word. The page offers them and adds `?mode=` to its
   * requests; handle those requests with a handler for that mode.
   */
  modes?: readonly string[];
  /**
   * Whether the page requests `GET about`, below its mount path, for the server's `description`, `instructions` and
   * `address`, all optional. You implement that route.
   */
  about?: boolean;
  projectName?: string;
  /** The project's link. Web and mail URLs and paths of this origin are allowed. */
  projectUrl?: string;
  /** The maximum request body size; 4 MiB by default. */
  maxBodyBytes?: number;
  /** Called with every exception that a response hides or contains; `console.error` by default. */
  onError?: (error: unknown, site: ErrorSite) => void;
}

/** The request as hooks and handlers see it, the same for every entry point. */
export interface IncomingRequest {
  method?: string;
  url?: string;
  /** Lower-case names. Through `createHandler` and `createNodeHandler` it also has `get(name)`. */
  headers: Record<string, string | string[] | undefined>;
  /** The arguments as parsed JSON, or whatever the framework made of the body. */
  body?: unknown;
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal;
  /** The web `Request` or `IncomingMessage` this was made from. */
  raw?: unknown;
}

/** One way in which arguments don't match the schema. */
export interface ValidationFailure {
  /** JSON Pointer (RFC 6901) into the arguments; the root is the empty string. */
  path: string;
  message: string;
  /** The JSON Schema keyword that failed; `schema` if the schema itself is unusable. Always present in a response. */
  keyword?: string;
}

/** The response body of `POST /tools/{name}/validate`; `errors` is present only if `valid` is false. */
export interface ValidateResult {
  valid: boolean;
  errors?: ValidationFailure[];
}

/** One route, to register with any router that provides decoded path parameters. */
export interface Route {
  method: 'GET' | 'POST';
  pattern: '/' | '/tools' | '/tools/:name' | '/tools/:name/validate' | '/tools/:name/call';
  handler: (request: IncomingRequest, params: Record<string, string>) => Promise<Response>;
}
