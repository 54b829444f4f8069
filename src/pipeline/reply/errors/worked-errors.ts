import type { Api } from '../../../domain/api.ts';
import type { Tool } from '../../../domain/tool.ts';
import { compile } from '../../compile.ts';
import { upstreamRefused } from './upstream-refused.ts';

interface Example {
  readonly like: string;
  readonly status: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const examples: readonly Example[] = [
  {
    like: 'GitHub',
    status: 422,
    body: '{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}',
  },
  {
    like: 'RFC 9457',
    status: 422,
    type: 'application/problem+json',
    body: '{"type":"https://api.example/probs/invalid","title":"Your request is not valid.","errors":[{"detail":"must be a positive integer","pointer":"#/age"}]}',
  },
  {
    like: 'RFC 7807',
    status: 400,
    type: 'application/problem+json',
    body: '{"title":"Your parameters did not validate.","invalid-params":[{"name":"color","reason":"must be green, red or blue"}]}',
  },
  {
    like: 'Laravel',
    status: 422,
    body: '{"message":"The given data was invalid.","errors":{"email":["The email has already been taken."]}}',
  },
  {
    like: 'ASP.NET Core',
    status: 400,
    body: '{"title":"One or more validation errors occurred.","status":400,"errors":{"Price":["The field Price must be between 1 and 100."]},"traceId":"00-84c1fd"}',
  },
  {
    like: 'Google',
    status: 400,
    body: '{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"page_size","description":"must not be negative"}]}]}}',
  },
  {
    like: 'Stripe',
    status: 402,
    body: '{"error":{"code":"card_declined","decline_code":"insufficient_funds","message":"Your card has insufficient funds.","param":"source","type":"card_error"}}',
  },
  {
    like: 'JSON:API',
    status: 422,
    body: '{"errors":[{"status":"422","code":"blank","title":"Invalid attribute","detail":"First name must not be empty.","source":{"pointer":"/data/attributes/firstName"}}]}',
  },
  {
    like: 'GraphQL',
    status: 400,
    body: '{"errors":[{"message":"Cannot query field \\"nme\\" on type \\"User\\".","path":["user"],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}',
  },
  {
    like: 'OData',
    status: 400,
    body: '{"error":{"code":"501","message":"Unsupported functionality","target":"query","details":[{"code":"301","target":"$search","message":"$search query option not supported"}]}}',
  },
  {
    like: 'SOAP',
    status: 500,
    type: 'text/xml',
    body: '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>Account 12 is not known</faultstring></s:Fault></s:Body></s:Envelope>',
  },
  {
    like: 'FastAPI',
    status: 422,
    body: '{"detail":[{"loc":["body","items",0,"price"],"msg":"value is not a valid float","type":"type_error.float"}]}',
  },
  {
    like: 'a message that is empty',
    status: 409,
    body: '{"message":"","reason":"the order was already shipped"}',
  },
  {
    like: 'JSON called HTML',
    status: 400,
    type: 'text/html',
    body: '{"error":"bad_date","detail":"from is after to"}',
  },
  {
    like: 'a page',
    status: 404,
    type: 'text/html',
    body: '<html><head><style>p{color:red}</style></head><body><h1>Not Found</h1><p>No repository named tols.</p></body></html>',
  },
  {
    like: 'a reason that is not the credential',
    status: 403,
    body: '{"message":"project is archived; unarchive it first"}',
  },
  { like: 'a credential', status: 401, body: '{"error":"invalid_token"}' },
  {
    like: 'a limit',
    status: 429,
    headers: { 'retry-after': '30' },
    body: '{"message":"Rate limit exceeded"}',
  },
  { like: 'maintenance', status: 503, headers: { 'retry-after': '120' }, body: '' },
  { like: 'a method', status: 405, body: '' },
  { like: 'something gone', status: 410, body: '{"error":"v1 was retired, use v2"}' },
];

/** The part of the errors page that shows what a model reads of what an API sent, made by the code that tells it. */
export function workedErrors(): string {
  const rows = examples.map((example) => {
    const sent = example.body === '' ? 'nothing' : cell(example.body);
    const extra = Object.entries(example.headers ?? {}).map(([name, value]) => `\`${name}: ${value}\` `);
    return `| ${example.like} | ${example.status} ${extra.join('')}${sent} | ${cell(read(example))} |`;
  });
  return [
    '',
    '## What a model reads of an API’s error',
    '',
    'Whatever its type, the body of an error is read as far as 4,000 characters go: which input, why and under which code first, then the rest. What to do',
    'comes from the status, the headers and the words. Bodies like those of known APIs and frameworks, and what becomes of them:',
    '',
    '| like | status and body | what the model reads |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const version = { revision: 1, createdAtMs: 0, updatedAtMs: 0 };
const api: Api = {
  id: 'api_example',
  slug: 'example',
  name: 'Example',
  baseUrl: 'https://api.example',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
  ...version,
};
const tool: Tool = {
  id: 'tool_example',
  apiId: api.id,
  name: 'example',
  description: '',
  tags: [],
  annotations: {},
  reply: {},
  limits: {},
  enabled: true,
  operation: {
    method: 'POST',
    path: '/',
    parameters: [{ name: 'q', in: 'query', schema: {}, required: false }],
  },
  ...version,
};

function read({ status, type = 'application/json', headers, body }: Example): string {
  const reply = {
    status,
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(body),
    tries: 1,
    cached: false,
    upstreamMs: 0,
  };
  return upstreamRefused(compile(api, tool), reply, (text) => text).message;
}

/** A text as code in a table: lines become breaks, and a bar or a backtick does not end it. */
function cell(text: string): string {
  return text
    .split('\n')
    .map((line) => `\`${line.replaceAll('|', '\\|').replaceAll('`', 'ˋ')}\``)
    .join('<br>');
}
