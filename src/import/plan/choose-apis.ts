import type { ApiDescription } from '../../domain/description.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { mediaKind } from '../../lib/text/media-type.ts';

const maxOffered = 20;

/**
 * Which APIs of a document are imported. A browser recording has a hundred hosts, most of which sent pictures and
 * scripts: if one is wanted, those that answered with data are offered, and a sole one is chosen.
 */
export function chooseApis(
  apis: readonly ApiDescription[],
  { api, host }: { readonly api?: string; readonly host?: string },
): readonly ApiDescription[] {
  if (host !== undefined) return [hostCalled(host, apis)];
  const withTools = apis.filter(({ operations }) => operations.some(({ content }) => content !== null));
  // A host that only sent parts of pages is not an API.
  const worth = apis.some(({ kind }) => kind === 'har') && withTools.length > 0 ? withTools : apis;
  if (api === undefined || worth.length <= 1) return worth;
  const answered = worth.filter((one) => answersOf(one) > 0);
  if (answered.length === 1) return answered;
  throw importErrors.severalApis(
    { count: apis.length, hosts: offer(answered.length > 0 ? answered : worth) },
    { problems: [{ path: '/host', message: 'is missing' }] },
  );
}

function hostCalled(host: string, apis: readonly ApiDescription[]): ApiDescription {
  const wanted = host.toLowerCase();
  const found = apis.find(
    ({ baseUrls, wantedSlug }) =>
      wantedSlug === wanted ||
      baseUrls.some((url) => new URL(url).host === wanted || new URL(url).origin === wanted),
  );
  if (found) return found;
  throw importErrors.unknownHost(
    { host: JSON.stringify(host.slice(0, 100)), hosts: offer(apis) },
    { problems: [{ path: '/host', message: 'is not among its hosts' }] },
  );
}

// How many operations answered with data.
function answersOf({ operations }: ApiDescription): number {
  return operations.filter(({ content }) => {
    const kinds = (content?.operation.accept ?? '').split(',').map(mediaKind);
    return kinds.some((kind) => kind === 'json' || kind === 'xml' || kind === 'lines');
  }).length;
}

function offer(apis: readonly ApiDescription[]): string {
  const sorted = apis.toSorted(
    (a, b) => answersOf(b) - answersOf(a) || b.operations.length - a.operations.length,
  );
  const shown = sorted.slice(0, maxOffered).map(({ name, operations }) => {
    const count = operations.filter(({ content }) => content !== null).length;
    return `${name} (${count} ${count === 1 ? 'operation' : 'operations'})`;
  });
  const rest = sorted.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
