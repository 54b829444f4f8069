import type { PiiRule } from '../../domain/pii-rules.ts';
import type { Api, ParameterRules } from '../../domain/api.ts';
import type { AuthScheme, SecretPlace, SimpleScheme } from '../../domain/auth-scheme.ts';
import type { ServerTemplate } from '../../domain/fields/server-template.ts';
import type { Limits } from '../../domain/limits.ts';
import type { FieldEncoding, Operation, OperationBody, Parameter } from '../../domain/operation.ts';
import type {
  Server,
  ServerPolicy,
  ServerPrompt,
  ServerResource,
  ToolOverride,
} from '../../domain/server.ts';
import type { ReplyMapping, Tool, ToolAnnotations } from '../../domain/tool.ts';
import { isSecretName, mask } from '../../lib/secrets/mask-secrets.ts';

// How the admin API shows parts of the domain types. Every field is listed by name, so that a new field stays hidden
// until someone adds it here.

/** Picks the named fields of a value, leaving out undefined ones. */
export function only<T extends object, const K extends keyof T>(
  value: T,
  ...names: readonly K[]
): Pick<T, K> {
  const shown: Partial<Pick<T, K>> = {};
  for (const name of names) if (value[name] !== undefined) shown[name] = value[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a field that is absent was optional
  return shown as Pick<T, K>;
}

/** Applies `view` to each value of a record. */
function mapped<T, V>(values: Readonly<Record<string, T>>, view: (value: T) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, view(value)]));
}

/** Masks values whose name suggests a secret. */
export function maskByName(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? mask : value]),
  );
}

export function viewLimits(limits: Partial<Limits>): Partial<Limits> {
  return only(
    limits,
    'connectTimeoutMs',
    'firstByteTimeoutMs',
    'totalTimeoutMs',
    'maxReplyBytes',
    'retries',
    'idempotencyKeyHeader',
    'maxConcurrent',
    'maxQueued',
    'ratePerMinute',
    'cacheTtlMs',
    'maxRedirects',
    'breakerFailures',
    'breakerOpenMs',
  );
}

export function viewAuth(scheme: AuthScheme): AuthScheme {
  return scheme.kind === 'all'
    ? { kind: scheme.kind, schemes: scheme.schemes.map(viewSimpleAuth) }
    : viewSimpleAuth(scheme);
}

function viewSimpleAuth(scheme: SimpleScheme): SimpleScheme {
  switch (scheme.kind) {
    case 'none':
    case 'bearer':
    case 'basic':
    case 'mutual-tls':
      return { kind: scheme.kind };
    case 'api-key':
      return { kind: scheme.kind, ...viewPlace(scheme) };
    case 'headers':
      return only(scheme, 'kind', 'names');
    case 'login':
      return {
        ...only(scheme, 'kind', 'method', 'url', 'payloadIn', 'payloadFields', 'tokenPath', 'ttlMs'),
        ...only(scheme, 'invalidationKeywords'),
        place: viewPlace(scheme.place),
      };
    case 'oauth2':
      return {
        ...only(scheme, 'kind', 'grant', 'issuer', 'tokenUrl', 'authorizationUrl', 'scopes'),
        ...only(scheme, 'audience', 'clientAuth'),
      };
    case 'aws-sigv4':
      return only(scheme, 'kind', 'region', 'service');
    case 'hmac':
      return {
        ...only(scheme, 'kind', 'algorithm', 'encoding', 'parts', 'separator', 'timestampHeader'),
        ...only(scheme, 'timestampFormat', 'nonceHeader', 'keyIdHeader'),
        place: viewPlace(scheme.place),
      };
  }
}

function viewPlace(place: SecretPlace): SecretPlace {
  return only(place, 'in', 'name', 'prefix');
}

/** The PII rules of an API or a server, if it has any. */
export function viewPiiRules({ piiRules }: { readonly piiRules?: readonly PiiRule[] | undefined }): {
  piiRules?: PiiRule[];
} {
  if (piiRules === undefined) return {};
  return { piiRules: piiRules.map((rule) => only(rule, 'find', 'name', 'pattern', 'actions')) };
}

