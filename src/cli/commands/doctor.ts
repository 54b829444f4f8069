import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type SettingName, settings, type Config } from '../../config/settings.ts';
import { isEmbedded, storeLocation } from '../../config/store-location.ts';
import { toHandrailError } from '../../domain/errors.ts';
import { sentenceOf, nounNames, labelOfRow, type SetAsideRow } from '../../domain/stored/read-stored.ts';
import { mask } from '../../lib/secrets/mask-secrets.ts';
import { type Command, type CommandInput, exitCode, UsageError } from '../command.ts';
import { checkApis, type Check } from '../doctor/check-apis.ts';
import { checkClients } from '../doctor/check-clients.ts';
import { paint } from '../show.ts';
import { counted } from '../../lib/text/amounts.ts';
import { keysOf } from '../../lib/json/plain-object.ts';

/** Prints the effective configuration and looks for problems that would keep the gateway from working. */
export const doctor: Command = {
  summary: 'check the configuration, store, disk, port, APIs, credentials and MCP clients',
  usage: '[--offline]',
  options: { offline: { type: 'boolean', about: 'Send nothing to any API.' } },
  examples: ['handrail doctor', 'handrail doctor --offline', 'handrail doctor --json'],
  async run(input) {
    const { config, json, print, url } = input;
    if (url !== undefined)
      throw new UsageError('doctor checks this machine: run it where the gateway runs, without --url');
    const store = await checkStore(config);
    const apis = store[0]?.ok
      ? await checkApis(config, input.options['offline'] === true)
      : { checks: [], opened: null };
    const checks = [
      ...store,
      await checkCallRecords(config),
      await checkAudit(config),
      await checkMasterKey(config),
      await checkDisk(config),
      await checkPort(config, apis.opened?.listeningAt),
      ...(await checkEmbeddings(config)),
      ...(await checkBudgets(config)),
      ...apis.checks,
      ...checkClients(config.dataDir, apis.opened),
    ];
    const shown = Object.fromEntries(keysOf(settings).map((name) => [name, showValue(name, config)]));
    if (json) {
      print(JSON.stringify({ config: shown, checks }));
    } else {
      const width = Math.max(...Object.keys(shown).map((name) => name.length));
      print('Configuration:');
      for (const [name, value] of Object.entries(shown))
        print(`  ${name.padEnd(width)} ${shownValue(value)}`);
      print('');
      print('Checks:');
      for (const check of checks) printCheck(input, check);
    }
    return checks.every((check) => check.ok) ? exitCode.ok : exitCode.failed;
  },
};

function printCheck({ print, color }: CommandInput, { ok, name, detail, fix }: Check): void {
  const mark = ok ? 'ok  ' : 'FAIL';
  print(`  ${color ? paint(ok ? 'good' : 'bad', mark) : mark} ${name}: ${detail}`);
  if (fix !== undefined) print(`       → ${fix}`);
}

function shownValue(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '–';
  return typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
}

function showValue(name: SettingName, config: Config): unknown {
  const isSecret = 'secret' in settings[name];
  const value = config[name];
  return isSecret && value !== undefined ? mask : (value ?? null);
}

