import type { ApiDescription } from '../../domain/description.ts';
import { HandrailError } from '../../domain/errors.ts';
import { mediaKind } from '../../lib/text/media-type.ts';

const maxOffered = 20;

/**
 * Which APIs of a document are imported. A recording of a browser holds a hundred hosts, most of which sent pictures and
 * scripts: where one is wanted, those that answered with data are offered, and the only one is taken.
 */
export function chooseApis(
  apis: readonly ApiDescription[],
  { api, host }: { readonly api?: string; readonly host?: string },
): readonly ApiDescription[] {
  if (host !== undefined) return [hostCalled(host, apis)];
  const withTools = apis.filter(({ operations }) => operations.some(({ content }) => content !== null));
  // A host that sent nothing but parts of pages is no API.
  const worth = apis.some(({ kind }) => kind === 'har') && withTools.length > 0 ? withTools : apis;
  if (api === undefined || worth.length <= 1) return worth;
  const answered = worth.filter((one) => answersOf(one) > 0);
  if (answered.length === 1) return answered;
  throw new HandrailError(
    'invalid_input',
    `The document describes ${apis.length} APIs, and one was named: ${offer(answered.length > 0 ? answered : worth)}. Choose one by its host (--host on the command line), or import them all without naming one.`,
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
  throw new HandrailError(
    'invalid_input',
    `The document has nothing of the host ${JSON.stringify(host.slice(0, 100))}: ${offer(apis)}.`,
    { problems: [{ path: '/host', message: 'is not among its hosts' }] },
  );
}

// How many operations answered with something that a program reads.
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
