import { holderNames, isNextName, lettersOf } from '../../domain/pages/guess-pagination.ts';
import type { Pagination } from '../../domain/operation.ts';
import { writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { arrayOr, isObject, objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import { nextLink } from '../../pipeline/reply/reply-headers.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import { findConnection } from './find-records.ts';
import { pathIn, valueAtPath } from './page-path.ts';

/** What a reply says about the page after it. */
export interface Following {
  /** An address, as the API wrote it. */
  readonly address?: string;
  /** The value for the pagination argument, and its name in the reply. */
  readonly token?: string | number;
  readonly tokenName?: string;
  /** Whether its name is ambiguous: as likely to mean this page as the next one. */
  readonly isWeak?: boolean;
  /** Whether the reply says that there is more, or that there isn't; undefined if it doesn't say. */
  readonly more?: boolean;
  /** The total number of records. */
  readonly total?: number;
  /** The number of this page, and the number of pages. */
  readonly page?: number;
  readonly pages?: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(','));

// In addition to the names looked for in a document: a reply has a value to check as well.
const moreNextNames = words(
  'after,marker,lastevaluatedkey,pagetoken,nextid,nextafter,nextbatch,nextset,nextresultset,nextpageid,nextcursormark,resumptiontoken',
);
const moreHolders = words(
  'meta,metadata,pagination,paging,links,page,responsemetadata,pageinfo,cursors,cursor,info,pager,result,response,data,d,listinfo,additionaldata,pages,hits,searchmetadata,pagemetadata,paginationinfo,paginationmetadata,pagingmetadata,paginginfo,resultset,results,navigation,pageable',
);
// As likely to mean this page as the next one; empty values mean nothing.
const ambiguousNames = words('cursor,after,marker,pagetoken,continuationtoken,continuation');
const yesNames = words(
  'hasmore,hasnext,hasnextpage,more,morepages,moreavailable,morerecords,ismore,moreresults,moredata,istruncated,truncated,hasmorepages,hasmoreitems,hasmoreresults,nextpageexists,hasmoredata,moreitemsincollection',
);
const noNames = words(
  'islast,lastpage,last,islastpage,done,islastbatch,isfinished,endoflist,complete,iscomplete',
);
const totalNames = words(
  'total,totalcount,totalitems,totalresults,totalrecords,totalelements,totalhits,totalsize,totalentries,totalrows,odatacount,resultcount,totalobjects,itemcount,recordcount,count,numfound,nbhits,hitcount',
);
const pageNames = words('page,pagenumber,currentpage,pagenum,pageindex,number,pageno,current');
const pagesNames = words(
  'totalpages,pagecount,pages,lastpage,numpages,nbpages,numberofpages,totalpagecount,pagestotal',
);
const headerTokens =
  /^(?:x-)?(?:[a-z]{1,20}-){0,3}(?:next-page|next-cursor|next-token|next-page-token|continuation|continuation-token|continuationtoken|next-offset|next)$/;
const headerTotals =
  /^(?:x-)?(?:[a-z]{1,20}-){0,2}(?:total|total-count|totalcount|total-items|total-records|total-results)$/;

/**
 * What a reply says about the page after it: in the declared place if there is one, else in its headers and under
 * well-known names.
 */
export function findFollowing(
  value: unknown,
  headers: Reply['headers'],
  pagination: Pagination | undefined,
): Following {
  const connection = findConnection(value);
  if (connection !== undefined) {
    const { hasNextPage, endCursor } = connection.pageInfo;
    const total = numberOf(objectOr(valueAtPath(value, connection.path))['totalCount']);
    return {
      more: hasNextPage === true,
      ...(hasNextPage === true && tokenOf(endCursor, 'endCursor')),
      ...(total !== undefined && { total }),
    };
  }
  const facts = { ...listFacts(headerObject(headers), {}), ...listFacts(value, headers) };
  const leading =
    declaredNext(value, pagination) ??
    fromLink(headers) ??
    discovered(value, pagination) ??
    fromHeaders(headers);
  // An explicit flag outranks a cursor, which some APIs always send, or leave out, regardless.
  return facts.more === undefined ? { ...facts, ...leading } : { ...leading, ...facts };
}

function declaredNext(value: unknown, pagination: Pagination | undefined): Following | undefined {
  if (pagination?.next === undefined) return undefined;
  const path = pathIn(value, pagination.next);
  const found = valueAtPath(value, path);
  return found === undefined ? undefined : meantBy(found, path.at(-1) ?? '', parameterOf(pagination));
}

function parameterOf(pagination: Pagination | undefined): string {
  return lettersOf(pagination?.parameter ?? '');
}

/** A `Link` header that names other pages but no next one means that this is the last page. */
function fromLink(headers: Reply['headers']): Following | undefined {
  const { link } = headers;
  if (link === undefined) return undefined;
  const address = nextLink(link);
  if (address !== null) return { address };
  return /rel\s?=\s?["']?(?:prev|previous|first)\b/i.test(link.slice(0, 10_000))
    ? { more: false }
    : undefined;
}

function fromHeaders(headers: Reply['headers']): Following | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (name.length > 60 || !headerTokens.test(name)) continue;
    const meant = meantBy(value.trim(), name);
    if (meant !== undefined) return meant;
  }
  return undefined;
}

function discovered(value: unknown, pagination: Pagination | undefined): Following | undefined {
  const parameter = parameterOf(pagination);
  const found: { readonly rank: number; readonly meant: Following }[] = [];
  for (const holder of holdersIn(value))
    for (const [key, inner] of Object.entries(holder)) {
      const letters = lettersOf(key);
      // A field named like the pagination argument whose value isn't a number is a token for it.
      const isToken = letters !== '' && letters === parameter && isOpaque(inner);
      if (!isToken && !isNextName(letters) && !moreNextNames.has(letters)) continue;
      const meant = meantBy(inner, key, parameter);
      const rank = meant === undefined ? 0 : rankOf(letters, meant);
      if (meant !== undefined && rank > 0)
        found.push({ rank, meant: rank === 1 ? { ...meant, isWeak: true } : meant });
    }
  const links = linkList(value);
  if (links !== undefined) found.push({ rank: 3, meant: links });
  return found.toSorted((one, other) => other.rank - one.rank)[0]?.meant;
}

function isOpaque(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !/^\d{1,15}$/.test(value);
}

// A next page outranks an end of the list, and a clear name outranks an ambiguous one.
function rankOf(letters: string, { address, token }: Following): number {
  const leads = address !== undefined || token !== undefined;
  if (ambiguousNames.has(letters)) return leads ? 1 : 0;
  return leads ? 3 : 2;
}

/** `links: [{ rel: 'next', href: … }]`. */
function linkList(value: unknown): Following | undefined {
  if (!isObject(value)) return undefined;
  const held = value['links'] ?? value['_links'] ?? value['link'];
  const links = (isObject(held) ? [held] : arrayOr(held)).filter(isObject);
  const next = links.find(({ rel, relation }) => rel === 'next' || relation === 'next');
  return next && meantBy(next, 'next');
}

/** The reply and those of its parts that describe pagination. */
function holdersIn(value: unknown): PlainObject[] {
  if (!isObject(value)) return [];
  const holders = [value];
  for (let at = 0; at < holders.length && holders.length < 50; at++)
    for (const [key, inner] of Object.entries(holders[at]!))
      if (isObject(inner) && (holderNames.includes(key) || moreHolders.has(lettersOf(key))))
        holders.push(inner);
  return holders;
}

function meantBy(found: unknown, name: string, parameter = ''): Following | undefined {
  if (found === null || found === false || found === '' || found === 0 || found === -1 || found === '0')
    return { more: false };
  if (found === true) return { more: true };
  if (isObject(found)) return meantByObject(found, parameter);
  if (typeof found === 'number') return { token: found, tokenName: name, more: true };
  if (typeof found !== 'string') return undefined;
  const text = writeMarkedText(found);
  return isAddress(text, name) ? { address: text, more: true } : { token: text, tokenName: name, more: true };
}

const addressKeys = ['href', 'url', 'uri', 'link', 'path'];
const tokenKeys = ['after', 'cursor', 'token', 'offset', 'page', 'start', 'startKey', 'value'];

function meantByObject(found: PlainObject, parameter: string): Following | undefined {
  const address = addressKeys.map((key) => found[key]).find((inner) => typeof inner === 'string');
  const isToken = (one: string) => typeof found[one] === 'string' || typeof found[one] === 'number';
  const key =
    Object.keys(found).find((one) => parameter !== '' && lettersOf(one) === parameter && isToken(one)) ??
    tokenKeys.find(isToken);
  const token = key === undefined ? undefined : tokenOf(found[key], key);
  if (address === undefined && token === undefined) return undefined;
  return { ...(typeof address === 'string' && { address }), ...token, more: true };
}

function tokenOf(found: unknown, tokenName: string): Pick<Following, 'token' | 'tokenName'> {
  if (typeof found === 'number') return { token: found, tokenName };
  return typeof found === 'string' && found !== '' ? { token: writeMarkedText(found), tokenName } : {};
}

// A base64 token can start with a slash, too.
function isAddress(text: string, name: string): boolean {
  if (/^https?:\/\//i.test(text)) return true;
  if (!/^[/?]/.test(text)) return /^[\w./-]{1,500}\?[\w.%$[\]-]{1,200}=\S*$/.test(text);
  return (
    /ur[il]$|link$|href$|path$/i.test(name) || /\?[^=]{0,200}=/.test(text.slice(0, 2_000)) || isPath(text)
  );
}

function isPath(text: string): boolean {
  return /^\/[a-z][\w.-]{0,60}\/[\w./-]{1,500}$/i.test(text) && !/[+=]/.test(text);
}

function listFacts(value: unknown, headers: Reply['headers']): Following {
  let more: boolean | undefined;
  let isLast: boolean | undefined;
  let total: number | undefined;
  let page: number | undefined;
  let pages: number | undefined;
  for (const holder of holdersIn(value)) {
    for (const [key, inner] of Object.entries(holder)) {
      const letters = lettersOf(key);
      if (yesNames.has(letters)) more ??= flagOf(inner);
      else if (noNames.has(letters) && isTruth(inner)) isLast ??= flagOf(inner);
      if (totalNames.has(letters)) total ??= numberOf(inner) ?? numberOf(isObject(inner) && inner['value']);
      else if (pageNames.has(letters)) page ??= numberOf(inner);
      else if (pagesNames.has(letters)) pages ??= numberOf(inner);
    }
  }
  total ??= totalIn(headers);
  if (more === undefined && isLast !== undefined) more = !isLast;
  return {
    ...(more !== undefined && { more }),
    ...(total !== undefined && { total }),
    ...(page !== undefined && { page }),
    ...(pages !== undefined && { pages }),
  };
}

/** Some APIs describe the list as JSON in a header. */
function headerObject(headers: Reply['headers']): unknown {
  const text = headers['x-pagination'];
  if (text === undefined || !text.startsWith('{') || text.length > 10_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function totalIn(headers: Reply['headers']): number | undefined {
  const inRange = /\/(\d{1,15})$/.exec(headers['content-range']?.slice(0, 100) ?? '')?.[1];
  if (inRange !== undefined) return Number(inRange);
  const name = Object.keys(headers).find((one) => one.length <= 60 && headerTotals.test(one));
  return name === undefined ? undefined : numberOf(headers[name]);
}

// A number under these names is the number of the last page. In XML every value is text.
function isTruth(value: unknown): boolean {
  return typeof value === 'boolean' || value === 'true' || value === 'false';
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
