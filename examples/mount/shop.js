// What these apps do, without a framework: the same in each of them.

/** A problem that the shop reports with a status. */
export class ShopError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const users = { 'ann-token-1234': { id: 'u1', name: 'Ann' }, 'bob-token-1234': { id: 'u2', name: 'Bob' } };

export function createShop() {
  const books = new Map([
    [1, { id: 1, title: 'Dune', author: 'Herbert', price: 9.99 }],
    [2, { id: 2, title: 'The Left Hand of Darkness', author: 'Le Guin', price: 12.5 }],
    [3, { id: 3, title: 'The Dispossessed', author: 'Le Guin', price: 11 }],
  ]);
  let nextId = 4;
  let left = 0;

  return {
    /** The user behind an `Authorization` header: what each app's auth middleware asks for. */
    userOf(authorization) {
      return users[/^Bearer (.+)$/.exec(authorization ?? '')?.[1]];
    },

    list({ author, copies = '1' }) {
      const found = [...books.values()].filter((book) => author === undefined || book.author === author);
      return Array.from({ length: Number(copies) }, () => found).flat();
    },

    get(id) {
      if (id === 500) throw new Error('the database password is hunter2');
      const book = books.get(id);
      if (book === undefined) throw new ShopError(404, `There is no book ${id}.`);
      return book;
    },

    add({ title, author, price }) {
      if (price < 0) throw new ShopError(422, 'A price cannot be negative.');
      const book = { id: nextId++, title, author, price };
      books.set(book.id, book);
      return book;
    },

    remove(id) {
      if (!books.delete(id)) throw new ShopError(404, `There is no book ${id}.`);
    },

    /** Takes an uploaded file of at most 10 kB. */
    async cover(form) {
      const file = form.get('file');
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (bytes.length > 10_000) throw new ShopError(413, 'A cover has at most 10,000 bytes.');
      return { name: file.name, size: bytes.length, sum: bytes.reduce((sum, byte) => sum + byte, 0) };
    },

    /** Three events, or none until the client leaves. */
    async *events(wait, signal) {
      if (wait) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        left++;
        return;
      }
      for (const n of [1, 2, 3]) yield new TextEncoder().encode(`data: event ${n}\n\n`);
    },

    /** Counts visits in a cookie. */
    visit(cookie) {
      const visits = Number(/visits=(\d+)/.exec(cookie ?? '')?.[1] ?? 0) + 1;
      return { body: { visits, left }, cookie: `visits=${visits}; Path=/; HttpOnly` };
    },
  };
}

/** An error as every app reports it: what a client may know, and no more. */
export function problemOf(error) {
  if (error instanceof ShopError) return { status: error.status, body: { error: error.message } };
  return { status: 500, body: { error: 'Something went wrong.' } };
}

/** The form in a Node request, for frameworks without a parser of their own. */
export function formOf(headers, body) {
  return new Response(body, { headers: { 'content-type': headers['content-type'] } }).formData();
}
