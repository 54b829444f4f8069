import { objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Operation, Pagination, Parameter } from '../operation.ts';

/** The letters of a name, by which its spellings are told to be the same. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(','));

/** Names of arguments that mean a place in a list, by their letters. */
export const argumentNames: Readonly<Record<'cursor' | 'page' | 'offset' | 'size', ReadonlySet<string>>> = {
  cursor: words(
    'cursor,pagecursor,startcursor,pagetoken,nexttoken,nextpagetoken,continuationtoken,continuation,startingafter,pageafter,nextcursor',
  ),
  page: words('page,pagenumber,pagenum,pageindex,pageno,currentpage'),
  offset: words('offset,skip,startindex,startat,pageoffset,firstresult'),
  size: words(
    'limit,perpage,pagesize,maxresults,pagelimit,resultsperpage,itemsperpage,maxitems,size,count,top,take',
  ),
};

/** Names in a reply of what leads to the next page, by their letters. */
export const nextNames = words(
  'next,nextcursor,nextpage,nextpagetoken,nexttoken,nextlink,odatanextlink,nexturl,nextpageuri,cursor,continuationtoken',
);

const addressNames = words('next,nextpage,nextlink,odatanextlink,nexturl,nextpageuri');

/** Names of the parts of a reply that tell about the list. */
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

/** How a list goes on, as far as names that hardly mean anything else tell. Undefined where they tell nothing. */
export function guessPagination({
  parameters,
  replySchema,
}: Pick<Operation, 'parameters' | 'replySchema'>): Pagination | undefined {
  const inputs = parameters.filter(({ in: place }) => place === 'query' || place === 'body');
  const find = (names: ReadonlySet<string>) =>
    inputs.find(({ name, key }) => names.has(lettersOf(key ?? name)))?.name;
  const size = find(argumentNames.size);
  for (const kind of ['cursor', 'page', 'offset'] as const) {
    const parameter = find(argumentNames[kind]);
    if (parameter !== undefined)
      return { kind, parameter, ...(size !== undefined && { size }), ...inReply(replySchema) };
  }
  const told = inReply(replySchema);
  const last = told.next?.split('.').at(-1);
  return told.items !== undefined && last !== undefined && addressNames.has(lettersOf(last))
    ? { kind: 'url', ...told }
    : undefined;
}

/** Whether an operation takes a GraphQL query with its variables. */
export function takesGraphql({ method, parameters }: Pick<Operation, 'method' | 'parameters'>): boolean {
  const hasText = (name: string) => parameters.some((each) => isBodyField(each, name));
  return method === 'POST' && hasText('query') && hasText('variables');
}

function isBodyField({ name, key, in: place }: Parameter, wanted: string): boolean {
  return place === 'body' && (key ?? name) === wanted;
}

/** Where a reply's list is, and what leads to the next page, told by names. */
function inReply(reply: JsonSchema | undefined): { items?: string; next?: string } {
  const open = (schema: unknown): PlainObject => {
    const ref = objectOr(schema)['$ref'];
    const target =
      typeof ref === 'string' ? objectOr(reply?.['$defs'])[ref.slice('#/$defs/'.length)] : schema;
    return objectOr(target);
  };
  const properties = objectOr(open(reply)['properties']);
  const lists = Object.keys(properties).filter((name) => open(properties[name])['type'] === 'array');
  const nextOf = (of: PlainObject) => Object.keys(of).find((name) => nextNames.has(lettersOf(name)));
  const own = nextOf(properties);
  const holder = holderNames.find(
    (name) => nextOf(objectOr(open(properties[name])['properties'])) !== undefined,
  );
  const next = own ?? (holder && `${holder}.${nextOf(objectOr(open(properties[holder])['properties']))!}`);
  return { ...(lists.length === 1 && { items: lists[0]! }), ...(next !== undefined && { next }) };
}
