/** What an operation is called, in every place that may say what it does. */
export interface OperationWords {
  readonly method: string;
  readonly path: string;
  /** Its `operationId`, or the name that someone gave it; absent if it was made from the path. */
  readonly name?: string | undefined;
  readonly summary?: string | undefined;
}

const set = (words: string) => new Set(words.split(/\s+/).filter((word) => word !== ''));

// Verbs that end something for good.
const destructive = set(`
  delete destroy remove erase purge prune terminate revoke cancel drop wipe truncate kill expunge deprovision
  uninstall unregister deregister decommission discard clear evict void invalidate ban`);
// Verbs that change something, whatever follows.
const mutating = set(`
  create add insert update modify edit replace rename put patch enable disable activate deactivate approve reject
  upload send publish unpublish unarchive reboot restart detach attach associate disassociate assign unassign
  reopen unlock execute promote demote rotate regenerate grant deny accept decline confirm submit allocate
  deallocate provision deploy rollback revert unsubscribe subscribe register redeem reinstate resend merge append
  upsert save write rebuild reindex reload generate initiate login logout`);
// Words that are verbs only in front of what they act on: `start the server`, but not `start page`.
const ambiguous = set(`
  set start stop pause resume run import move close lock transfer charge refund schedule invite archive reset
  trigger restore change join leave mark mute block unblock release capture invoke apply copy import log sync
  refresh order pay vote follow unfollow star unstar like share link unlink`);
// Of these, the ones that start a name only as verbs, unless what follows makes them nouns: `start_date`.
const ambiguousInNames = set(`
  set start stop pause resume run move close lock transfer schedule invite archive reset trigger restore join leave
  mark mute block unblock capture invoke apply unlink unfollow unstar`);
const nounAfter = set(`
  date dates time times and or by at of in for to words id ids index type types rows row number numbers header headers
  name names key keys point points code codes position offset cursor token size order`);
const reading = set(`
  get list fetch retrieve read describe show find search query lookup view check count browse display return returns
  download export preview validate verify estimate compare explain inspect test poll head is has gets lists
  fetches retrieves reads describes shows finds searches views checks counts`);
// A POST is a read only if one of these says so.
const asking = set('search query lookup find list describe get fetch retrieve count filter');
// At the end of a name or path these ask for something, while `list` or `filter` may be a thing.
const askingAtEnd = set('search query lookup find count');
const adverbs = set(`
  permanently bulk batch soft hard force forcibly mass manually asynchronously immediately partially fully safely
  deprecated experimental beta internal admin and or to this that endpoint api will can used operation lets allows`);
const determiners = set('a an the this that your all one some multiple every any several existing new');
// What comes after a word that was a noun: `update history`, `cancel reasons`.
const nounEndings = set(`
  history status statuses info information preview reasons reason count log logs list page pages details
  summary statistics stats available check eligibility`);

/** Whether the name or the end of the path of a request says that it ends something for good. */
export function saysDestructive(words: OperationWords): boolean {
  return [nameEvidence(words, false), pathEvidence(words, false)].some(
    (evidence) => evidence?.kind === 'destructive',
  );
}

/** What a word says that an operation does, and where that word is. */
interface Evidence {
  readonly kind: 'write' | 'destructive';
  readonly because: string;
}

/** The strictest of what the words of an operation say; `isRead` is whether its method does not change anything. */
export function strictestEvidence(words: OperationWords, isRead: boolean): Evidence | undefined {
  const found = [
    nameEvidence(words, isRead),
    summaryEvidence(words, isRead),
    pathEvidence(words, isRead),
  ].flatMap((evidence) => evidence ?? []);
  return found.find(({ kind }) => kind === 'destructive') ?? found[0];
}

function nameEvidence({ name, path }: OperationWords, isRead: boolean): Evidence | undefined {
  for (const [text, where] of [
    [actionOf(path), 'its action'],
    [name, 'its name'],
  ] as const) {
    if (text === undefined) continue;
    const parts = partsOf(text);
    // `move_retrieve`, `Lock_GetLock`: what comes first may be what is read.
    const isAsked = isRead && parts.some((part) => reading.has(part));
    const evidence = verbAt(parts, 0, isRead && !isAsked) ?? lastVerb(parts, isRead);
    if (evidence !== undefined) return { kind: evidence.kind, because: `${where} says "${evidence.word}"` };
  }
  return undefined;
}

function summaryEvidence({ summary = '' }: OperationWords, isRead: boolean): Evidence | undefined {
  const words = wordsOf(summary.slice(0, 200));
  const first = words.findIndex((word) => !adverbs.has(word));
  if (first === -1) return undefined;
  const evidence = verbAt(words.map(baseForm), first, isRead, words);
  return evidence && { kind: evidence.kind, because: `its summary says "${evidence.word}"` };
}

