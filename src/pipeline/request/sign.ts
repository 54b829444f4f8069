import { meaning } from '../../domain/places/operator-places.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { asJson, isJsonObject, type JsonValue } from '../../domain/json-schema.ts';
import { carryWritten, jsonText, parseExactly } from '../../lib/json/numbers/exact-numbers.ts';
import { SignedRequest } from './signed-request.ts';
import type { OpenCredential } from './signed-request.ts';
import type { RequestBody, RequestPlan } from './request-plan.ts';

// Methods whose requests have no body unless the operation describes one.
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS']);
const formType = 'application/x-www-form-urlencoded';

/** Puts the credential into the request. Pure; what it returns can be sent but not printed. */
export function sign(plan: RequestPlan, credential: OpenCredential | null): SignedRequest {
  if (credential === null) return new SignedRequest(plan, plan, null);
  const headers: Record<string, string> = { ...plan.headers };
  let { target, body } = plan;
  const cookies: string[] = headers['cookie'] === undefined ? [] : [headers['cookie']];
  for (const { in: place, name, value } of credential.placements) {
    if (place === 'header') headers[name.toLowerCase()] = value;
    else if (place === 'query') target = withQuery(target, name, value);
    else if (place === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`);
    else if (body !== null || !bodiless.has(plan.method)) body = withField(body, name, value);
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  if (body !== null && body !== plan.body) headers['content-type'] = body.contentType;
  const full: RequestPlan = { ...plan, target, headers, body };
  if (credential.signature === undefined) return new SignedRequest(plan, full, credential);
  return new SignedRequest(
    plan,
    { ...full, headers: { ...headers, ...credential.signature(full) } },
    credential,
  );
}

function withQuery(target: string, name: string, value: string): string {
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return `${target}${target.includes('?') ? '&' : '?'}${pair}`;
}

function withField(body: RequestBody | null, name: string, value: string): RequestBody {
  const contentType = body?.contentType ?? 'application/json';
  if (body === null || (body.fields !== undefined && !contentType.startsWith(formType))) {
    const fields = withNewField(body?.fields ?? {}, name, value);
    return { contentType, content: jsonText(fields), fields };
  }
  // A form keeps what was written and gets one more pair.
  if (contentType.startsWith(formType) && typeof body.content === 'string') {
    const pair = new URLSearchParams({ [name]: value }).toString();
    return { ...body, content: body.content === '' ? pair : `${body.content}&${pair}` };
  }
  if (body.extend !== undefined) return body.extend(name, value);
  const content = typeof body.content === 'string' ? withJsonField(body.content, name, value) : null;
  if (content === null) {
    throw pipelineErrors.credentialNeedsBodyFields({ field: name });
  }
  return { contentType, content };
}

type Fields = Readonly<Record<string, JsonValue>>;

function withNewField(fields: Fields, name: string, value: string): Fields {
  const more = { ...fields, [name]: value };
  carryWritten(fields, more);
  return more;
}

// Inserted into the text, so that everything else stays exactly as the template wrote it.
function withJsonField(text: string, name: string, value: string): string | null {
  let parsed: JsonValue;
  try {
    parsed = asJson(parseExactly(text));
  } catch {
    return null;
  }
  if (!isJsonObject(parsed)) return null;
  const means = meaning(name);
  const other = Object.keys(parsed).find((key) => key !== name && means(key));
  if (other !== undefined)
    throw pipelineErrors.credentialFieldInBody({ field: JSON.stringify(other.slice(0, 100)) });
  if (Object.hasOwn(parsed, name)) return jsonText(withNewField(parsed, name, value));
  const brace = text.indexOf('{') + 1;
  const comma = Object.keys(parsed).length === 0 ? '' : ',';
  return `${text.slice(0, brace)}${JSON.stringify(name)}:${JSON.stringify(value)}${comma}${text.slice(brace)}`;
}
