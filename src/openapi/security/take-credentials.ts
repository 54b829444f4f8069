import type { AuthScheme } from '../../domain/auth-scheme.ts';
import type { DescribedOperation, ImportNote } from '../../domain/description.ts';
import type { Operation } from '../../domain/operation.ts';
import { findCredentials, type FoundCredential, plainName } from './find-credentials.ts';
import { withoutInput } from './operation-inputs.ts';
import { combineAuth } from './propose-auth.ts';
import type { SchemeTable } from './read-security.ts';

/** Operations without credential parameters, and the API's authentication that replaces them. */
export interface TakenCredentials {
  readonly operations: readonly DescribedOperation[];
  readonly auth: AuthScheme;
  /** Schemes found only in parameters. */
  readonly choices: readonly { readonly name: string; readonly auth: AuthScheme }[];
  readonly notes: readonly ImportNote[];
}

// The headers of a signature (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html): signing adds it.
const signatureHeaders = new Set(
  ['algorithm', 'contentsha256', 'credential', 'date', 'securitytoken', 'signature', 'signedheaders'].map(
    (part) => `xamz${part}`,
  ),
);

/** Moves the credentials that a document describes as parameters from its operations to the API's authentication. */
export function takeCredentials(
  described: readonly DescribedOperation[],
  declared: AuthScheme,
  table: SchemeTable,
): TakenCredentials {
  const operations = described.map(({ content }) => content?.operation ?? null);
  const total = operations.filter((operation) => operation !== null).length;
  const found = findCredentials(operations, namesIn([declared, ...table.values()]));
  const { auth, used, replaced } = combineAuth(declared, found, total);
  const verdicts = new Map<string, 'remove' | 'hide'>(
    found.map((credential) => [
      nameAt(credential.in, credential.key),
      used.has(credential) || replaced.has(credential) ? 'remove' : 'hide',
    ]),
  );
  const signs = schemesOf(auth).some(({ kind }) => kind === 'aws-sigv4');
  const isSigned = (key: string): boolean => signs && signatureHeaders.has(plainName(key));
  const verdictFor = (place: string, key: string): 'remove' | 'hide' | 'keep' => {
    if (place === 'path') return 'keep';
    return isSigned(key) ? 'remove' : (verdicts.get(nameAt(place, key)) ?? 'keep');
  };
  return {
    operations:
      verdicts.size === 0 && !signs ? described : described.map((each) => without(each, verdictFor)),
    auth,
    choices: [...replaced]
      .filter(({ key }) => !isSigned(key))
      .map(({ key, in: place, scheme }) => ({ name: `${key} (${place})`, auth: scheme })),
    notes: [
      ...found.filter(({ key }) => !isSigned(key)).map((credential) => noteFor(credential, used, replaced)),
      ...(signs ? noteSigned(operations) : []),
    ],
  };
}

// Headers, queries and cookies are searched together; body properties are separate.
function nameAt(place: string, key: string): string {
  return `${place === 'body' ? 'body' : 'head'} ${plainName(key)}`;
}

function without(
  operation: DescribedOperation,
  verdictFor: (place: string, key: string) => 'remove' | 'hide' | 'keep',
): DescribedOperation {
  if (!operation.content) return operation;
  const rest = withoutInput(operation.content.operation, ({ in: place, key }) => verdictFor(place, key));
  return rest === operation.content.operation
    ? operation
    : { ...operation, content: { ...operation.content, operation: rest } };
}

function schemesOf(scheme: AuthScheme): readonly AuthScheme[] {
  return scheme.kind === 'all' ? scheme.schemes : [scheme];
}

// The names that the document's own schemes use.
function namesIn(schemes: readonly AuthScheme[]): Set<string> {
  return new Set(
    schemes
      .flatMap(schemesOf)
      .flatMap((scheme) =>
        scheme.kind === 'api-key' ? [scheme.name] : scheme.kind === 'headers' ? scheme.names : [],
      )
      .map(plainName),
  );
}

function noteSigned(operations: readonly (Operation | null)[]): ImportNote[] {
  const names = new Set<string>();
  for (const operation of operations)
    for (const { in: place, key = '', name } of operation?.parameters ?? [])
      if (place === 'header' && signatureHeaders.has(plainName(key || name))) names.add(key || name);
  if (names.size === 0) return [];
  return [
    {
      code: 'signature_taken_out',
      message: `${[...names].map((name) => `"${name}"`).join(', ')}: signing adds them to each request, so no tool asks for them.`,
    },
  ];
}

function noteFor(
  credential: FoundCredential,
  used: ReadonlySet<FoundCredential>,
  replaced: ReadonlySet<FoundCredential>,
): ImportNote {
  const { key, in: place, operations } = credential;
  const many = `${operations.size} ${operations.size === 1 ? 'operation' : 'operations'}`;
  const where = place === 'body' ? `in the body of ${many}` : `${place} of ${many}`;
  const then = used.has(credential)
    ? 'it is part of the API’s authentication, so no tool asks for it.'
    : replaced.has(credential)
      ? 'the API’s authentication replaces it, so no tool asks for it.'
      : 'no tool asks for it. Fix a value for it if the API needs one.';
  return { code: 'credential_taken_out', message: `"${key}" (${where}) is a credential: ${then}` };
}
