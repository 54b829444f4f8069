import type { z } from 'zod';
import type { credentialRoutes } from '../../http/contract/credentials.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode } from '../command.ts';

/** Seals every credential with a new master key, even while a gateway is using the store. */
export const rotateKey: Command = {
  summary: 'seal all credentials with a new master key',
  usage: '[--lost-key]',
  options: {
    'lost-key': {
      type: 'boolean',
      about: 'The current key is lost: start with a new one; its secrets must be entered again.',
    },
  },
  needsStore: true,
  examples: ['handrail rotate-key', 'HANDRAIL_SECRET_KEY=new,old handrail rotate-key'],
  run(input) {
    return withAdminClient(input, async (client) => {
      const done = await client.request<z.output<(typeof credentialRoutes.rotateKey)['reply']>>(
        'POST',
        '/credentials/rotate-key',
        {
          lostKey: input.options['lost-key'] === true,
        },
      );
      if (input.json) input.print(JSON.stringify(done));
      else {
        input.print(`${done.resealed} credentials are now sealed with the master key ${done.keyId}.`);
        for (const name of done.unreadable) input.print(`Enter again: ${name}`);
        if (input.config.secretKey?.includes(','))
          input.print('The old key can be removed from HANDRAIL_SECRET_KEY.');
      }
      return exitCode.ok;
    });
  },
};
