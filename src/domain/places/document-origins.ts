import { isSecretName } from '../../lib/secrets/mask-secrets.ts';
import type { Api } from '../api.ts';
import type { Tool } from '../tool.ts';

// A document can name another server for an operation. The API's secrets are sent there only after someone agreed to that
// origin; a URL that an operator set on a tool counts as agreed.

/** The origin that a tool's document, not an operator, names for it; null if it is the API's own. */
export function documentOrigin(api: Pick<Api, 'baseUrl'>, { operation, source }: Tool): string | null {
  const { baseUrl } = operation;
  if (baseUrl === undefined || source === undefined || !URL.canParse(baseUrl)) return null;
  if (source.imported !== undefined && source.imported.operation.baseUrl !== baseUrl) return null;
  const { origin } = new URL(baseUrl);
  return URL.canParse(api.baseUrl) && new URL(api.baseUrl).origin === origin ? null : origin;
}

/** A tool's document origin if no one has agreed to it yet; else null. */
export function unagreedOrigin(api: Pick<Api, 'baseUrl' | 'agreedOrigins'>, tool: Tool): string | null {
  const origin = documentOrigin(api, tool);
  return origin === null || api.agreedOrigins?.includes(origin) === true ? null : origin;
}

/** Whether calls would send an operator's or caller's own values in addition to a stored credential. */
export function carriesSecrets(
  api: Pick<Api, 'headers' | 'forwardHeaders' | 'identity'>,
  { operation }: Tool,
): boolean {
  return (
    Object.keys(api.headers).some(isSecretName) ||
    (api.forwardHeaders?.length ?? 0) > 0 ||
    api.identity !== undefined ||
    operation.parameters.some(({ fixed, key, name }) => fixed !== undefined && isSecretName(key ?? name))
  );
}

/** The message for a call that would send secrets to an origin that no one agreed to. */
export function askToAgree(api: Pick<Api, 'slug'>, origin: string): string {
  return `The document of the API "${api.slug}" sends this operation to ${origin}, but no one has agreed to send the API's secrets there. An owner agrees with: handrail apis agree ${api.slug} ${origin}`;
}
