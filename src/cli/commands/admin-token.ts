import { resetAdminToken } from '../../access/admin-token.ts';
import { storeLocation } from '../../config/store-location.ts';
import { type Command, exitCode, UsageError } from '../command.ts';

/** Replaces a lost admin token. */
export const adminToken: Command = {
  summary: 'create a new admin token',
  usage: '--reset',
  options: { reset: { type: 'boolean', about: 'Replace the token; the old one stops working immediately.' } },
  examples: ['handrail admin-token --reset'],
  async run(input) {
    if (input.options['reset'] !== true)
      throw new UsageError('the stored token cannot be shown, only replaced: use --reset');
    if (input.url !== undefined)
      throw new UsageError('run this on the machine with the data folder, without --url');
    const { openStore } = await import('../../storage/open-store.ts');
    const { Registry } = await import('../../registry/registry.ts');
    const store = await openStore(storeLocation(input.config));
    try {
      const token = await resetAdminToken(await Registry.load(store.registry));
      input.print(input.json ? JSON.stringify({ adminToken: token }) : token);
      return exitCode.ok;
    } finally {
      await store.close();
    }
  },
};
