import { createShop, problemOf } from '../shop.js';

// Next builds each route on its own; in one process they share this.
export const shop = (globalThis.shop ??= createShop());

/** A route handler whose errors become answers. */
export const answering = (handle) => async (request, context) => {
  try {
    return await handle(request, context);
  } catch (error) {
    const { status, body } = problemOf(error);
    return Response.json(body, { status });
  }
};
