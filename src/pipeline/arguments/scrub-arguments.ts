import { HandrailError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { mask, maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import type { Arguments, CompiledTool } from '../types.ts';

// Forms that are secrets by their look: issuers chose these prefixes to be found.
const secretForms =
  /\b(?:sk-[A-Za-z0-9_-]{20,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{18,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{36}|hr[ka]_[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})|-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:[\s\S]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----)?/g;

/**
 * Keeps secrets out of what a model sends: known key prefixes, JWTs, private keys, and the secrets stored here. Where
 * the tool says `block` the call is refused, where it says `redact` the value is masked. What the operator fixed
 * stays as it is.
 */
export function scrubArguments(
  { tool }: CompiledTool,
  args: Arguments,
  storedSecrets: (() => readonly string[]) | undefined,
): Arguments {
  const mode = tool.scrubArguments ?? 'off';
  if (mode === 'off') return args;
  const maskStored = maskTextFor(storedSecrets?.() ?? []);
  const scrubText = (text: string): string => maskStored(text.replace(secretForms, mask));
  const fixed = new Set(
    tool.operation.parameters.filter((one) => one.fixed !== undefined).map((one) => one.name),
  );
  const scrubbed: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(args)) {
    const clean = fixed.has(name) ? value : scrubValue(value, scrubText);
    if (mode === 'block' && clean !== value && JSON.stringify(clean) !== JSON.stringify(value))
      throw blocked(name);
    Object.defineProperty(scrubbed, name, {
      value: clean,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return scrubbed as Arguments;
}

function scrubValue(value: JsonValue, scrubText: (text: string) => string): JsonValue {
  if (typeof value === 'string') return scrubText(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => scrubValue(item, scrubText));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [name, inner] of Object.entries(value)) {
    Object.defineProperty(copy, name, {
      value: scrubValue(inner, scrubText),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

function blocked(name: string): HandrailError {
  return new HandrailError(
    'argument_blocked',
    `The argument "${name}" holds what looks like a secret (a key, token or private key). Leave it out: the gateway signs in by itself.`,
    { problems: [{ path: `/${name}`, message: 'holds a secret' }], notSent: true },
  );
}
