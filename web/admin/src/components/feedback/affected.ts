import { request } from '../../api/client.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';
import type { Translate } from '../../i18n/text.tsx';

/** Tools, an API or a server that are about to go. */
export type Going = BodyOf<RouteAt<'POST', '/affected'>>;

const maxNamed = 3;

/** A sentence that says which servers list something and how much it was called; empty if that can't be found out. */
export async function affectedText(t: Translate, going: Going): Promise<string> {
  try {
    const { servers, calls } = await request('POST', '/affected', { body: going });
    const named = servers.slice(0, maxNamed).join(', ');
    const names = servers.length > maxNamed ? `${named}, …` : named;
    return [
      servers.length > 0 && t('affected.servers', { count: servers.length, names }),
      t('affected.calls', { count: calls }),
    ]
      .filter(Boolean)
      .join(' ');
  } catch {
    return '';
  }
}
