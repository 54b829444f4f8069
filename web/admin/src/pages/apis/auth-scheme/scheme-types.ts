import type { Api } from '../../../api/resources.ts';

export type Auth = Api['auth'];
export type Kind = Auth['kind'];
/** A scheme that is not several at once. */
export type Scheme = Exclude<Auth, { kind: 'all' }>;

/** The same scheme with an optional field set, or left out when it is empty. */
export function withOptional<S extends object, F extends keyof S>(
  scheme: S,
  field: F,
  value: S[F] | '' | undefined,
): S {
  const { [field]: _before, ...rest } = scheme;
  return (value === '' || value === undefined ? rest : { ...rest, [field]: value }) as S;
}
