import { isEmbedded } from '../../config/store-location.ts';
import type { Store } from '../../storage/ports.ts';
import { counted } from '../../lib/text/amounts.ts';
import { type Command, type CommandInput, oneWord, UsageError } from '../command.ts';
import { showDone } from '../show.ts';

/** Puts a backup into the data folder. */
export const restore: Command = {
  summary: 'put a backup of the embedded store into the data folder',
  usage: 'FILE [--replace] [--accept-missing-wal]',
  options: {
    replace: {
      type: 'boolean',
      about:
        'Replace the store in the data folder. It is kept under another name; the gateway must be stopped.',
    },
    'accept-missing-wal': {
      type: 'boolean',
      about: 'Use a copy of a live handrail.db that lacks handrail.db-wal, without what was in there.',
    },
  },
  examples: [
    'handrail restore handrail-2026-11-15.db',
    'handrail restore /mnt/backups/handrail.db --data-dir /var/lib/handrail --replace',
  ],
  async run(input) {
    const backupFile = oneWord(input, 'the file');
    const { config } = input;
    if (!isEmbedded(config))
      throw new UsageError('the store is PostgreSQL, so restore it with pg_restore or psql');
    if (input.url !== undefined)
      throw new UsageError('run this on the machine with the data folder, without --url');
    const { restoreStore } = await import('../../storage/sqlite/restore.ts');
    const { inspected, keptAs } = await restoreStore({
      dataDir: config.dataDir,
      backupFile,
      replace: input.options['replace'] === true,
      acceptMissingWal: input.options['accept-missing-wal'] === true,
      nowMs: Date.now(),
      inspect: (store) => describeStore(input, store),
    });
    const { counts, keyWarning } = inspected;
    const sentences = [
      `Restored ${counts} to ${config.dataDir}.`,
      ...(keptAs === null
        ? []
        : [`The previous store is now ${keptAs}; delete it when you no longer need it.`]),
      ...(keyWarning === null ? [] : [keyWarning]),
    ];
    return showDone(input, sentences.join('\n'), { restored: counts, keptAs, keyWarning });
  },
};

async function describeStore({ config }: CommandInput, store: Store) {
  const { loadMasterKey } = await import('../../credentials/master-key.ts');
  const { apis, tools, servers } = await store.registry.load();
  const counts = [
    counted(apis.length, 'API'),
    counted(tools.length, 'tool'),
    counted(servers.length, 'server'),
  ].join(', ');
  const { warning } = await loadMasterKey({
    ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
    ...(config.secretCommand !== undefined && { secretCommand: config.secretCommand }),
    dataDir: config.dataDir,
    meta: store.meta,
  });
  return { counts, keyWarning: warning };
}
