import { openStore } from '../../dist/storage/open-store.js';

const nouns =
  'account address agent album alert asset backup badge balance banner batch board booking branch bucket budget build calendar campaign card cart channel charge claim cluster comment commit contact contract coupon course customer dashboard dataset deal device discount dispute document domain donation driver event export feature feed field file filter fleet folder form grant group image import incident index invoice issue item job journal key label lead ledger lesson license link listing location log machine mailbox market meeting member menu merchant message metric milestone model module network note offer order organization page partner patient payment payout permission phone pipeline plan playlist policy post price product profile project promotion property quota quote rating receipt record refund region release rental report repository request reservation resource review reward role route rule sale schedule score script secret segment sensor server session shipment shop signal site snapshot source space sprint statement station stock store stream student subject subscription supplier survey table tag target task tax team template tenant test thread ticket token topic track trade transfer trigger trip unit upload user vault vehicle vendor version video visit voucher wallet warehouse webhook widget workflow zone'.split(
    ' ',
  );
const verbs = [
  ['GET', 'list', '', 'Lists'],
  ['GET', 'get', '/{id}', 'Returns one of the'],
  ['POST', 'create', '', 'Creates one of the'],
  ['PATCH', 'update', '/{id}', 'Changes one of the'],
  ['DELETE', 'delete', '/{id}', 'Removes one of the'],
];
const states = ['active', 'archived', 'draft', 'failed', 'open', 'paused', 'pending', 'shipped'];
const toolsPerCommit = 2_000;

const id = (prefix, n) => `${prefix}_${String(n).padStart(26, '0')}`;
const row = (prefix, n) => ({
  id: id(prefix, n),
  revision: 1,
  createdAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_000_000,
});
const pick = (list, n) => list[n % list.length];

/** How many APIs a registry of a size has: a hundred tools each, or as many as there are servers. */
export function apisOf({ tools, servers }) {
  return Math.min(tools, Math.max(1, Math.ceil(tools / 100), servers));
}

/** Tool number `n`: the same for the same number, with words and parts as real documents have them. */
export function toolAt(n, apis) {
  const api = n % apis;
  const place = Math.floor(n / apis);
  const [method, verb, ending, says] = pick(verbs, place);
  const noun = pick(nouns, Math.floor(place / verbs.length) + api * 7);
  const parent = pick(nouns, place * 3 + api * 11 + 5);
  const other = pick(nouns, place * 5 + api * 13 + 9);
  const parameters = [
    ...(ending === ''
      ? []
      : [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string', description: `The ID of the ${noun}.` },
          },
        ]),
    {
      name: `${parent}_id`,
      in: method === 'GET' ? 'query' : 'body',
      required: false,
      schema: { type: 'string', description: `Only those of this ${parent}.` },
    },
    {
      name: 'state',
      in: method === 'GET' ? 'query' : 'body',
      required: false,
      schema: {
        type: 'string',
        enum: states.slice(0, 2 + (place % 6)),
        description: `The state of the ${noun}.`,
      },
    },
    {
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to return.' },
    },
  ];
  return {
    ...row('tool', n),
    apiId: id('api', api),
    name: `${verb}_${parent}_${noun}_${Math.floor(place / 25)}`,
    title: `${verb} ${noun}`,
    description: `${says} ${noun}s of a ${parent}, with the ${other} they belong to and its state.`,
    tags: [noun],
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: method === 'DELETE',
      idempotentHint: method !== 'POST',
      openWorldHint: true,
    },
    operation: {
      method,
      path: `/v1/${parent}s/${noun}s-${Math.floor(place / 25)}${ending}`,
      parameters,
      ...(method === 'POST' || method === 'PATCH'
        ? { body: { mediaType: 'application/json', shape: 'fields' } }
        : {}),
      replySchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          [`${parent}_id`]: { type: 'string', description: `The ${parent} it belongs to.` },
          [`${other}_count`]: { type: 'integer' },
          state: { type: 'string', enum: states },
          created_at: { type: 'string', format: 'date-time', description: 'When it was created.' },
        },
      },
    },
    reply: {},
    limits: {},
    enabled: true,
    source: { operationKey: `${method} /v1/${parent}s/${noun}s-${Math.floor(place / 25)}${ending}` },
  };
}

/** Fills an empty data folder with a registry of a size: servers of one API each, keys of one server each. */
export async function fillRegistry(dataDir, { tools, servers, keys }) {
  const store = await openStore({ dataDir });
  try {
    const put = (kind, entity) => ({ op: 'put', kind, entity });
    const apis = apisOf({ tools, servers });
    const entities = [
      ...Array.from({ length: apis }, (_, n) =>
        put('api', {
          ...row('api', n),
          slug: `${pick(nouns, n)}-${n}`,
          name: `The ${pick(nouns, n)}s of department ${n}`,
          baseUrl: 'http://127.0.0.1:9',
          headers: {},
          auth: { kind: 'none' },
          limits: {},
          enabled: true,
        }),
      ),
      ...Array.from({ length: servers }, (_, n) =>
        put('server', {
          ...row('srv', n),
          slug: `team-${n}`,
          name: `Team ${n}`,
          tools: [{ apiId: id('api', n % apis) }],
          overrides: {},
          policy: { kind: 'open' },
          ratePerMinute: 0,
          enabled: true,
        }),
      ),
      ...Array.from({ length: keys }, (_, n) =>
        put('key', {
          ...row('key', n),
          name: `agent ${n}`,
          hash: String(n).padStart(64, '0'),
          hint: 'hr_0',
          serverIds: servers > 0 ? [id('srv', n % servers)] : undefined,
        }),
      ),
    ];
    let { seq } = await store.registry.changesSince(0);
    for (let at = 0; at < entities.length; at += toolsPerCommit)
      seq = await store.registry.commit(seq, entities.slice(at, at + toolsPerCommit));
    for (let at = 0; at < tools; at += toolsPerCommit) {
      const some = Array.from({ length: Math.min(toolsPerCommit, tools - at) }, (_, n) =>
        put('tool', toolAt(at + n, apis)),
      );
      seq = await store.registry.commit(seq, some);
    }
  } finally {
    await store.close();
  }
}
