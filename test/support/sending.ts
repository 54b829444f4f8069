import type { Api } from '../../src/domain/api.ts';
import type { Limits } from '../../src/domain/limits.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import { SignedRequest } from '../../src/pipeline/request/signed-request.ts';
import type { CompiledTool } from '../../src/pipeline/compiled-tool.ts';
import type { OpenCredential } from '../../src/pipeline/request/signed-request.ts';
import type { RequestPlan } from '../../src/pipeline/request/request-plan.ts';
import type { SendContext } from '../../src/pipeline/send.ts';

/** A request without a credential, straight to the send stage. */
export function requestTo(
  url: string,
  plan: Partial<RequestPlan> = {},
  credential: OpenCredential | null = null,
): SignedRequest {
  const parsed = new URL(url);
  const whole: RequestPlan = {
    method: 'GET',
    origin: parsed.origin,
    target: parsed.pathname + parsed.search,
    headers: {},
    body: null,
    ...plan,
  };
  return new SignedRequest(whole, whole, credential);
}

/** A send's context with only what the send stage looks at. */
export function contextWith(
  limits: Partial<Limits> = {},
  rest: {
    api?: Partial<Api>;
    toolId?: string;
    signal?: AbortSignal;
    deadlineMs?: number;
    callerId?: string;
  } = {},
): SendContext {
  const whole = { ...defaultLimits, ...limits };
  const api = { id: 'api_1', slug: 'one', name: 'One', builtIn: false, ...rest.api } as Api;
  return {
    tool: {
      api,
      tool: { id: rest.toolId ?? 'tool_1', name: 'one' },
      limits: whole,
    } as unknown as CompiledTool,
    limits: whole,
    callerId: rest.callerId ?? 'local',
    deadlineMs: rest.deadlineMs ?? Date.now() + whole.totalTimeoutMs,
    signal: rest.signal ?? new AbortController().signal,
  };
}
