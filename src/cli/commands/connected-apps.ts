import type { z } from 'zod';
import type { connectedAppResource } from '../../http/contract/connected-apps.ts';
import { withAdminClient } from '../admin-client.ts';
import type { Command } from '../command.ts';
import { runNounAction } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type AppView = z.output<typeof connectedAppResource>;

/** Lists and disconnects the apps that people signed in with. */
export const connectedApps: Command = {
  summary: 'list or disconnect the apps that people signed in with',
  usage: '[list] | show|revoke APP-ID',
  options: {},
  examples: ['handrail connected-apps', 'handrail connected-apps revoke grant_5f0c…'],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<AppView>(input, client, {
        noun: 'the id of the connected app',
        path: '/connected-apps',
        isEditable: false,
        shape: {
          empty:
            'No apps are connected yet. People connect them by URL once a server uses sign-in: "handrail servers update SLUG --policy sign-in".',
          heading: ['ID', 'APP', 'PERSON', 'SERVER', 'MAY', 'LAST USED'],
          row: (app) => [
            app.id,
            app.domain === undefined ? `${app.name} (unverified)` : `${app.name} (${app.domain})`,
            app.person.name,
            app.server,
            app.kinds.join(', ') || 'nothing',
            app.lastUsedAt ?? 'never',
          ],
        },
        own: {
          async revoke(id) {
            await client.request('DELETE', `/connected-apps/${encodeURIComponent(id)}`);
            return showDone(input, `${id}: disconnected`);
          },
        },
      }),
    ),
};
