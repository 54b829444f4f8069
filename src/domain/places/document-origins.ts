import { isSecretName } from '../../lib/secrets/mask-secrets.ts';
import type { Api } from '../api.ts';
import type { Tool } from '../tool.ts';

// A document can send an operation to a server of its own. What an operator keeps for the API goes there only once a
// person agreed to that origin; what an operator wrote into a tool is agreed to by that.

/** The origin that its document, not a person, sends a tool to; null when that is the API's own. */
export function documentOrigin(api: Pick<Api, 'baseUrl'>, { operation, source }: Tool): string | null {
  const { baseUrl } = operation;
  if (baseUrl === undefined || source === undefined || !URL.canParse(baseUrl)) return null;
  if (source.imported !== undefined && source.imported.operation.baseUrl !== baseUrl) return null;
  const { origin } = new URL(baseUrl);
  return URL.canParse(api.baseUrl) && new URL(api.baseUrl).origin === origin ? null : origin;
}

/** The origin that nobody has agreed to yet, of a tool that its document sends there; else null. */
export function unagreedOrigin(api: Pick<Api, 'baseUrl' | 'agreedOrigins'>, tool: Tool): string | null {
  const origin = documentOrigin(api, tool);
  return origin === null || api.agreedOrigins?.includes(origin) === true ? null : origin;
}

/** Whether something besides a stored credential would go along with a call that is its operator's or caller's own. */
export function carriesSecrets(api: Pick<Api, 'headers' | 'forwardHeaders'>, { operation }: Tool): boolean {
  return (
    Object.keys(api.headers).some(isSecretName) ||
    (api.forwardHeaders?.length ?? 0) > 0 ||
    operation.parameters.some(({ fixed, key, name }) => fixed !== undefined && isSecretName(key ?? name))
  );
}

/** What to tell whoever calls a tool that would take secrets to an origin that nobody agreed to. */
export function askToAgree(api: Pick<Api, 'slug'>, origin: string): string {
  return `The document of the API "${api.slug}" sends this operation to ${origin}, and nobody has agreed that the API's secrets go there. An owner agrees with: handrail apis agree ${api.slug} ${origin}`;
}
