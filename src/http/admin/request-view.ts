import type { z } from 'zod';
import { isSecretName, mask, maskQuery } from '../../lib/secrets/mask-secrets.ts';
import type { RequestPlan } from '../../pipeline/request/request-plan.ts';
import type { shownRequest } from '../contract/tools.ts';

/** A request in readable form, without its credential. */
export function viewRequest(plan: RequestPlan): z.input<typeof shownRequest> {
  return {
    method: plan.method,
    url: `${plan.origin}${maskQuery(plan.target)}`,
    headers: Object.fromEntries(
      Object.entries(plan.headers).map(([name, value]) => [name, isSecretName(name) ? mask : value]),
    ),
    body:
      plan.body === null
        ? null
        : typeof plan.body.content === 'string'
          ? plan.body.content
          : `(${plan.body.content.length} bytes)`,
  };
}
