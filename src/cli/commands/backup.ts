import { isEmbedded } from '../../config/store-location.ts';
import { type Command, oneWord, UsageError } from '../command.ts';
import { showDone } from '../show.ts';

/** Copies the embedded store to one file, even while a gateway is using it. */
export const backup: Command = {
  summary: 'copy the embedded store to a file, even while a gateway is using it',
  usage: 'FILE',
  examples: [
    'handrail backup handrail-2026-11-15.db',
    'handrail backup /mnt/backups/handrail.db --data-dir /var/lib/handrail',
  ],
  async run(input) {
    const file = oneWord(input, 'the file');
    const { config } = input;
    if (!isEmbedded(config)) throw new UsageError('the store is PostgreSQL, so back it up with pg_dump');
    if (input.url !== undefined)
      throw new UsageError('run this on the machine with the data folder, without --url');
    const { backupStore } = await import('../../storage/sqlite/backup.ts');
    await backupStore(config.dataDir, file);
    return showDone(
      input,
      `${file}: written. Also keep secret.key from the data folder: without it the stored secrets cannot be decrypted.`,
      { file },
    );
  },
};
