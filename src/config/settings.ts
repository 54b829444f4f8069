import {
  addresses,
  count,
  flag,
  isRedisAddress,
  list,
  oneOf,
  type Reader,
  text,
  webAddress,
  wholeNumber,
  withDefault,
  workers,
} from './readers.ts';
import { referenceIn } from '../domain/secret-references.ts';
import { auditRetentionDays, contentRetentionDays, retentionDays } from '../domain/settings.ts';
import { callDefaults } from '../domain/call-defaults.ts';
import { defaultMaxBytes } from '../lib/memory/memory-budget.ts';

/** One setting: what it accepts, what it is for, and its default. */
interface Setting {
  readonly read: Reader<unknown>;
  readonly about: string;
  /** The default as shown in the reference; the effective one is in the reader. */
  readonly fallback: string;
  /** Environment variable, unless it is the usual `HANDRAIL_…`. */
  readonly env?: string;
  readonly secret?: boolean;
}

const isKey = (encoded: string): boolean => Buffer.from(encoded.trim(), 'base64').length === 32;

/** Every setting of Handrail. None is required. The reference page is generated from this table. */
export const settings = {
  host: {
    read: withDefault(text(), '127.0.0.1'),
    about: 'Address to listen on.',
    fallback: '127.0.0.1',
  },
  port: { read: count(0, 65_535, 8080), about: 'Port to listen on; 0 picks a free one.', fallback: '8080' },
  workers: {
    read: workers,
    about:
      'Number of serving processes: 1 is only this process, auto is one per core. With more than one, this process listens and distributes connections.',
    fallback: '1',
  },
  dataDir: {
    read: withDefault(text(), './handrail-data'),
    about: 'Folder for the embedded database and the master key.',
    fallback: './handrail-data',
  },
  databaseUrl: {
    read: text((url) => /^postgres(ql)?:\/\//.test(url), 'must start with postgres:// or postgresql://'),
    about: 'PostgreSQL to use instead of the embedded database; any number of instances can share it.',
    fallback: 'none',
    env: 'DATABASE_URL',
    secret: true,
  },
  budgetsUrl: {
    read: text(
      isRedisAddress,
      'must be a URL such as redis://:password@host:6379/0, or with rediss:// for TLS',
    ),
    about:
      'Redis-compatible server for limits that processes share, instead of PostgreSQL or the process that started the workers.',
    fallback: 'none',
    secret: true,
  },
  secretKey: {
    read: text(
      (keys) => referenceIn(keys) !== null || keys.split(',').every(isKey),
      'must be 32 bytes in base64 (openssl rand -base64 32), or a reference such as ${file:/run/secrets/handrail-key}',
    ),
    about:
      'Master key that encrypts credentials: 32 bytes, base64; during a rotation several, newest first, separated by commas. Can be ${env:NAME}, ${file:PATH} or ${command:NAME}. Required with DATABASE_URL; otherwise it is in a file in the data folder.',
    fallback: 'a file in the data folder',
    secret: true,
  },
  secretReferences: {
    read: (value: unknown) => list(value ?? 'env:SECRET_*,file:/run/secrets/*'),
    about:
      'Which references credentials may use instead of secrets: env:NAME and file:PATH, each with * at its end for all that start like it. Editors can send what they name to APIs, so allow nothing else of value.',
    fallback: 'env:SECRET_*,file:/run/secrets/*',
  },
  secretCommand: {
    read: text(),
    about:
      'Program, with arguments, that prints the secret whose name is its last argument, for ${command:NAME}. It runs without a shell and is asked again after a minute.',
    fallback: 'none',
  },
  adminToken: {
    read: text((token) => token.length >= 16, 'must have at least 16 characters'),
    about: 'Bearer token for the admin API.',
    fallback: 'created at first start and printed once',
    secret: true,
  },
  metricsToken: {
    read: text((token) => token.length >= 16, 'must have at least 16 characters'),
    about: 'Bearer token that can only read /metrics.',
    fallback: 'none',
    secret: true,
  },
  demo: {
    read: flag,
    about: 'Register the demo API when the registry is empty.',
    fallback: 'true on a loopback address with the embedded database, else false',
  },
  egressAllow: {
    read: list,
    about:
      'Private or local addresses that calls may be sent to: comma-separated host[:port], ip[:port] or CIDR.',
    fallback: 'none',
  },
  httpsProxy: {
    read: text(),
    about: 'Proxy for outgoing requests.',
    fallback: 'none',
    env: 'HTTPS_PROXY',
    secret: true,
  },
  publicUrl: {
    read: webAddress,
    about: 'URL at which clients reach this gateway, if it is behind a proxy.',
    fallback: 'http://host:port',
  },
  allowedHosts: {
    read: list,
    about: 'Additional Host header values to accept, comma-separated.',
    fallback: 'none',
  },
  allowedOrigins: {
    read: list,
    about: 'Web origins whose pages may call this gateway (CORS), comma-separated.',
    fallback: 'none',
  },
  trustProxy: {
    read: addresses(true),
    about:
      'Trusted proxies, whose X-Forwarded-* headers are used: comma-separated addresses and networks, such as 127.0.0.1,10.0.0.0/8.',
    fallback: 'none',
  },
  adminAllow: {
    read: addresses(false),
    about: 'Addresses and networks that may use the admin app and API, comma-separated; empty means any.',
    fallback: 'any',
  },
  allowOpen: {
    read: withDefault(flag, false),
    about: 'Allow open servers on an address that other machines can reach.',
    fallback: 'false',
  },
  recordContents: {
    read: withDefault(flag, true),
    about: 'Store (redacted) arguments and replies in call records.',
    fallback: 'true',
  },
  retentionDays: {
    read: wholeNumber(retentionDays, 30),
    about: 'Days that call records are kept; 0 keeps them forever.',
    fallback: '30',
  },
  contentRetentionDays: {
    read: wholeNumber(contentRetentionDays, 0),
    about: 'Days that arguments and replies are kept in call records; 0 keeps them as long as the record.',
    fallback: '0',
  },
  auditRetentionDays: {
    read: wholeNumber(auditRetentionDays, 0),
    about: 'Days that the audit log is kept; 0 keeps it forever.',
    fallback: '0',
  },
  auditWebhookUrl: {
    read: webAddress,
    about:
      'Address that gets every line of the audit log as JSON, at least once. Set here and not in the app, so that no one who takes over an account can turn it off.',
    fallback: 'none',
    secret: true,
  },
  auditWebhookSecret: {
    read: text((secret) => secret.length >= 16, 'must have at least 16 characters'),
    about: 'Signs what is sent to the audit webhook (HMAC with SHA-256, header Handrail-Signature).',
    fallback: 'none',
    secret: true,
  },
  auditFile: {
    read: text(),
    about: 'File that gets every line of the audit log as a line of JSON, at least once.',
    fallback: 'none',
  },
  maxBodyBytes: {
    read: count(1_024, 1_073_741_824, callDefaults.maxBodyBytes),
    about: 'Largest request body accepted from clients.',
    fallback: '4194304',
  },
  maxBytesUnderWay: {
    read: count(1_048_576, 68_719_476_736, defaultMaxBytes()),
    about:
      'Memory for large replies that are being processed, including all copies of them; more replies wait, and when 256 are waiting, calls get 503.',
    fallback: 'a quarter of the heap, 64 to 1,024 MiB',
  },
  maxImports: {
    read: count(1, 64, 2),
    about: 'Documents that are imported at the same time, each in a thread of up to 768 MB; more wait.',
    fallback: '2',
  },
  refreshRemovesAtMost: {
    read: count(0, 100, 20),
    about:
      'Percentage of a watched API’s tools that an automatic refresh may remove; if its document lost more, they stay until someone approves.',
    fallback: '20',
  },
  clientTimeoutMs: {
    read: count(1_000, 600_000, 30_000),
    about: 'How long a client may take to send a request, or to read more of a pending response.',
    fallback: '30000',
  },
  maxConnections: {
    read: count(1, 1_000_000, 20_000),
    about: 'Maximum number of client connections.',
    fallback: '20000',
  },
  maxConnectionsPerAddress: {
    read: count(1, 1_000_000, 1_000),
    about:
      'Maximum number of connections from one address; this machine and trusted proxies are not counted.',
    fallback: '1000',
  },
  refusalsPerMinute: {
    read: count(1, 1_000_000, 2_000),
    about:
      'Rejected requests per minute allowed from one address before it gets 429. Authenticated requests are not counted.',
    fallback: '2000',
  },
  refusalsPerMinuteInTotal: {
    read: count(1, 10_000_000, 20_000),
    about: 'The same for all addresses together.',
    fallback: '20000',
  },
  drainMs: {
    read: count(0, 600_000, 10_000),
    about: 'How long running calls may take to finish when the process is stopping.',
    fallback: '10000',
  },
  leaveMs: {
    read: count(0, 600_000, 0),
    about:
      'How long calls are still accepted after SIGTERM while /readyz returns 503, so that a load balancer can remove this instance first.',
    fallback: '0',
  },
  closeMs: {
    read: count(0, 600_000, 10_000),
    about:
      'How long pending writes and closing the store may take after the drain time; then the process exits in any case.',
    fallback: '10000',
  },
  maxRegistryLagMs: {
    read: count(1_000, 86_400_000, 300_000),
    about:
      'How long changes from other processes may be unavailable before /readyz returns 503: a revoked key stays valid here until they are read.',
    fallback: '300000',
  },
  listBudget: {
    read: count(0, 100_000_000, callDefaults.listBudget),
    about: 'Tokens that a server’s tool list may cost before a server in auto mode switches to search.',
    fallback: '10000',
  },
  embeddingsUrl: {
    read: webAddress,
    about:
      'Endpoint with an OpenAI-compatible embeddings API, such as https://api.openai.com/v1: search then uses meaning as well as words. It receives names, descriptions and paths of tools, and queries.',
    fallback: 'none',
  },
  embeddingsModel: {
    read: withDefault(text(), 'text-embedding-3-small'),
    about: 'Model to request from the embeddings endpoint.',
    fallback: 'text-embedding-3-small',
  },
  embeddingsKey: {
    read: text(),
    about: 'Bearer token for the embeddings endpoint.',
    fallback: 'none',
    secret: true,
  },
  embeddingsTimeoutMs: {
    read: count(10, 60_000, 400),
    about: 'How long a search waits for the embeddings endpoint before it uses words only.',
    fallback: '400',
  },
  replyMaxTokens: {
    read: count(0, 100_000_000, callDefaults.replyMaxTokens),
    about:
      'Maximum tokens that a model reads of one reply over MCP: 0 for no limit, or at least 500; the rest is kept under a handle. Servers and tools can override it.',
    fallback: '10000',
  },
  handleSeconds: {
    read: count(10, 2_592_000, callDefaults.handleSeconds),
    about:
      'How long the rest of a truncated reply can be read; at most ten minutes if recordContents is off.',
    fallback: '3600',
  },
  handleMaxBytes: {
    read: count(1_000_000, 1_000_000_000_000, callDefaults.handleMaxBytes),
    about: 'Maximum size of all kept replies in the store; the oldest are removed first.',
    fallback: '1000000000',
  },
  allMaxPages: {
    read: count(1, 100_000, callDefaults.allMaxPages),
    about: 'Maximum number of pages that one call with all: true fetches.',
    fallback: '100',
  },
  allMaxItems: {
    read: count(1, 10_000_000, callDefaults.allMaxItems),
    about: 'Maximum number of records that one call with all: true collects.',
    fallback: '10000',
  },
  allMaxBytes: {
    read: count(1_000, 1_000_000_000, callDefaults.allMaxBytes),
    about: 'Maximum size of the records of one call with all: true.',
    fallback: '20000000',
  },
  allMaxSeconds: {
    read: count(1, 3_600, callDefaults.allMaxSeconds),
    about: 'How long one call with all: true keeps fetching pages; many clients wait for a minute.',
    fallback: '50',
  },
  maxFileBytes: {
    read: count(1_048_576, 10_737_418_240, callDefaults.maxFileBytes),
    about:
      'Largest file that can be uploaded, or received from an API, by handle. Files are streamed, so memory use does not grow with them.',
    fallback: '104857600',
  },
  fileLinkSeconds: {
    read: count(10, 86_400, callDefaults.fileLinkSeconds),
    about: 'How long a download or upload link for a file is valid.',
    fallback: '600',
  },
  fastLane: {
    read: withDefault(flag, true),
    about: 'Handle the common MCP methods without the protocol library.',
    fallback: 'true',
  },
  clientDocuments: {
    read: withDefault(flag, true),
    about:
      'Let apps connect by URL with a client ID metadata document. Turn it off where this gateway cannot reach the internet: apps register instead.',
    fallback: 'true',
  },
  otlpUrl: {
    read: webAddress,
    about: 'OpenTelemetry collector (OTLP over HTTP, JSON) for traces of calls.',
    fallback: 'none',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  logLevel: {
    read: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    about: 'Least severe log line written to stderr.',
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The effective configuration. */
export type Config = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['read']> };

/** `maxBodyBytes` → `HANDRAIL_MAX_BODY_BYTES`. */
export function envName(name: SettingName): string {
  const setting: Setting = settings[name];
  return setting.env ?? `HANDRAIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `maxBodyBytes` → `max-body-bytes`. */
export function flagName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Whether the setting is switched by `--x` and `--no-x`. */
export function isSwitch(name: SettingName): boolean {
  return ['true', 'false'].includes(settings[name].fallback.split(' ')[0]!);
}
