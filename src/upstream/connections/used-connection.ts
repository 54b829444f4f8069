import { Client, type Dispatcher } from './undici-parts.ts';

/** What a request is dispatched with, when its sender wants to know the connection that it got. */
export interface SentOptions extends Dispatcher.DispatchOptions {
  readonly sentBy?: { connection: UsedConnection | null };
}

/** A connection of a pool that knows how often it was used since it was opened. */
export class UsedConnection extends Client {
  uses = 0;

  constructor(origin: URL, options: Client.Options) {
    super(origin, options);
    // Opened again whenever it is needed and was closed.
    this.on('disconnect', () => {
      this.uses = 0;
    });
  }

  override dispatch(options: SentOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.sentBy !== undefined) options.sentBy.connection = this;
    return super.dispatch(options, handler);
  }
}