function pathEvidence({ path, name, summary = '' }: OperationWords, isRead: boolean): Evidence | undefined {
  const tail = tailOf(path);
  if (tail === undefined) return undefined;
  const parts = partsOf(tail);
  const [only] = parts;
  if (parts.length !== 1 || only === undefined) return undefined;
  // `GET /pulls/{id}/merge` may ask whether it was merged.
  const isAsked =
    partsOf(name ?? '').some((part) => reading.has(part)) || reading.has(baseForm(wordsOf(summary)[0] ?? ''));
  if (isRead && isAsked) return undefined;
  const because = `its path ends in "${only}"`;
  if (destructive.has(only)) return { kind: 'destructive', because };
  return mutating.has(only) || (isRead && ambiguousInPath.has(only)) ? { kind: 'write', because } : undefined;
}

// At the end of a path the others are usually collections or properties.
const ambiguousInPath = set('start stop pause resume reset trigger restore refund transfer');

/** Why a POST only asks for something; undefined if nothing says so. */
export function askingEvidence({ name, path, summary = '' }: OperationWords): string | undefined {
  if (/graphql/i.test(path)) return undefined;
  const parts = partsOf(actionOf(path) ?? name ?? '');
  const said = wordsOf(summary).map(baseForm);
  // Someone who says `run a query` may mean one that changes something.
  if (said.slice(0, 3).some((word) => ambiguous.has(word) || mutating.has(word))) return undefined;
  if (parts.slice(0, -1).some((word) => mutating.has(word) || destructive.has(word))) return undefined;
  if (parts[0] !== undefined && asking.has(parts[0]) && (parts.length > 1 || askingAtEnd.has(parts[0])))
    return `its name says "${parts[0]}"`;
  const last = parts.at(-1);
  if (last !== undefined && askingAtEnd.has(last)) return `its name says "${last}"`;
  const tail = partsOf(tailOf(path) ?? '');
  const end = tail.at(-1);
  const isAsked = tail.length === 1 || reading.has(said[0] ?? '');
  return end !== undefined && isAsked && askingAtEnd.has(end) ? `its path ends in "${end}"` : undefined;
}

/** A verb in this place, if it is one there; `next` words decide for those that may be nouns. */
function verbAt(
  parts: readonly string[],
  at: number,
  takesAmbiguous: boolean,
  written = parts,
): { readonly kind: Evidence['kind']; readonly word: string } | undefined {
  const word = parts[at];
  if (word === undefined) return undefined;
  const next = written[at + 1];
  if (next !== undefined && nounEndings.has(next)) return undefined;
  if (destructive.has(word)) return { kind: 'destructive', word: written[at]! };
  if (mutating.has(word)) return { kind: 'write', word: written[at]! };
  // Among words of a sentence, an article shows that a verb came before it; in a name, anything does.
  const isVerb =
    next !== undefined &&
    (written === parts
      ? ambiguousInNames.has(word) && !nounAfter.has(next)
      : ambiguous.has(word) && determiners.has(next));
  return takesAmbiguous && isVerb ? { kind: 'write', word: written[at]! } : undefined;
}

// `ContainerPrune`, `orders.cancel`: some put the verb at the end.
function lastVerb(parts: readonly string[], isRead: boolean): ReturnType<typeof verbAt> {
  const word = parts.at(-1);
  if (word === undefined || parts.length < 2 || parts.some((part) => reading.has(part))) return undefined;
  if (destructive.has(word)) return { kind: 'destructive', word };
  return isRead && mutating.has(word) ? { kind: 'write', word } : undefined;
}

/** `DeleteDBCluster` in a path such as `/#Action=DeleteDBCluster`, or in `POST /?Action=…`. */
function actionOf(path: string): string | undefined {
  return /[?#&](?:Action|X-Amz-Target)=([A-Za-z][\w.-]*)/i.exec(path)?.[1];
}

/** The last segment of a path, or what comes after its last colon, if it is not a slot. */
function tailOf(path: string): string | undefined {
  const plain = path.split(/[?#]/, 1)[0]!;
  const segment = plain.split('/').findLast((part) => part !== '');
  const tail = segment?.slice(segment.lastIndexOf(':') + 1).replace(/\.(?:json|xml)$/, '');
  return tail === undefined || tail.includes('{') ? undefined : tail;
}

/** The parts of a name, in lower case: without its method, and after the last `/` or `.`. */
function partsOf(name: string): string[] {
  const own = name.replace(/^(?:GET|POST|PUT|PATCH|DELETE|HEAD)[_-]/, '');
  const last = own.split(/[/.]/).findLast((part) => part !== '') ?? '';
  return last
    .slice(0, 200)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, 200)
    .toLowerCase()
    .split(/[^a-z0-9'’]+/)
    .filter((word) => word !== '');
}

/** `deletes` and `deleting` as `delete`, where that is a verb known here. */
function baseForm(word: string): string {
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length) + instead;
    if (destructive.has(base) || mutating.has(base) || ambiguous.has(base) || reading.has(base)) return base;
  }
  return word;
}

const endings = [
  ['s', ''],
  ['es', ''],
  ['ies', 'y'],
  ['ing', ''],
  ['ing', 'e'],
] as const;
