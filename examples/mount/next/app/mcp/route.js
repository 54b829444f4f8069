import { handrail } from 'handrail/mount';
import { fetchFromRoutes } from 'handrail/mount/next';
import document from '../../../openapi.json';
import * as book from '../api/books/[id]/route.js';
import * as books from '../api/books/route.js';
import * as covers from '../api/covers/route.js';
import * as events from '../api/events/route.js';
import * as me from '../api/me/route.js';
import * as visits from '../api/visits/route.js';
import { shop } from '../../shop.js';

// At the first request: nothing is opened while Next builds.
let mounted;
const mount = () =>
  (mounted ??= handrail({
    document,
    fetch: fetchFromRoutes({
      '/api/books': books,
      '/api/books/[id]': book,
      '/api/covers': covers,
      '/api/events': events,
      '/api/me': me,
      '/api/visits': visits,
    }),
    forward: ['authorization', 'cookie'],
  }));

const answer = async (request) =>
  (await mount()).fetch(request, { user: shop.userOf(request.headers.get('authorization')) });

export { answer as DELETE, answer as GET, answer as POST };
