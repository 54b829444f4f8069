import { answering, shop } from '../../../shop.js';

export const GET = answering((request) => {
  const user = shop.userOf(request.headers.get('authorization'));
  if (user === undefined) return Response.json({ error: 'Sign in first.' }, { status: 401 });
  return Response.json({ user, headers: Object.fromEntries(request.headers) });
});
