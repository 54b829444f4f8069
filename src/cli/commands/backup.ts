import { isEmbedded } from '../../config/store-location.ts';
import { type Command, oneWord, UsageError } from '../command.ts';
import { showDone } from '../show.ts';

/** Copies the embedded store into one file, also while a gateway serves it. */
export const backup: Command = {
  summary: 'copy the embedded store into a file, also while it is served',
  usage: 'FILE',
  examples: [
    'handrail backup handrail-2026-11-15.db',
    'handrail backup /mnt/backups/handrail.db --data-dir /var/lib/handrail',
  ],
  async run(input) {
    const file = oneWord(input, 'the file');
    const { config } = input;
    if (!isEmbedded(config)) throw new UsageError('PostgreSQL has tools of its own for backups: use pg_dump');
    if (input.url !== undefined)
      throw new UsageError('the copy is made on the machine that holds the data folder, without --url');
    const { backupStore } = await import('../../storage/sqlite/backup.ts');
    await backupStore(config.dataDir, file);
    return showDone(
      input,
      `${file}: written. Keep secret.key from the data folder as well: without it the stored secrets cannot be opened.`,
      { file },
    );
  },
};