async function checkStore(config: Config): Promise<Check[]> {
  const { openStore } = await import('../../storage/open-store.ts');
  try {
    const store = await openStore(storeLocation(config));
    try {
      await store.ping();
      const { apis, tools, servers, setAside } = await store.registry.load();
      const counts = [
        counted(apis.length, 'API'),
        counted(tools.length, 'tool'),
        counted(servers.length, 'server'),
      ].join(', ');
      const damage = await store.damage('all');
      return [
        { name: 'store', ok: damage === null, detail: damage ?? `${store.kind} with ${counts}` },
        checkRows(setAside),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [{ name: 'store', ok: false, detail: toHandrailError(error).message }];
  }
}

const maxRows = 10;

function checkRows(setAside: readonly SetAsideRow[]): Check {
  if (setAside.length === 0)
    return { name: 'stored rows', ok: true, detail: 'every row of the registry can be read' };
  const shownRows = setAside
    .slice(0, maxRows)
    .map((row) => `${nounNames[row.kind]} ${labelOfRow(row)} (${row.id}): ${sentenceOf(row.problems)}`);
  const more = setAside.length > maxRows ? `; and ${setAside.length - maxRows} more` : '';
  return {
    name: 'stored rows',
    ok: false,
    detail: `${setAside.length} cannot be read and were set aside ("handrail set-aside" lists and deletes them): ${shownRows.join('; ')}${more}`,
  };
}

async function checkCallRecords(config: Config): Promise<Check> {
  const name = 'call records';
  const { openStore } = await import('../../storage/open-store.ts');
  try {
    const store = await openStore(storeLocation(config));
    try {
      // Damage is only found by reading records.
      const { calls } = await store.calls.find({}, 100);
      const { newer, damaged } = await store.calls.unreadable();
      const findings = [
        ...(newer > 0
          ? [`${newer} were written by a newer version of Handrail: they are kept but not shown`]
          : []),
        ...(damaged > 0
          ? [`${damaged} of those read are damaged and not shown: restore a backup to recover them`]
          : []),
      ];
      return {
        name,
        ok: findings.length === 0,
        detail:
          findings.join('; ') ||
          (calls.length === 0
            ? 'none yet'
            : `the newest ${calls.length} can be read, and none is from a newer version`),
      };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, ok: false, detail: toHandrailError(error).message };
  }
}

/** Lines that no target received for this long are a problem. */
const maxAuditWaitMs = 15 * 60_000;

/** Verifies the chain of the audit log, and looks for lines that couldn't be sent. */
async function checkAudit(config: Config): Promise<Check> {
  const name = 'audit log';
  const [{ openStore }, { verifyAudit }, { sentFact }] = await Promise.all([
    import('../../storage/open-store.ts'),
    import('../../storage/verify-audit.ts'),
    import('../../domain/audit.ts'),
  ]);
  try {
    const store = await openStore(storeLocation(config));
    try {
      const { lines, faults } = await verifyAudit(store.audit);
      const findings = faults.map(({ message }) => message);
      for (const [target, place] of [
        ['webhook', config.auditWebhookUrl],
        ['file', config.auditFile],
      ] as const) {
        if (place === undefined) continue;
        const sent = Number((await store.meta.get(sentFact(target))) ?? 0);
        const [next] = await store.audit.linesAfter(sent, 1);
        if (next !== undefined && next.atMs < Date.now() - maxAuditWaitMs)
          findings.push(
            `The ${target} has lines up to ${sent} only; the next waits since ${new Date(next.atMs).toISOString()}. The log of the gateway says why.`,
          );
      }
      const detail = findings.join(' ') || `${counted(lines, 'line')}, none changed since it was written`;
      return { name, ok: findings.length === 0, detail };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, ok: false, detail: toHandrailError(error).message };
  }
}

async function checkMasterKey(config: Config): Promise<Check> {
  const [{ openStore }, { loadMasterKey }] = await Promise.all([
    import('../../storage/open-store.ts'),
    import('../../credentials/master-key.ts'),
  ]);
  try {
    const store = await openStore(storeLocation(config));
    try {
      const { ring, warning } = await loadMasterKey({
        ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
        ...(config.secretCommand !== undefined && { secretCommand: config.secretCommand }),
        dataDir: isEmbedded(config) ? config.dataDir : null,
        meta: store.meta,
      });
      return {
        name: 'master key',
        ok: warning === null,
        detail: warning ?? `key ${ring.current().id} is available`,
      };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name: 'master key', ok: false, detail: toHandrailError(error).message };
  }
}

async function checkDisk(config: Config): Promise<Check> {
  if (!isEmbedded(config)) return { name: 'disk', ok: true, detail: 'not used: the store is PostgreSQL' };
  try {
    const { bavail, bsize } = await statfs(config.dataDir);
    const freeMb = Math.floor((bavail * bsize) / 1_048_576);
    return { name: 'disk', ok: freeMb >= 100, detail: `${freeMb} MB free in the data folder` };
  } catch {
    return { name: 'disk', ok: false, detail: 'the data folder cannot be read' };
  }
}

/**
 * Requests one vector from the embeddings endpoint, if configured: search silently works without it, so problems only
 * show up here.
 */
async function checkEmbeddings(config: Config): Promise<Check[]> {
  if (config.embeddingsUrl === undefined) return [];
  const { tryEmbeddings } = await import('../../mcp/built-in/embeddings/try-embeddings.ts');
  return [{ name: 'embeddings', ...(await tryEmbeddings(config, config.embeddingsUrl)) }];
}

/** Contacts the server of shared limits, if configured: calls work without it, so problems only show up here. */
async function checkBudgets(config: Config): Promise<Check[]> {
  if (config.budgetsUrl === undefined) return [];
  const { tryRedis } = await import('../../budgets/redis/try-redis.ts');
  return [{ name: 'shared limits', ...(await tryRedis(config.budgetsUrl)) }];
}

function checkPort({ host, port }: Config, listeningAt: string | undefined): Promise<Check> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === 'EADDRINUSE';
      // A port used by the gateway being checked is not a problem.
      const isOwn = isInUse && listeningAt !== undefined && Number(new URL(listeningAt).port) === port;
      const detail = isOwn
        ? `${host}:${port} is in use, apparently by the gateway on this data folder`
        : isInUse
          ? `${host}:${port} is in use by another program`
          : `cannot listen on ${host}:${port}`;
      resolve({
        name: 'port',
        ok: isOwn,
        detail,
        ...(!isOwn && { fix: 'choose another with --port or HANDRAIL_PORT' }),
      });
    });
    probe.listen(port, host, () =>
      probe.close(() => resolve({ name: 'port', ok: true, detail: `${host}:${port} is free` })),
    );
  });
}
