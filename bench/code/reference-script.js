/**
 * Generates a script for a task from the operations that solve it, in order. It is what a careful model that
 * knows the replies could write: each required argument comes from an earlier reply that contains it, otherwise
 * from the task's text or the document; it returns the fields that identify things, for the first five. In the
 * task's text it looks for names, season and episode numbers, directors and "how many"; it doesn't reason about
 * the rest ("of 2010", "the same person").
 */
export function referenceScript(query, operations, { nameOf, entities }) {
  const steps = [];
  let passed = 0;
  let needed = 0;
  let searches = 0;
  for (const operation of operations) {
    const required = operation.parameters.filter(({ required: is }) => is);
    const values = required.map((parameter) => {
      const found = parameter.name === 'query' ? undefined : valueFor(parameter, steps, query, entities);
      const named = found ?? numberIn(parameter, query);
      // A search for another name needs nothing from earlier replies.
      if (steps.length > 0 && parameter.name !== 'query' && found === named) needed++;
      if (steps.length > 0 && found !== undefined) passed++;
      if (parameter.name === 'query') searches++;
      return [parameter.name, named ?? constantFor(parameter, query, searches - 1)];
    });
    steps.push({ operation, values: new Map(values), variable: `reply${steps.length + 1}` });
  }
  const lines = steps.map(({ operation, values, variable }) => {
    const pairs = [...values].map(
      ([name, value]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${value}`,
    );
    const given = pairs.length === 0 ? '' : `{ ${pairs.join(', ')} }`;
    return `const ${variable} = await ${nameOf(operation)}(${given});`;
  });
  const last = steps.at(-1);
  return {
    script: `${[...lines, `return ${resultOf(query, last.variable, last.operation.reply)};`].join('\n')}\n`,
    passed,
    needed,
  };
}

/** What the IDs in a document's paths identify: `movie` for `{movie_id}`. */
export function entitiesOf(operations) {
  const names = operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)_id\}/g)].map(([, name]) => name));
  return new Set(names);
}

// What lists contain whose names don't say so.
const heldBy = new Map([
  ['cast', 'person'],
  ['crew', 'person'],
  ['parts', 'movie'],
]);

function entityOf({ path }, values, entities) {
  for (const part of path.split('/').toReversed()) {
    const word = part.startsWith('{') ? JSON.parse(values.get(part.slice(1, -1)) ?? '""') : part;
    const named = String(word)
      .split('_')
      .find((one) => entities.has(one));
    if (named !== undefined) return named;
  }
  return undefined;
}

/** An expression for an argument, from the nearest reply that contains it; undefined if none does. */
function valueFor({ name }, steps, query, entities) {
  const entity = name.endsWith('_id') ? name.slice(0, -'_id'.length) : null;
  for (const { operation, values, variable } of steps.toReversed()) {
    const reply = operation.reply ?? {};
    const lists = listsOf(reply);
    const holding = lists.find(([, first]) => name in first);
    if (holding !== undefined && entity === null) return `${variable}.${holding[0]}[0].${name}`;
    if (entity !== null) {
      const own = entityOf(operation, literals(values), entities);
      const yielding = lists.filter(
        ([key, first]) =>
          'id' in first &&
          (key.includes(entity.replace(/y$/, '')) ||
            (heldBy.get(key) ?? (key === 'results' ? own : undefined)) === entity ||
            // The films of a person are listed as cast and crew.
            (own === entity && operation.path.endsWith(`${entity}_credits`))),
      );
      const directors = yielding.find(([key]) => key === 'crew');
      if (directors && /direct/i.test(query))
        return `(${variable}.crew.find(({ job }) => job === 'Director') ?? ${variable}.crew[0]).id`;
      if (yielding.length > 0) return `${variable}.${yielding[0][0]}[0].id`;
      const part = Object.entries(reply).find(
        ([key, value]) => key.includes(entity) && isObject(value) && 'id' in value,
      );
      if (part) return `${variable}.${part[0]}.id`;
      if (own === entity && 'id' in reply && !operation.path.endsWith('}')) return `${variable}.id`;
    }
    if (values.has(name)) return values.get(name);
  }
  return undefined;
}

/** The arguments of a call that are literals, not passed on. */
function literals(values) {
  return new Map([...values].filter(([, value]) => /^["\d]/.test(value)));
}

function listsOf(reply) {
  return Object.entries(reply ?? {})
    .filter(([, value]) => isObject(value?.[0]))
    .map(([key, [first]]) => [key, first]);
}

/** Whether it has fields. */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const ordinals = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

/** The number of a season or episode that a task names; undefined if it names none. */
function numberIn({ name }, query) {
  const what = /^(season|episode)_number$/.exec(name)?.[1];
  if (what === undefined) return undefined;
  const words = query.toLowerCase().replace(/[?.,]/g, '').split(/\s+/);
  const at = words.findIndex((word) => word.startsWith(what.slice(0, 6)));
  const number = Number(words[at + 1]) || ordinals.indexOf(words[at - 1] ?? '') + 1;
  return at === -1 || number === 0 ? undefined : String(number);
}

const notNames = new Set(
  "what who when where which how give tell show find list is are was were the a i i'm please can do does did tv season episode".split(
    ' ',
  ),
);
const joining = /^(?:of|the|and|a|in|as|from|to|or)$/;

/** The names in a task: words that start with a capital, with the small words between them. */
function namesIn(query) {
  const names = [];
  let name = [];
  for (const word of query.replace(/["?!,]|\.$|'s\b/g, ' ').split(/\s+/)) {
    const isName =
      /^[\p{Lu}]/u.test(word) && !(notNames.has(word.toLowerCase()) && name.length === 0 && word !== 'The');
    if (
      isName ||
      (name.length > 0 && (/^\d+$/.test(word) || (joining.test(word) && word !== 'or' && word !== 'and')))
    )
      name.push(word);
    else {
      names.push(name);
      name = [];
    }
  }
  return [...names, name]
    .map((words) => words.slice(0, words.findLastIndex((word) => !joining.test(word)) + 1).join(' '))
    .filter((words) => words !== '');
}

/** An argument that no reply contains: from the task's names, or from the document. */
function constantFor({ name, schema = {}, example }, query, nth) {
  if (name === 'query') {
    const names = namesIn(query);
    return JSON.stringify(names[nth] ?? names.at(-1) ?? query.split(/\s+/).slice(-2).join(' '));
  }
  const named = schema.enum?.find((value) => new RegExp(`\\b${value}\\b`, 'i').test(query));
  const given = named ?? example ?? schema.example ?? schema.default ?? schema.enum?.[0];
  return JSON.stringify(given ?? (/integer|number/.test(schema.type) ? 1 : 'all'));
}

const telling = [
  'title',
  'name',
  'character',
  'job',
  'author',
  'content',
  'file_path',
  'logo_path',
  'iso_3166_1',
  'release_date',
  'first_air_date',
  'air_date',
  'vote_average',
  'episode_number',
];

/** What a task asks about the last reply. */
function resultOf(query, variable, reply) {
  const asked = query.toLowerCase();
  const lists = listsOf(reply);
  const isOne = lists.length === 0 || 'title' in reply || ('name' in reply && 'id' in reply);
  if (isOne && !/how many|number of/.test(asked)) {
    const scalars = Object.keys(reply).filter(
      (name) => !isObject(reply[name]) && !Array.isArray(reply[name]),
    );
    const wanted = scalars.filter((name) =>
      name.split('_').some((word) => word.length > 3 && asked.includes(word)),
    );
    const fields = [...new Set([...scalars.filter((name) => telling.includes(name)), ...wanted])].slice(0, 6);
    return pick(variable, fields.length > 0 ? fields : scalars.slice(0, 4));
  }
  const size = ([key]) => reply[key].length;
  const wanted =
    (/direct/.test(asked) && lists.find(([key]) => key === 'crew')) ||
    (/star|actor|cast/.test(asked) && lists.find(([key]) => key === 'cast')) ||
    lists.find(([key]) => key.length > 3 && asked.includes(key.replace(/s$/, ''))) ||
    lists.toSorted((one, other) => size(other) - size(one))[0];
  if (wanted === undefined) return `Object.keys(${variable}).length`;
  const [key, first] = wanted;
  const isDirected = key === 'crew' && /direct/.test(asked);
  const list = `${variable}.${key}${isDirected ? ".filter(({ job }) => job === 'Director')" : ''}`;
  if (/how many|number of/.test(asked)) return `${list}.length`;
  const fields = telling.filter((name) => name in first).slice(0, 3);
  const shown = fields.length > 0 ? fields : Object.keys(first).slice(0, 3);
  return `${list}.slice(0, 5).map((item) => (${pick('item', shown)}))`;
}

const long = new Set(['content', 'overview', 'biography']);

function pick(variable, fields) {
  return `{ ${fields.map((name) => `${name}: ${variable}.${name}${long.has(name) ? '.slice(0, 300)' : ''}`).join(', ')} }`;
}
