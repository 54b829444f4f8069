import type { Pagination } from '../../domain/operation.ts';
import { askText } from '../../domain/pages/follow-up.ts';
import { kindOf } from '../../domain/tool.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { cleanText } from '../../pipeline/reply/clean-text.ts';
import { nextLink } from '../../pipeline/reply/reply-headers.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import { matchPath } from '../jobs/match-path.ts';
import { findFollowing, type Following } from './find-next.ts';
import { valueOf } from './formats/json-pages.ts';
import { openPages } from './formats/open-pages.ts';
import { type Page, readSync } from './formats/page-format.ts';
import { type After, firstStep, givenAt, nextStep, pagingOf } from './next-step.ts';
import { readAddress } from './page-address.ts';

// Reading a reply a second time is only worth it while that takes less time than the call.
const maxReadBytes = 128 * 1024;
const maxChangeLength = 200;
// Shorter lists are unlikely to be one page of several.
const minPageSize = 10;

/** One line that says that a reply is not the whole list and how to continue; null if it may be the whole list. */
export function moreLine(call: Call, reply: Reply, maskSecrets: MaskText): string | null {
  const { operation } = call.tool.tool;
  const isDeclared = operation.pagination !== undefined;
  if (!isDeclared && kindOf(call.tool.tool) !== 'read') return null;
  const paging = pagingOf(operation);
  const args: PlainObject = isObject(call.arguments) ? call.arguments : {};
  const isLinked = hasNextLink(reply);
  // If a header has the answer and no pagination is declared, the body is not parsed.
  const { values: records, around } = !isDeclared && isLinked ? noPage : pageIn(reply, paging);
  const following = findFollowing(around, reply.headers, paging);
  const isSure = following.address !== undefined || following.token !== undefined || following.more === true;
  if (!isSure && !mayFollow(records.length, following, paging, call, args)) return null;
  const after = nextStep(operation, paging, { step: firstStep(args), records, following, isFirst: true });
  if (!isDeclared && !isLinked && !(records.length > 0 && hasCertainNextPage(call, following, after)))
    return null;
  const how = 'step' in after ? changeText(call, after, following, maskSecrets) : null;
  const { prefix } = call.followUp;
  const ways = [
    ...(how === null ? [] : [`call again with ${how}`]),
    ...(prefix === null
      ? []
      : [`${how === null ? 'call again' : 'or'} with ${askText(prefix, 'all')} for every page`]),
  ];
  if (ways.length === 0) return isSure ? '[There are more pages.]' : null;
  return `[There ${isSure ? 'are' : 'may be'} more pages: ${ways.join(', ')}.]`;
}

function hasNextLink({ headers }: Reply): boolean {
  return headers['link'] !== undefined && nextLink(headers['link']) !== null;
}

/**
 * Whether a list without declared pagination certainly has a next page: many fields are called `next`, but few of them are
 * an address of this very tool or a value for one of its arguments.
 */
function hasCertainNextPage({ tool }: Call, following: Following, after: After): boolean {
  if (!('step' in after) || following.isWeak === true) return false;
  const { address } = after.step;
  if (address === null) return following.token !== undefined;
  if (address.startsWith('?')) return true;
  const { origin, basePath } = tool.request;
  const read = readAddress(address, { origin, target: `${basePath}/` }, []);
  return 'target' in read && matchPath(tool, read.target) !== undefined;
}

const noPage: Pick<Page, 'values' | 'around'> = { values: [], around: undefined };

/** The page that a reply is. */
function pageIn(reply: Reply, paging: Pagination | undefined): Pick<Page, 'values' | 'around'> {
  if (reply.body.length > maxReadBytes) return noPage;
  const opened = readSync(openPages(reply, paging?.items));
  return opened?.first ?? { values: [], around: valueOf(reply) };
}

/** Whether a page is full enough to suggest another one, for an API that doesn't say. */
function mayFollow(
  count: number,
  { more, total, page }: Following,
  paging: Pagination | undefined,
  { tool }: Call,
  args: PlainObject,
): boolean {
  if (more === false || count === 0 || (paging?.kind !== 'page' && paging?.kind !== 'offset')) return false;
  const { parameter = '', size = '' } = paging;
  const at = Number(givenAt(args, parameter) ?? 0);
  if (total !== undefined) {
    const before = paging.kind === 'offset' ? at : Math.max(0, (page ?? at) - 1) * count;
    return before + count < total;
  }
  const preset = tool.tool.operation.parameters.find(({ name }) => name === size)?.default;
  const asked = Number(givenAt(args, size) ?? preset ?? minPageSize);
  return count >= asked;
}

function changeText(
  call: Call,
  after: Extract<After, { readonly step: unknown }>,
  following: Following,
  maskSecrets: MaskText,
): string | null {
  const changed = after.step.changed ?? argumentsIn(call, after.step.address ?? '');
  if (changed === null) return null;
  const { pagination } = call.tool.tool.operation;
  const name = pagination?.parameter ?? '';
  // Unless the API says that pages start at 0, they start at 1.
  const isFirstAgain = pagination?.kind === 'page' && changed[name] === 1 && following.page === undefined;
  const shown = isFirstAgain ? { ...changed, [name]: 2 } : changed;
  const text = cleanText(maskSecrets(JSON.stringify(shown)));
  return text.length <= maxChangeLength ? text : `what the reply has for ${Object.keys(shown).join(', ')}`;
}

/** The query of the next page's address as arguments, if the tool has an argument for every part of it. */
function argumentsIn({ tool }: Call, address: string): PlainObject | null {
  const at = address.indexOf('?');
  if (at < 0) return null;
  const changed: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(address.slice(at + 1))) {
    const parameter = tool.tool.operation.parameters.find(
      ({ name, key: wire, in: place, fixed, hidden }) =>
        place === 'query' && (wire ?? name) === key && fixed === undefined && hidden !== true,
    );
    if (parameter === undefined || parameter.name in changed) return null;
    changed[parameter.name] = value;
  }
  return changed;
}
