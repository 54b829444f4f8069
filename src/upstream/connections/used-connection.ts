import { Client, type Dispatcher } from './undici-parts.ts';

/** Dispatch options of a sender that needs to know which connection it got. */
export interface SentOptions extends Dispatcher.DispatchOptions {
  readonly sentBy?: { connection: UsedConnection | null };
}

/** A pooled connection that counts its uses since it was opened. */
export class UsedConnection extends Client {
  uses = 0;

  constructor(origin: URL, options: Client.Options) {
    super(origin, options);
    // A closed connection is reopened on demand.
    this.on('disconnect', () => {
      this.uses = 0;
    });
  }

  override dispatch(options: SentOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.sentBy !== undefined) options.sentBy.connection = this;
    return super.dispatch(options, handler);
  }
}
