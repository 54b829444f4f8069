import { objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Operation, Pagination, Parameter } from '../operation.ts';

/** The letters of a name, to compare spellings. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(','));

/** Names of pagination arguments, by their letters. */
export const argumentNames: Readonly<Record<'cursor' | 'page' | 'offset' | 'size', ReadonlySet<string>>> = {
  cursor: words(
    'cursor,pagecursor,startcursor,pagetoken,nexttoken,nextpagetoken,paginationtoken,continuationtoken,continuation,startingafter,pageafter,nextcursor,paginationcursor,nextmarker,cursormark,scrollid,bookmark,resumptiontoken,pageinfo',
  ),
  page: words('page,pagenumber,pagenum,pageindex,pageno,currentpage'),
  offset: words('offset,skip,startindex,startat,pageoffset,firstresult'),
  size: words(
    'limit,perpage,pagesize,maxresults,pagelimit,resultsperpage,itemsperpage,maxitems,size,count,top,take,rows,first,hitsperpage,recordsperpage,maxrecords,batchsize',
  ),
};

// These have other meanings too: they are the last record of a page only together with a size, a token only if the reply
// has one, a number of records only together with a size and without an end.
const afterRecordNames = words('sinceid,afterid,lastid,fromid,startafter');
const perhapsCursorNames = words('after,continue,marker');
const perhapsOffsetNames = words('start,from');
const rangeEndNames = words('end,to,until,stop,before');

const nextWords = words(
  'next,nextcursor,nextpage,nextpagetoken,nexttoken,nextlink,odatanextlink,nexturl,nextpageuri,cursor,continuationtoken,continue,nextresults',
);
// Such as `nextPageStart`.
const nextWord =
  /^next(?:page|pages|results?|resultset|records?|items?|batch|set|list|pagination|continuation|search)?(?:token|cursor|marker|offset|start|startat|link|links|url|uri|href|key|number|num|index|skip|bookmark|position)$/;

/** Whether a name in a reply, by its letters, is for what leads to the next page. */
export function isNextName(letters: string): boolean {
  return nextWords.has(letters) || (letters.length <= 60 && nextWord.test(letters));
}

const addressNames = words('next,nextpage,nextlink,odatanextlink,nexturl,nextpageuri');

/** Names of the parts of a reply that describe the list. */
export const holderNames: readonly string[] = [
  'meta',
  'metadata',
  'pagination',
  'paging',
  'links',
  '_links',
  'page',
  'response_metadata',
];

/** Guesses how an operation paginates from unambiguous names. Undefined if there are none. */
export function guessPagination({
  parameters,
  replySchema,
}: Pick<Operation, 'parameters' | 'replySchema'>): Pagination | undefined {
  const inputs = parameters.flatMap(inputsOf);
  const find = (names: ReadonlySet<string>, fits: (input: Input) => boolean = () => true) =>
    inputs.find((input) => names.has(input.letters) && fits(input));
  const size = find(argumentNames.size)?.path;
  const inReplySchema = inReply(replySchema);
  const guess = (
    kind: 'cursor' | 'page' | 'offset',
    { path }: Input,
    next = inReplySchema.next,
  ): Pagination => ({
    kind,
    parameter: path,
    ...(size !== undefined && { size }),
    ...(inReplySchema.items !== undefined && { items: inReplySchema.items }),
    ...(next !== undefined && { next }),
  });
  const cursor =
    find(argumentNames.cursor) ?? (inReplySchema.next === undefined ? undefined : find(perhapsCursorNames));
  if (cursor !== undefined) return guess('cursor', cursor);
  const page = find(argumentNames.page);
  if (page !== undefined) return guess('page', page);
  const isRange = find(rangeEndNames) !== undefined;
  const offset =
    find(argumentNames.offset) ??
    (size === undefined || isRange ? undefined : find(perhapsOffsetNames, isInteger));
  if (offset !== undefined) {
    // Some APIs use this name for a token, which the reply has under the same name.
    const sameName = isInteger(offset) ? undefined : textNamed(replySchema, offset.letters);
    return sameName === undefined ? guess('offset', offset) : guess('cursor', offset, sameName);
  }
  const after = size === undefined ? undefined : find(afterRecordNames);
  if (after !== undefined) return guess('cursor', after);
  const last = inReplySchema.next?.split('.').at(-1);
  return inReplySchema.items !== undefined && last !== undefined && addressNames.has(lettersOf(last))
    ? { kind: 'url', ...inReplySchema }
    : undefined;
}

/** An argument, or a field of one that is an object, as `page.number`. */
interface Input {
  readonly path: string;
  readonly letters: string;
  readonly schema: PlainObject;
}

// Objects whose fields have their usual meaning regardless of the object's name.
const objectNames = words('page,paging,pagination,pager');

function inputsOf({ name, key, in: place, schema }: Parameter): Input[] {
  if (place !== 'query' && place !== 'body') return [];
  const letters = lettersOf(key ?? name);
  if (schema['type'] !== 'object') return [{ path: name, letters, schema }];
  if (!objectNames.has(letters)) return [];
  return Object.entries(objectOr(schema['properties'])).map(([field, inner]) => {
    const joined = lettersOf(`page${field}`);
    const isKnown = Object.values(argumentNames).some((names) => names.has(joined));
    return {
      path: `${name}.${field}`,
      letters: isKnown ? joined : lettersOf(field),
      schema: objectOr(inner),
    };
  });
}

function isInteger({ schema }: Input): boolean {
  return schema['type'] === 'integer' || schema['type'] === 'number';
}

/** Whether an operation accepts a GraphQL query with variables. */
export function takesGraphql({ method, parameters }: Pick<Operation, 'method' | 'parameters'>): boolean {
  const hasText = (name: string) => parameters.some((each) => isBodyField(each, name));
  return method === 'POST' && hasText('query') && hasText('variables');
}

function isBodyField({ name, key, in: place }: Parameter, wanted: string): boolean {
  return place === 'body' && (key ?? name) === wanted;
}

/** A schema, or the one that it refers to. */
function opener(reply: JsonSchema | undefined): (schema: unknown) => PlainObject {
  return (schema) => {
    const ref = objectOr(schema)['$ref'];
    const target =
      typeof ref === 'string' ? objectOr(reply?.['$defs'])[ref.slice('#/$defs/'.length)] : schema;
    return objectOr(target);
  };
}

/** The text property of a reply whose name has these letters. */
function textNamed(reply: JsonSchema | undefined, letters: string): string | undefined {
  const open = opener(reply);
  const properties = objectOr(open(reply)['properties']);
  return Object.keys(properties).find(
    (name) => lettersOf(name) === letters && open(properties[name])['type'] === 'string',
  );
}

/** Where a reply's list is, and what leads to the next page, judging by names. */
function inReply(reply: JsonSchema | undefined): { items?: string; next?: string } {
  const open = opener(reply);
  const properties = objectOr(open(reply)['properties']);
  const lists = Object.keys(properties).filter((name) => open(properties[name])['type'] === 'array');
  const nextOf = (of: PlainObject) => Object.keys(of).find((name) => isNextName(lettersOf(name)));
  const own = nextOf(properties);
  const holder = holderNames.find(
    (name) => nextOf(objectOr(open(properties[name])['properties'])) !== undefined,
  );
  const next = own ?? (holder && `${holder}.${nextOf(objectOr(open(properties[holder])['properties']))!}`);
  return { ...(lists.length === 1 && { items: lists[0]! }), ...(next !== undefined && { next }) };
}
