import { ConnectPanel } from '../servers/connect/ConnectPanel.tsx';
import { FirstCall } from './FirstCall.tsx';
import type { PublishedServer } from './PublishForm.tsx';

/** A newly published server: its key, how to connect, and the first call. */
export function Published({ published: { server, key, atMs } }: { published: PublishedServer }) {
  return (
    <>
      <FirstCall server={server.slug} sinceMs={atMs} />
      <ConnectPanel server={server} madeKey={key?.value ?? null} />
    </>
  );
}
