import { answering, shop } from '../../../shop.js';

export const GET = answering((request) =>
  Response.json(shop.list(Object.fromEntries(new URL(request.url).searchParams))),
);

export const POST = answering(async (request) =>
  Response.json(shop.add(await request.json()), { status: 201 }),
);
