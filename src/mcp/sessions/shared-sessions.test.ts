import { expect, it } from 'vitest';
import { connectedSiblings } from '../../../test/support/servers/siblings.ts';
import { createLiveSessions } from './live-sessions.ts';
import type { Session } from './session-token.ts';
import { shareSessions } from './shared-sessions.ts';

const session: Session = {
  id: 'session',
  serverId: 'srv_demo',
  callerId: 'anonymous',
  revision: '2025-11-25',
  client: null,
  capabilities: {},
  expiresAtMs: 1,
};

it('knows at every worker what a client subscribed to and which log level it wants', async () => {
  const workers = connectedSiblings(3).map((siblings) => {
    const live = createLiveSessions({ has: () => false, add: async () => {} });
    return { live, shared: shareSessions(live, siblings) };
  });
  const [first, ...others] = workers as [(typeof workers)[0], ...typeof workers];
  const here = first.live.of(session);
  const known = () =>
    others.map(({ live }) => {
      const there = live.byId('session');
      return [[...(there?.subscriptions ?? [])], there?.logLevel];
    });

  here.subscriptions.add('test://one').add('test://two');
  first.shared.publishState(here);
  await expect.poll(known).toEqual([
    [['test://one', 'test://two'], undefined],
    [['test://one', 'test://two'], undefined],
  ]);

  here.subscriptions.delete('test://one');
  here.logLevel = 'error';
  first.shared.publishState(here);
  await expect.poll(known).toEqual([
    [['test://two'], 'error'],
    [['test://two'], 'error'],
  ]);
});
