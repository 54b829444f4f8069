import { isSecretName } from '../../lib/secrets/mask-secrets.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { SignedRequest } from './signed-request.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

const ownSecrets = new WeakCache<CompiledTool, readonly string[]>();

/**
 * Every secret value that a request carries: its credential's, and those the operator put into the API's headers or into
 * fixed parameters. For masking replies and records.
 */
export function secretsOf(tool: CompiledTool, request: SignedRequest | null): readonly string[] {
  let own = ownSecrets.get(tool);
  if (own === undefined) ownSecrets.set(tool, (own = findOwn(tool)));
  const carried = request?.secrets() ?? own;
  if (own.length === 0 || carried === own) return carried;
  return carried.length === 0 ? own : [...carried, ...own];
}

function findOwn({ api, tool }: CompiledTool): readonly string[] {
  const headers = Object.entries(api.headers)
    .filter(([name]) => isSecretName(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+\s+/, '')]);
  const fixed = tool.operation.parameters.flatMap(({ name, key = name, fixed: value }) =>
    typeof value === 'string' && isSecretName(key) ? [value] : [],
  );
  return [...headers, ...fixed];
}
