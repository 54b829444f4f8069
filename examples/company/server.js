// Twenty small APIs like those of a company, to try Handrail with: `node server.js`, no packages needed. Each
// has its description at /NAME/openapi.json, and GET / lists their names. PORT chooses another port than 9100.
import { createServer } from 'node:http';

// What each API stores, and the fields of one record.
const apis = {
  accounts: ['account', { owner: 'Ada', plan: 'team', seats: 12 }],
  assets: ['asset', { kind: 'laptop', serial: 'HX-204', holder: 'Grace' }],
  billing: ['invoice', { customer: 'Northwind', totalCents: 48_000, isPaid: false }],
  calendar: ['meeting', { title: 'Roadmap', room: 'Blue', startsAt: '2026-03-02T09:00:00Z' }],
  catalogue: ['product', { name: 'Desk lamp', priceCents: 3_900, stock: 31 }],
  contracts: ['contract', { party: 'Contoso', endsOn: '2027-01-31', isSigned: true }],
  delivery: ['shipment', { order: 7, carrier: 'Post', status: 'under way' }],
  expenses: ['expense', { employee: 'Alan', amountCents: 1_850, reason: 'train' }],
  facilities: ['room', { name: 'Blue', floor: 2, seats: 8 }],
  helpdesk: ['ticket', { subject: 'No network', priority: 'high', status: 'open' }],
  incidents: ['incident', { title: 'Slow checkout', severity: 2, isResolved: false }],
  inventory: ['item', { sku: 'LAMP-1', shelf: 'C4', quantity: 31 }],
  leads: ['lead', { company: 'Fabrikam', stage: 'offer', valueCents: 900_000 }],
  orders: ['order', { customer: 'Northwind', totalCents: 7_800, status: 'packed' }],
  payroll: ['payslip', { employee: 'Grace', month: '2026-02', netCents: 412_000 }],
  projects: ['project', { name: 'Checkout', lead: 'Alan', dueOn: '2026-06-30' }],
  releases: ['release', { version: '4.2.0', date: '2026-02-20', isStable: true }],
  staff: ['employee', { name: 'Grace', team: 'Platform', office: 'Lisbon' }],
  surveys: ['survey', { title: 'Onboarding', answers: 87, score: 4.4 }],
  travel: ['trip', { employee: 'Ada', to: 'Lisbon', startsOn: '2026-04-12' }],
};

const typeOf = (value) =>
  typeof value === 'number' && !Number.isInteger(value)
    ? 'number'
    : typeof value === 'number'
      ? 'integer'
      : typeof value;
const capitalised = (word) => word[0].toUpperCase() + word.slice(1);

/** The description of one API. */
function describe(name, origin) {
  const [noun, example] = apis[name];
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      ...Object.fromEntries(
        Object.entries(example).map(([field, value]) => [field, { type: typeOf(value) }]),
      ),
    },
  };
  const json = (description, content) => ({
    description,
    content: { 'application/json': { schema: content } },
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  return {
    openapi: '3.1.0',
    info: { title: capitalised(name), version: '1.0.0' },
    servers: [{ url: `${origin}/${name}` }],
    paths: {
      [`/${noun}s`]: {
        get: {
          operationId: `${name}List`,
          summary: `List every ${noun}`,
          tags: [name],
          responses: { 200: json(`Every ${noun}.`, { type: 'array', items: schema }) },
        },
      },
      [`/${noun}s/{id}`]: {
        get: {
          operationId: `${name}Get`,
          summary: `Look up one ${noun} by its number`,
          tags: [name],
          parameters: [id],
          responses: { 200: json(`The ${noun}.`, schema) },
        },
      },
    },
  };
}

/** The requested record, or undefined if it doesn't exist. */
function answer(path, origin) {
  const [, name = '', collection, id] = path.split('/');
  if (path === '/') return Object.keys(apis);
  if (!Object.hasOwn(apis, name)) return undefined;
  if (collection === 'openapi.json') return describe(name, origin);
  const [noun, example] = apis[name];
  const all = [1, 2, 3].map((number) => ({ id: number, ...example }));
  if (collection !== `${noun}s`) return undefined;
  return id === undefined ? all : all.find((each) => each.id === Number(id));
}

const server = createServer((request, response) => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  const body = answer(new URL(request.url ?? '/', origin).pathname, origin);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? { message: 'There is nothing here. GET / lists the APIs.' }));
});
server.listen(Number(process.env.PORT ?? 9100), '127.0.0.1', () =>
  console.log(`Twenty APIs answer at http://127.0.0.1:${server.address().port}`),
);
