import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import type { InputOf, PathOf, RouteAt } from '../api/routes.ts';
import { toastDone, toastProblem } from '../components/feedback/toasts.ts';
import { useText } from '../i18n/text.tsx';

interface Switchable {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

type TogglePath = '/apis/:api' | '/tools/:tool' | '/servers/:server';

/** Toggles an item immediately on the page, and back if the gateway rejects it or the user undoes it. */
export function useToggle<P extends TogglePath & PathOf<'PATCH'>>(
  path: P,
  listPath: PathOf<'GET'>,
  subject: Switchable,
  params: InputOf<RouteAt<'PATCH', P>>['params'],
): () => void {
  const t = useText();
  const queries = useQueryClient();
  const set = (enabled: boolean) => {
    const before = queries.getQueriesData({ queryKey: [listPath] });
    queries.setQueriesData({ queryKey: [listPath] }, (cached: unknown) =>
      withEnabled(cached, subject.id, enabled),
    );
    return request('PATCH', path, { params, body: { enabled } } as unknown as InputOf<RouteAt<'PATCH', P>>)
      .then(() => true)
      .catch((error: unknown) => {
        for (const [key, cached] of before) queries.setQueryData(key, cached);
        toastProblem(error);
        return false;
      })
      .finally(() => void queries.invalidateQueries());
  };
  const toggle = async () => {
    const enabled = !subject.enabled;
    // Clients notice right away when something is gone.
    if ((await set(enabled)) && !enabled)
      toastDone(t('undo.disabled', { name: subject.name }), {
        name: t('common.undo'),
        run: () => void set(true),
      });
  };
  return () => void toggle();
}

/** A cached reply with one item toggled, wherever the item is in it. */
export function withEnabled(cached: unknown, id: string, enabled: boolean): unknown {
  if (Array.isArray(cached)) return cached.map((entry) => withEnabled(entry, id, enabled));
  if (typeof cached !== 'object' || cached === null) return cached;
  const thing = cached as Record<string, unknown>;
  if (thing['id'] === id) return { ...thing, enabled };
  if (Array.isArray(thing['items'])) return { ...thing, items: withEnabled(thing['items'], id, enabled) };
  if (Array.isArray(thing['pages'])) return { ...thing, pages: withEnabled(thing['pages'], id, enabled) };
  return cached;
}
