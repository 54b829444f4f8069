import type { RegisteredApis } from '../upstream/open-upstream.ts';
import type { Registry } from './registry.ts';
import { settingsOf } from './settings.ts';

/** The APIs of a registry, as `upstream/` follows them. */
export function registeredApis(registry: Registry): RegisteredApis {
  return {
    all: () => registry.snapshot.apis,
    egressAllow: () => settingsOf(registry.snapshot.settings).egressAllow ?? [],
    onChange(listener) {
      registry.onChange((_after, _before, changes) =>
        listener(
          changes
            .filter((change) => change.kind === 'api')
            .map((change) => (change.op === 'put' ? change.entity.id : change.id)),
        ),
      );
    },
  };
}
