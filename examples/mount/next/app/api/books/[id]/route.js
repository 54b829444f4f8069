import { answering, shop } from '../../../../shop.js';

export const GET = answering(async (_request, { params }) => {
  const { id } = await params;
  return Response.json(shop.get(Number(id)));
});

export const DELETE = answering(async (_request, { params }) => {
  const { id } = await params;
  shop.remove(Number(id));
  return new Response(null, { status: 204 });
});
