import type { StoreOptions } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/ports.ts';

/** A kind of store under test. What is opened here is closed after each test. */
export interface StorePlace {
  readonly name: string;
  /** Makes a new, empty place for a store. */
  readonly makeEmpty: () => Promise<StoreOptions>;
  readonly open: (place: StoreOptions) => Promise<Store>;
  readonly openEmpty: () => Promise<Store>;
}
