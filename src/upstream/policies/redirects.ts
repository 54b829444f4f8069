import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import { maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { Send, SendPolicy } from '../../pipeline/send.ts';
import { nextHop, redirectLocation } from '../redirect-hop.ts';

/** Follows redirects if the limits allow it. Each hop passes the egress guard; credentials stay with their origin. */
export const redirectPolicy: SendPolicy = (next) => {
  const send = async (...[first, context]: Parameters<Send>): Promise<Reply> => {
    let request = first;
    for (let hops = 0; ; hops++) {
      const reply = await next(request, context);
      const to = redirectLocation(reply.status, reply.headers, request.reveal());
      if (to === null) return reply;
      if (hops >= context.limits.maxRedirects) {
        throw upstreamErrors.tooManyRedirects(
          {
            max: context.limits.maxRedirects,
            location: placeOf(to, request.secrets()),
            slug: context.tool.api.slug,
          },
          { upstreamStatus: reply.status },
        );
      }
      request = request.redirected(
        nextHop(reply.status, to, request.plan, request.plan),
        nextHop(reply.status, to, request.reveal(), request.plan),
        to.origin === request.plan.origin,
      );
    }
  };
  return (request, context) =>
    context.limits.maxRedirects === 0 ? next(request, context) : send(request, context);
};

function placeOf(to: URL, secrets: readonly string[]): string {
  return maskTextFor(secrets)(`${to.origin}${to.pathname}`).slice(0, 300);
}
