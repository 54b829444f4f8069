import { answering, shop } from '../../../shop.js';

export const POST = answering((request) => {
  const { body, cookie } = shop.visit(request.headers.get('cookie'));
  return Response.json(body, { headers: { 'set-cookie': cookie } });
});
