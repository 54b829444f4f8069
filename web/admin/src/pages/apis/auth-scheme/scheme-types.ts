import type { Api } from '../../../api/resources.ts';

export type Auth = Api['auth'];
export type Kind = Auth['kind'];
/** A single scheme, not a combination. */
export type Scheme = Exclude<Auth, { kind: 'all' }>;

/** The scheme with an optional field set, or removed if empty. */
export function withOptional<S extends object, F extends keyof S>(
  scheme: S,
  field: F,
  value: S[F] | '' | undefined,
): S {
  const { [field]: _before, ...rest } = scheme;
  return (value === '' || value === undefined ? rest : { ...rest, [field]: value }) as S;
}
