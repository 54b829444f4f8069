import type { z } from 'zod';
import type { settingsResource } from '../../http/contract/settings.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';

type SettingsView = z.output<typeof settingsResource>;

/** Lists and changes the private addresses at which APIs may be called. */
export const egress: Command = {
  summary: 'list, allow or disallow private addresses for API calls',
  usage: '[allow|disallow ADDRESS…]',
  examples: [
    'handrail egress',
    'handrail egress allow 127.0.0.1:9000',
    'handrail egress allow billing.internal:8443 10.20.0.0/16',
    'handrail egress disallow 10.20.0.0/16',
  ],
  run(input) {
    const [action, ...addresses] = input.words;
    return withAdminClient(input, async (client) => {
      const settings = await client.request<SettingsView>('GET', '/settings');
      const { egressAllow: own, fromEnvironment } = settings;
      if (action === undefined) {
        const entries = [
          ...own.map((address) => ({ address, from: 'settings' })),
          ...fromEnvironment.egressAllow.map((address) => ({ address, from: 'HANDRAIL_EGRESS_ALLOW' })),
        ];
        return showList(input, entries, {
          empty: 'Only public addresses. "handrail egress allow 127.0.0.1:9000" allows a private one.',
          heading: ['ADDRESS', 'ALLOWED BY'],
          row: ({ address, from }) => [address, from],
        });
      }
      if (action !== 'allow' && action !== 'disallow') throw new UsageError(`unknown action "${action}"`);
      if (addresses.length === 0) throw new UsageError('the address is missing, such as 127.0.0.1:9000');
      const unknown = addresses.find((address) => action === 'disallow' && !own.includes(address));
      if (unknown !== undefined)
        throw new UsageError(
          fromEnvironment.egressAllow.includes(unknown)
            ? `${unknown} is allowed by HANDRAIL_EGRESS_ALLOW: remove it there`
            : `${unknown} is not in the list that "handrail egress" prints`,
        );
      const rest = own.filter((address) => !addresses.includes(address));
      const egressAllow = action === 'allow' ? [...rest, ...new Set(addresses)] : rest;
      const changed = await client.request<SettingsView>(
        'PATCH',
        '/settings',
        { egressAllow },
        // Fails if someone else changed the list in the meantime, instead of undoing their change.
        { 'if-match': String(settings.revision) },
      );
      return showDone(input, `${addresses.join(', ')}: ${action}ed`, { egressAllow: changed.egressAllow });
    });
  },
};