export function viewProbe(probe: NonNullable<Api['probe']>): NonNullable<Api['probe']> {
  return only(probe, 'path', 'everyMs');
}

export function viewServerTemplate({ url, variables }: ServerTemplate): ServerTemplate {
  return {
    url,
    variables: Object.fromEntries(
      Object.entries(variables).map(([name, variable]) => [
        name,
        only(variable, 'value', 'allowed', 'description'),
      ]),
    ),
  };
}

export function viewParameterRules(rules: ParameterRules): ParameterRules {
  return {
    ...only(rules, 'headers', 'cookies', 'technical', 'slashes'),
    ...(rules.fix && { fix: maskByName(rules.fix) }),
  };
}

export function viewOperation(operation: Operation): Operation {
  return {
    ...only(operation, 'method', 'path', 'baseUrl', 'accept', 'replySchema', 'defs', 'security'),
    ...only(operation, 'pagination', 'links', 'longRunning'),
    parameters: operation.parameters.map(viewParameter),
    ...(operation.body && { body: viewBody(operation.body) }),
  };
}

function viewParameter(parameter: Parameter): Parameter {
  const shown = only(
    parameter,
    'name',
    'in',
    'key',
    'schema',
    'required',
    'description',
    'default',
    'fixed',
    'hidden',
    'style',
    'explode',
    'allowReserved',
    'keepSlashes',
    'contentType',
  );
  // A fixed value whose name suggests a secret is one that an operator stored in the tool.
  return parameter.fixed !== undefined && isSecretName(parameter.key ?? parameter.name)
    ? { ...shown, fixed: mask }
    : shown;
}

function viewBody(body: OperationBody): OperationBody {
  return {
    ...only(body, 'mediaType', 'shape', 'template', 'required', 'open', 'binary'),
    ...(body.encoding && { encoding: mapped(body.encoding, viewEncoding) }),
  };
}

function viewEncoding(encoding: FieldEncoding): FieldEncoding {
  return only(encoding, 'contentType', 'style', 'explode', 'allowReserved', 'headers', 'file');
}

export function viewAnnotations(annotations: ToolAnnotations): ToolAnnotations {
  return only(annotations, 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint');
}

export function viewReply(reply: ReplyMapping): Tool['reply'] {
  return only(reply, 'select', 'template', 'maxBytes', 'maxTokens', 'html', 'wrapUntrusted', 'phrases');
}

/** Without the sealed secret of an introspection. */
export function viewPolicy(policy: ServerPolicy): ServerPolicy {
  switch (policy.kind) {
    case 'open':
    case 'basic':
    case 'sign-in':
      return { kind: policy.kind };
    case 'key':
      return only(policy, 'kind', 'header', 'allowQuery');
    case 'oauth':
      return {
        ...only(policy, 'kind', 'issuer', 'audience', 'scopes', 'toolScopes'),
        ...(policy.introspection && {
          introspection: only(policy.introspection, 'url', 'clientId', 'clientAuth'),
        }),
      };
  }
}

export function viewOverrides(overrides: Server['overrides']): Record<string, ToolOverride> {
  return mapped(overrides, (override) => only(override, 'name', 'description'));
}

export function viewIcons(icons: NonNullable<Server['icons']>): NonNullable<Server['icons']> {
  return icons.map((icon) => only(icon, 'src', 'mimeType', 'sizes'));
}

export function viewPrompt(prompt: ServerPrompt): ServerPrompt {
  return {
    ...only(prompt, 'name', 'title', 'description', 'text'),
    arguments: prompt.arguments.map((argument) =>
      only(argument, 'name', 'description', 'required', 'values'),
    ),
  };
}

export function viewResource(resource: ServerResource): ServerResource {
  return only(resource, 'uri', 'name', 'title', 'description', 'mimeType', 'text', 'toolId');
}
