import { answering, shop } from '../../../shop.js';

export const GET = answering((request) => {
  const wait = new URL(request.url).searchParams.get('wait') === 'true';
  return new Response(ReadableStream.from(shop.events(wait, request.signal)), {
    headers: { 'content-type': 'text/event-stream' },
  });
});
