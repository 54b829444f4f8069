import { failure, isResponse } from './responses.ts';
import type { AuthHook, ErrorSite, IncomingRequest } from './types.ts';

/**
 * Lets the hook decide about a call. It denies by default: a hook that throws, or neither calls `next` nor responds,
 * results in a 401 without a reason. The tool runs at most once.
 */
export async function guardCall(
  authHook: AuthHook,
  request: IncomingRequest,
  toolName: string,
  run: () => Promise<Response>,
  onError: (error: unknown, site: ErrorSite) => void,
): Promise<Response> {
  let running: Promise<Response> | undefined;
  const next = (): Promise<Response> => (running ??= run());
  try {
    const answer: unknown = await authHook(request, next);
    if (isResponse(answer)) return answer;
    if (running !== undefined) return await running;
    return unauthorized();
  } catch (error) {
    onError(error, { during: 'auth', toolName });
    return unauthorized();
  }
}

function unauthorized(): Response {
  return failure(401, 'Unauthorized');
}
