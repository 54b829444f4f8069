import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isPrivateToThisMachine } from '../../config/reachable.ts';
import type { Config } from '../../config/settings.ts';
import type { AuthScheme } from '../../domain/auth-scheme.ts';
import { cliErrors } from '../../domain/error-messages/cli.ts';
import { secretFields } from '../../domain/secret-fields.ts';
import { defaultServerSlug, type ServerMode, serverModes } from '../../domain/server.ts';
import { kindOf, type ToolKind } from '../../domain/tool.ts';
import type { Gateway } from '../../gateway.ts';
import { readSelection } from '../../import/plan/select.ts';
import { findDocument } from '../../import/sources/find-document.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { isLoopback } from '../../lib/network/address-list.ts';
import { addressKind, parseAddress, parseNetworkList } from '../../lib/network/network-list.ts';
import { type AdminClient, localClient } from '../admin-client.ts';
import { type CommandInput, text, texts, UsageError } from '../command.ts';
import { readAuth, readImportSource } from '../import-source.ts';
import { type ImportsView, leftOut } from '../show-imports.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import { allToolsOf } from '../../registry/snapshot.ts';
import { asAddress } from '../document-word.ts';

/** One document that is served by a gateway of its own. */
export interface OpenedDocument {
  readonly gateway: Gateway;
  readonly client: AdminClient;
  readonly imports: ImportsView;
  /** The server that has its tools. */
  readonly slug: string;
  /** The document as a later command line can name it. */
  readonly source: string;
  /** Where it was found, if that isn't `source`. */
  readonly foundAt: string | undefined;
  readonly kinds: Readonly<Record<ToolKind, number>>;
  /** A private address that its calls need and that was not typed. */
  readonly blocked: string | null;
  /** The scheme whose credential is missing; null if there is none. */
  readonly needs: AuthScheme | null;
  /** Stores the secret for its calls. */
  setCredential(secret: string): Promise<void>;
  /** Lets calls go without the missing credential: many APIs answer some of them. Not with `--save`. */
  callWithout(): Promise<void>;
  /** Allows the blocked address until this process ends, or for good with `--save`. */
  allow(address: string): Promise<void>;
  close(leaveMs?: number): Promise<void>;
}

/**
 * Serves one document: opens a gateway on a temporary folder (the data folder with `--save`), imports the document
 * and publishes it. The address that was typed may be private; every other address is checked as always.
 */
