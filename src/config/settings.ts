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
import { retentionDays } from '../domain/settings.ts';
import { defaultMaxBytes } from '../lib/memory/memory-budget.ts';

/** One setting: what it accepts, what it is for, and its default. */
interface Setting {
  readonly read: Reader<unknown>;
  readonly about: string;
  /** As it is shown in the reference; the reader's own default decides. */
  readonly fallback: string;
  /** Environment variable, when it is not the mechanical `HANDRAIL_…`. */
  readonly env?: string;
  readonly secret?: boolean;
}

const isKey = (text: string): boolean => Buffer.from(text.trim(), 'base64').length === 32;

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
      'Processes that serve: 1 is this process alone, auto as many as there are cores. With more than one, this process listens and deals out connections.',
    fallback: '1',
  },
  dataDir: {
    read: withDefault(text(), './handrail-data'),
    about: 'Folder for the embedded database and the master key.',
    fallback: './handrail-data',
  },
  databaseUrl: {
    read: text((url) => /^postgres(ql)?:\/\//.test(url), 'must begin with postgres:// or postgresql://'),
    about: 'PostgreSQL to use instead of the embedded database; any number of instances can share it.',
    fallback: 'none',
    env: 'DATABASE_URL',
    secret: true,
  },
  budgetsUrl: {
    read: text(
      isRedisAddress,
      'must be an address such as redis://:password@host:6379/0, or with rediss:// for TLS',
    ),
    about:
      'Redis-protocol server that keeps the limits which processes share, instead of PostgreSQL or the process that started the workers.',
    fallback: 'none',
    secret: true,
  },
  secretKey: {
    read: text(
      (keys) => keys.split(',').every(isKey),
      'must be 32 bytes in base64 (openssl rand -base64 32)',
    ),
    about:
      'Master key that seals credentials: 32 bytes, base64; while keys are exchanged several, newest first, separated by commas. Needed with DATABASE_URL; otherwise a file in the data folder holds one.',
    fallback: 'a file in the data folder',
    secret: true,
  },
  adminToken: {
    read: text((token) => token.length >= 16, 'must have at least 16 characters'),
    about: 'Bearer token for the admin API.',
    fallback: 'made at first start and printed once',
    secret: true,
  },
  metricsToken: {
    read: text((token) => token.length >= 16, 'must have at least 16 characters'),
    about: 'Bearer token that may read /metrics and nothing else.',
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
      'Private or local addresses that APIs may be called at: comma-separated host[:port], ip[:port] or CIDR.',
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
    about: 'Address clients reach this gateway at, when a proxy stands in front.',
    fallback: 'http://host:port',
  },
  allowedHosts: {
    read: list,
    about: 'Further Host header values to answer to, comma-separated.',
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
      'Proxies in front whose X-Forwarded-* headers are believed: comma-separated addresses and networks, such as 127.0.0.1,10.0.0.0/8.',
    fallback: 'none',
  },
  adminAllow: {
    read: addresses(false),
    about: 'Addresses and networks that may use the admin app and API, comma-separated; empty means any.',
    fallback: 'any',
  },
  allowOpen: {
    read: withDefault(flag, false),
    about: 'Serve open servers on an address that others can reach.',
    fallback: 'false',
  },
  recordContents: {
    read: withDefault(flag, true),
    about: 'Keep (redacted) arguments and replies in call records.',
    fallback: 'true',
  },
  retentionDays: {
    read: wholeNumber(retentionDays, 30),
    about: 'Days that call records are kept; 0 keeps them for ever.',
    fallback: '30',
  },
  maxBodyBytes: {
    read: count(1_024, 1_073_741_824, 4 * 1024 * 1024),
    about: 'Largest request body accepted from clients.',
    fallback: '4194304',
  },
  maxBytesUnderWay: {
    read: count(1_048_576, 68_719_476_736, defaultMaxBytes()),
    about:
      'Memory that large replies may take at once, counted with every copy that is made of them; further ones wait, and when 256 wait, calls are refused with 503.',
    fallback: 'a quarter of the heap, 64 to 1,024 MiB',
  },
  maxImports: {
    read: count(1, 64, 2),
    about: 'Documents that are read at once, each in a thread of up to 768 MB; further ones wait.',
    fallback: '2',
  },
  refreshRemovesAtMost: {
    read: count(0, 100, 20),
    about:
      'Per cent of a watched API’s tools that a refresh may take away by itself; when its document lost more, they stay until somebody agrees.',
    fallback: '20',
  },
  clientTimeoutMs: {
    read: count(1_000, 600_000, 30_000),
    about: 'How long a client may take to send a request, and to take more of an answer that waits for it.',
    fallback: '30000',
  },
  maxConnections: {
    read: count(1, 1_000_000, 20_000),
    about: 'Most connections of clients at once.',
    fallback: '20000',
  },
  maxConnectionsPerAddress: {
    read: count(1, 1_000_000, 1_000),
    about: 'Most connections of one address; this machine and trusted proxies are not counted.',
    fallback: '1000',
  },
  refusalsPerMinute: {
    read: count(1, 1_000_000, 2_000),
    about:
      'How often a minute one address is told that it may not come in, before it is told to come later. Whoever is let in is not counted.',
    fallback: '2000',
  },
  refusalsPerMinuteInTotal: {
    read: count(1, 10_000_000, 20_000),
    about: 'The same for all addresses together.',
    fallback: '20000',
  },
  drainMs: {
    read: count(0, 600_000, 10_000),
    about: 'How long running calls may take to finish when the process is asked to stop.',
    fallback: '10000',
  },
  leaveMs: {
    read: count(0, 600_000, 0),
    about:
      'How long calls are still taken after SIGTERM while /readyz answers 503, so that a load balancer looks elsewhere first.',
    fallback: '0',
  },
  closeMs: {
    read: count(0, 600_000, 10_000),
    about:
      'How long writing what waits and closing the store may take after the drain time; then the process ends, whatever hangs.',
    fallback: '10000',
  },
  maxRegistryLagMs: {
    read: count(1_000, 86_400_000, 300_000),
    about:
      'How long changes of other processes may be out of reach before /readyz answers 503: a revoked key works here until they are read.',
    fallback: '300000',
  },
  listBudget: {
    read: count(0, 100_000_000, 10_000),
    about:
      'Tokens that the list of a server’s tools may cost before a server whose mode is auto is searched instead.',
    fallback: '10000',
  },
  embeddingsUrl: {
    read: webAddress,
    about:
      'Endpoint that speaks OpenAI’s embeddings API, such as https://api.openai.com/v1: search then goes by meaning as well as by words. What it is sent: names, descriptions and paths of tools, and queries.',
    fallback: 'none',
  },
  embeddingsModel: {
    read: withDefault(text(), 'text-embedding-3-small'),
    about: 'Model that the embeddings endpoint is asked for.',
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
    about: 'How long a search waits for the embeddings endpoint before it goes by words alone.',
    fallback: '400',
  },
  replyMaxTokens: {
    read: count(0, 100_000_000, 10_000),
    about:
      'Tokens that a model reads of one reply over MCP at most, 0 or at least 500; the rest is kept under a handle. 0 means any. A server and a tool can have their own.',
    fallback: '10000',
  },
  handleSeconds: {
    read: count(10, 2_592_000, 3_600),
    about:
      'How long a reply that was too long is kept, so that the rest of it can be read; ten minutes at most where recordContents is off.',
    fallback: '3600',
  },
  handleMaxBytes: {
    read: count(1_000_000, 1_000_000_000_000, 1_000_000_000),
    about: 'What all kept replies may take in the store; the oldest go first.',
    fallback: '1000000000',
  },
  allMaxPages: {
    read: count(1, 100_000, 100),
    about: 'Pages of a list that one call with all: true asks an API for at most.',
    fallback: '100',
  },
  allMaxItems: {
    read: count(1, 10_000_000, 10_000),
    about: 'Records that one call with all: true gathers at most.',
    fallback: '10000',
  },
  allMaxBytes: {
    read: count(1_000, 1_000_000_000, 20_000_000),
    about: 'What the records of one call with all: true take at most.',
    fallback: '20000000',
  },
  allMaxSeconds: {
    read: count(1, 3_600, 50),
    about: 'How long one call with all: true goes on to ask for pages; many clients wait for a minute.',
    fallback: '50',
  },
  maxFileBytes: {
    read: count(1_048_576, 10_737_418_240, 100 * 1024 * 1024),
    about:
      'Largest file that may be uploaded, or come from an API, by handle. Files go through in parts: memory does not grow with them.',
    fallback: '104857600',
  },
  fileLinkSeconds: {
    read: count(10, 86_400, 600),
    about: 'How long an address is good at which a file can be downloaded or uploaded.',
    fallback: '600',
  },
  fastLane: {
    read: withDefault(flag, true),
    about: 'Answer the common MCP methods without the protocol library.',
    fallback: 'true',
  },
  otlpUrl: {
    read: webAddress,
    about: 'OpenTelemetry collector (OTLP over HTTP, JSON) that traces of calls are sent to.',
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
