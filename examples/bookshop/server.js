// An API to try Handrail with, described by openapi.yaml next to this file: `node server.js`, no packages
// needed. PORT chooses another port than 9000.
import { createServer } from 'node:http';

const books = [
  { id: 1, title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin', priceCents: 1299, copies: 4 },
  { id: 2, title: 'Invisible Cities', author: 'Italo Calvino', priceCents: 1150, copies: 2 },
  { id: 3, title: 'The Dispossessed', author: 'Ursula K. Le Guin', priceCents: 1399, copies: 0 },
  { id: 4, title: 'Kindred', author: 'Octavia E. Butler', priceCents: 1099, copies: 7 },
  { id: 5, title: 'The Name of the Rose', author: 'Umberto Eco', priceCents: 1599, copies: 3 },
];
const orders = [];

/** A reply that says why a request was rejected. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function listBooks(query) {
  const has = (text, part) => text.toLowerCase().includes((part ?? '').toLowerCase());
  const found = books.filter(
    ({ author, title }) => has(author, query.get('author')) && has(title, query.get('title')),
  );
  return [200, { books: found.slice(0, Number(query.get('limit') ?? 20)) }];
}

function find(list, id, what) {
  const found = list.find((each) => each.id === Number(id));
  if (!found) throw new Refusal(404, `There is no ${what} ${id}.`);
  return found;
}

function placeOrder({ book: id, copies, note }) {
  const book = find(books, id, 'book');
  if (!Number.isInteger(copies) || copies < 1)
    throw new Refusal(400, 'copies has to be a whole number above 0.');
  if (book.copies < copies) throw new Refusal(409, `Only ${book.copies} of "${book.title}" are left.`);
  book.copies -= copies;
  const order = {
    id: orders.length + 1,
    book: id,
    copies,
    ...(note && { note }),
    totalCents: copies * book.priceCents,
  };
  orders.push(order);
  return [201, order];
}

async function readBody(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 10_000) throw new Refusal(413, 'An order is shorter than that.');
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new Refusal(400, 'The body has to be JSON.');
  }
}

async function answer(request) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, collection, id] = pathname.split('/');
  switch (`${request.method} /${collection}${id === undefined ? '' : '/{id}'}`) {
    case 'GET /books':
      return listBooks(searchParams);
    case 'GET /books/{id}':
      return [200, find(books, id, 'book')];
    case 'POST /orders':
      return placeOrder(await readBody(request));
    case 'GET /orders/{id}':
      return [200, find(orders, id, 'order')];
    default:
      throw new Refusal(404, 'There is nothing here. See openapi.yaml for what there is.');
  }
}

/** The response to a request, including errors. */
async function reply(request) {
  try {
    return await answer(request);
  } catch (error) {
    if (error instanceof Refusal) return [error.status, { message: error.message }];
    console.error(error);
    return [500, { message: 'Something went wrong.' }];
  }
}

async function serve(request, response) {
  const [status, body] = await reply(request);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () =>
  console.log(`The bookshop answers at http://127.0.0.1:${server.address().port}`),
);