export async function openDocument(
  input: CommandInput,
  word: string,
  warn: (line: string) => void,
): Promise<OpenedDocument> {
  if (input.url !== undefined)
    throw new UsageError('a document and --url exclude each other: "handrail import" imports into a gateway');
  const { mode, ...asked } = readOptions(input);
  const saves = input.options['save'] === true;
  const address = asAddress(word);
  const folder = saves ? null : await makeFolder();
  const adminToken = randomUUID();
  const { createGateway } = await import('../../gateway.ts');
  const config: Config = {
    ...input.config,
    ...(folder !== null && {
      dataDir: folder,
      databaseUrl: undefined,
      budgetsUrl: undefined,
      secretKey: randomBytes(32).toString('base64'),
    }),
    workers: 1,
    demo: false,
    adminToken,
    egressAllow: [
      ...input.config.egressAllow,
      ...typedPlaces([address, asked.baseUrl].filter((url) => url !== null && url !== undefined)),
    ],
    logLevel: input.config.logLevel === 'info' ? 'warn' : input.config.logLevel,
  };
  let gateway: Gateway | undefined;
  const close = async (leaveMs?: number): Promise<void> => {
    try {
      await gateway?.close(leaveMs);
    } finally {
      if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  try {
    if (!isPrivateToThisMachine(config) && !config.allowOpen) throw cliErrors.documentOnlyHere();
    gateway = await createGateway(config);
    const client = localClient(gateway, adminToken);
    const found = address === null ? null : await findDocument(address, gateway.context.fetch, Date.now);
    const { body, alsoRead } =
      found === null
        ? await readImportSource(word, undefined)
        : 'url' in found
          ? { body: { url: found.url }, alsoRead: [] }
          : { body: { text: found.text, ...(found.baseUrl && { baseUrl: found.baseUrl }) }, alsoRead: [] };
    for (const file of alsoRead) warn(`also read: ${file}`);
    const imports = await client.request<ImportsView>('POST', '/imports', { ...body, ...asked });
    const slug = await publish(gateway, client, imports, { saves, mode });
    const { snapshot } = gateway.registry;
    const apis = imports.imports.flatMap(({ api }) => snapshot.apiBySlug.get(api) ?? []);
    const tools = apis.flatMap(({ id }) => allToolsOf(snapshot, id));
    const [first] = apis;
    if (first === undefined || tools.length === 0) {
      const [why = 'it describes none'] = leftOut(imports.imports, 1).lines;
      throw cliErrors.documentWithoutTools({ document: word, why });
    }
    const kinds = { read: 0, write: 0, destructive: 0 };
    for (const tool of tools) kinds[kindOf(tool)]++;
    const isReady =
      first.auth.kind === 'none' ||
      [...snapshot.credentials.values()].some(({ apiId }) => apiId === first.id);
    const opened: OpenedDocument = {
      gateway,
      client,
      imports,
      slug,
      source: address ?? resolve(word),
      foundAt: found === null ? undefined : 'url' in found ? found.url : found.page,
      kinds,
      blocked: blockedPlace(first.baseUrl, config.egressAllow),
      needs: isReady ? null : first.auth,
      async setCredential(secret) {
        await client.request('POST', '/credentials', {
          api: first.slug,
          fields: fieldsFor(first.auth, secret),
        });
      },
      async callWithout() {
        if (!saves) await client.request('PATCH', `/apis/${first.slug}`, { auth: { kind: 'none' } });
      },
      async allow(place) {
        const { revision, egressAllow } = await client.request<{ revision: number; egressAllow: string[] }>(
          'GET',
          '/settings',
        );
        await client.request(
          'PATCH',
          '/settings',
          { egressAllow: [...egressAllow, place] },
          { 'if-match': String(revision) },
        );
      },
      close,
    };
    const secret = text(input, 'credential') ?? process.env['HANDRAIL_CREDENTIAL'];
    if (secret === undefined || secret === '') return opened;
    await opened.setCredential(secret);
    return { ...opened, needs: null };
  } catch (error) {
    await close();
    throw error;
  }
}

function readOptions(input: CommandInput) {
  const mode = serverModes.find((one) => one === text(input, 'mode'));
  if (mode === undefined && text(input, 'mode') !== undefined)
    throw new UsageError(`--mode must be one of ${serverModes.join(', ')}`);
  const selected = readSelection(texts(input, 'select'));
  const select = input.options['read-only'] === true ? { ...selected, kinds: ['read'] } : selected;
  const baseUrl = text(input, 'base-url');
  const auth = readAuth(text(input, 'auth'));
  return {
    mode,
    ...(select && { select }),
    ...(baseUrl !== undefined && { baseUrl: asAddress(baseUrl) ?? baseUrl }),
    ...(auth && { auth }),
  };
}

/** Publishes what was imported: as the only server of a temporary folder, or as one more of a lasting one. */
async function publish(
  { registry }: Gateway,
  client: AdminClient,
  { imports }: ImportsView,
  { saves, mode }: { readonly saves: boolean; readonly mode: ServerMode | undefined },
): Promise<string> {
  const [first] = imports;
  if (first === undefined) return defaultServerSlug;
  const shown = { name: first.name, ...(mode !== undefined && { mode }) };
  if (!saves) {
    await client.request('PATCH', `/servers/${defaultServerSlug}`, shown);
    return defaultServerSlug;
  }
  const slug = first.api;
  const tools = imports.map(({ api }) => ({ api }));
  if (registry.snapshot.view(slug) === undefined)
    await client.request('POST', '/servers', { slug, ...shown, tools, policy: 'open' });
  else await client.request('PATCH', `/servers/${slug}`, { tools, ...(mode !== undefined && { mode }) });
  return slug;
}

/** The secret fields in what someone typed. */
function fieldsFor(auth: AuthScheme, secret: string): Record<string, string> {
  const names = secretFields(auth);
  if (names.length === 0) throw cliErrors.credentialNotNeeded();
  let given: unknown;
  try {
    given = secret.trimStart().startsWith('{') ? JSON.parse(secret) : undefined;
  } catch {
    given = undefined;
  }
  if (isObject(given))
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const [one, ...more] = names;
  if (more.length === 0) return { [one!]: secret };
  const colon = secret.indexOf(':');
  if (auth.kind === 'basic' && colon > 0)
    return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
  throw cliErrors.credentialFields({ kind: auth.kind, fields: names.join(', ') });
}

/** The places behind typed addresses; every name of this machine for a loopback address. */
function typedPlaces(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return [];
    const url = new URL(address);
    const port = portOf(url);
    const hosts = isLoopback(url.hostname) ? ['localhost', '127.0.0.1', '[::1]'] : [url.hostname];
    return hosts.map((host) => `${host}:${port}`);
  });
}

/** The private address that calls would be refused to; null if there is none. Names are only resolved when called. */
function blockedPlace(baseUrl: string, allowed: readonly string[]): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const url = new URL(baseUrl);
  const address = parseAddress(url.hostname === 'localhost' ? '127.0.0.1' : url.hostname);
  if (address === null || addressKind(address) !== 'internal') return null;
  const list = parseNetworkList(allowed);
  const port = portOf(url);
  return list.matchesAddress(address, port) || list.matchesHost(url.hostname, port)
    ? null
    : `${url.hostname}:${port}`;
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

const folderName = /^handrail-open-(\d+)-/;

/** A folder for this process only. Folders of processes that ended without removing theirs are removed. */
async function makeFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const owner = Number(folderName.exec(name)?.[1]);
    if (Number.isInteger(owner) && !isRunning(owner))
      // A folder of someone else's can't be removed, and needn't be.
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(join(tmpdir(), `handrail-open-${process.pid}-`));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
