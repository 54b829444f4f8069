import { ConnectPanel } from '../servers/connect/ConnectPanel.tsx';
import { FirstCall } from './FirstCall.tsx';
import type { PublishedServer } from './PublishForm.tsx';

/** A server that was just published: its key and how to connect, and the first call when it comes. */
export function Published({ published: { server, key, atMs } }: { published: PublishedServer }) {
  return (
    <>
      <FirstCall server={server.slug} sinceMs={atMs} />
      <ConnectPanel server={server} madeKey={key?.value ?? null} />
    </>
  );
}
