import { useSyncExternalStore } from 'react';

/** A value shared by components far apart in the tree. Using it in a component subscribes to it. */
export function createSharedState<T>(initial: T): {
  readonly read: () => T;
  readonly set: (next: T) => void;
  readonly use: () => T;
} {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    read: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}
