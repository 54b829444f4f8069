import type { Retry } from '../../../domain/errors.ts';
import type { CompiledTool } from '../../compiled-tool.ts';
import { waitText } from './retry-after.ts';

/** What a caller should do about an error of the API. */
export interface Advice {
  readonly text: string;
  readonly retry: Retry;
}

/** What is known about an error when advice is chosen. */
export interface ErrorFacts {
  readonly status: number;
  /** Everything the API said, in lower case. */
  readonly said: string;
  /** Whether the error names an input. */
  readonly namesField: boolean;
  readonly waitMs: number | undefined;
  readonly tool: CompiledTool;
}

const aboutCredential =
  /api[ _-]?key|credential|authenticat|authori[sz]|unauthori[sz]ed|permission|permitted|privilege|(?:^|[^a-z])(?:scopes?|roles?|token)(?:$|[^a-z])|access[ _-]?token|log(?:ged)?[ _-]?in\b|sign(?:ed)?[ _-]?in\b|password|access[ _-]?denied|not allowed to|do(?:es)? not have access|no access|oauth|bearer|signature|insufficient (?:rights|access)|security constraint|\bacl\b|ip (?:address )?(?:is )?not (?:allowed|whitelisted)/;
// If the status is not about credentials, the wording must be unambiguous.
const certainlyCredential =
  /api[ _-]?key (?:is |was )?(?:not valid|invalid|expired|missing|not found)|api_key_invalid|invalid[ _-]?api[ _-]?key|missing[ _-]?api[ _-]?key|invalid_grant|invalid_client|unauthorized_client|invalid[ _-]?access[ _-]?token|access[ _-]?token (?:has |is )?(?:expired|invalid)|expired[ _-]?token|token (?:has |is )expired|unauthenticated|authentication (?:failed|required|failure)|not authenticated|invalid credentials|bad credentials|(?:error )?validating access token|signaturedoesnotmatch|invalidsignature|invalidclienttokenid|incorrect username or password|accessdenied|invalid_auth|not_authed|token_revoked|account_inactive|missing_scope/;
const aboutLimit =
  /rate[ _-]?limit|too[ _-]?many[ _-]?(?:requests|calls|attempts)|throttl|quota|slow[ _-]?down|requestlimitexceeded|throughput ?exceeded|limit ?exceeded ?exception|rate exceeded|(?:request|usage|call|api|hourly|daily|monthly) limit/;
const aboutMoney =
  /billing|insufficient[ _-]?(?:quota|funds|credits?|balance)|payment (?:is )?required|out of credits?|credit balance|upgrade (?:your|to)|subscription (?:has )?(?:expired|is required)|\bplan\b.{0,60}(?:not|does|limit|upgrade|include)/;
const unknownAddress =
  /cannot (?:get|post|put|patch|delete|head|options) \/|no (?:such )?route|route not found|(?:unknown|invalid|no such) (?:endpoint|route|url|resource path)|endpoint not found|unrecognized request url|no static resource|no http resource was found|the requested url was not found on this server/;
const clientFault = /(?:^|[\s:(.])(?:client|sender)(?:$|[\s.):;])/;

const askOperator = 'tell the user that the operator of this gateway needs to look into it';
const credential = `The credential stored for this API is missing, was not accepted, or is not allowed to do this; its operator must check it. Retrying will not help.`;

/** What to do about an error of the API, based on its status and, where more specific, on its message. */
export function adviceFor(given: ErrorFacts): Advice {
  const known = given.status < 300 ? { ...given, status: meantStatus(given.said) } : given;
  const { status, said, waitMs } = known;
  const limited = status === 429 || aboutLimit.test(said);
  if (status < 500 && aboutMoney.test(said) && (limited || status === 402 || status === 403))
    return never(
      'This is about money (a payment, a plan or a balance): tell the user. The same call will fail again.',
    );
  if (limited && (status === 429 || status === 403 || status === 400 || status === 503))
    return wait(waitMs, 'A limit of this API is reached.');
  if (status === 401) return never(credential);
  if (status === 403) return forbidden(said);
  if (status < 500 && certainlyCredential.test(said)) return never(credential);
  if (status >= 500) return serverFault(known);
  if (waitMs !== undefined && waitMs > 0) return wait(waitMs, '');
  return byStatus(known);
}

// By the codes of gRPC.
const meantByGrpc: Readonly<Record<string, number>> = {
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 409,
  10: 409,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
};

/** The status that a failure with a status of success would have had. */
function meantStatus(said: string): number {
  const grpc = /grpc-status: (\d{1,2})\b/.exec(said)?.[1];
  if (grpc !== undefined) return meantByGrpc[grpc] ?? 400;
  if (/unauthenticated|not_authed|invalid_auth|token_(?:revoked|expired)|account_inactive/.test(said))
    return 401;
  if (/forbidden|not authori[sz]ed|permission|access[ _]denied|missing_scope|not_allowed/.test(said))
    return 403;
  if (/internal[ _](?:server[ _])?error|service[ _]unavailable|fatal_error/.test(said)) return 500;
  return /not[ _]found|no such|does not exist/.test(said) ? 404 : 400;
}

const aboutFirewall =
  /cloudflare|ray id|akamai|incapsula|imperva|web application firewall|\bwaf\b|request (?:was )?blocked|blocked by|access to this (?:page|resource) (?:has been|is) (?:denied|blocked)|attention required|security service to protect|cloudfront|reference #[0-9a-f.]+/;

function forbidden(said: string): Advice {
  if (aboutFirewall.test(said))
    return never(
      `A firewall in front of the API blocked this request, before the API saw it: ${askOperator}. Calling again unchanged will not help; unusual characters or long texts in the arguments may be the cause.`,
    );
  const words = said.replace(/\b(?:403|forbidden|error|http)\b|[^\p{L}]/gu, '');
  if (words === '')
    return never(
      'Most likely the credential stored for this API is not allowed to do this; its operator must check it. Retrying will not help.',
    );
  if (aboutCredential.test(said)) return never(credential);
  return change(
    'The API rejected this for the reason it gives, not because of how it was called: resolve that reason first, or tell the user. The same call will fail again.',
  );
}

function serverFault({ status, said, namesField, waitMs, tool }: ErrorFacts): Advice {
  if (status === 501 || status === 505)
    return never(`The API does not support this operation: ${askOperator}. Retrying will not help.`);
  if (status === 511)
    return never(`Something between this gateway and the API requires a network login: ${askOperator}.`);
  if (waitMs !== undefined) return wait(waitMs, 'The problem is on the API’s side.');
  if (clientFault.test(said)) return change(argumentsAdvice(tool));
  if (namesField)
    return change(
      'The API names the arguments it could not accept: check those. If they are right, the problem is on the API’s side; trying again later may help.',
    );
  return later('The problem is on the API’s side; trying again later may help.');
}

function byStatus({ status, said, tool }: ErrorFacts): Advice {
  const { method, body } = tool.tool.operation;
  switch (status) {
    case 402:
      return never('The API requires a payment for this first: tell the user.');
    case 404:
      return unknownAddress.test(said)
        ? never(
            `The API does not know the address that this tool calls: ${askOperator} (the base URL of the API, or the path of the tool). Other arguments are unlikely to help.`,
          )
        : change('Check the arguments that name what you asked for.');
    case 405:
      return never(
        `The API does not accept ${method} at this address, so this tool cannot work as it is: ${askOperator}. Other arguments will not help.`,
      );
    case 406:
      return never(
        `The API cannot answer in a form that this tool accepts: ${askOperator} (its Accept header).`,
      );
    case 407:
      return never(`A proxy between this gateway and the API requires a login: ${askOperator}.`);
    case 408:
    case 421:
    case 425:
      return later('Call again; the request itself may be fine.');
    case 409:
      return change(
        'This conflicts with the current state: read the current state, then call again with arguments that fit it.',
      );
    case 410:
      return never(
        'What you asked for is permanently gone. Do not ask for it again: look for its replacement, or tell the user.',
      );
    case 412:
    case 428:
      return change('It may have changed in the meantime: read it again and call with its current version.');
    case 413:
      return change('Send less at once.');
    case 414:
    case 431:
      return change('The arguments are too long for the API: shorten them.');
    case 415:
      return body?.binary === true || body?.mediaType.startsWith('multipart/') === true
        ? change(`The API does not accept this kind of file: send another type, or ${askOperator}.`)
        : never(
            `The API does not accept the content type that this tool sends${body === undefined ? '' : ` (${body.mediaType})`}: ${askOperator}. Other arguments will not help.`,
          );
    case 416:
      return change('Ask for a part that exists.');
    case 423:
      return later('It is locked: try again later, or tell the user who holds the lock.');
    case 424:
      return change('Something this depends on failed first: resolve that.');
    case 426:
      return never(`The API requires a different protocol version: ${askOperator}.`);
    case 451:
      return never('The API may not provide this for legal reasons: tell the user. Retrying will not help.');
    default:
      return change(argumentsAdvice(tool));
  }
}

function argumentsAdvice(tool: CompiledTool): string {
  const shown = tool.tool.operation.parameters.some(({ hidden, fixed }) => !hidden && fixed === undefined);
  return shown
    ? 'Change the arguments before trying again.'
    : `This tool has no arguments to change: ${askOperator}.`;
}

function wait(waitMs: number | undefined, why: string): Advice {
  const how =
    waitMs === undefined ? 'Wait a while before trying again.' : `Try again in ${waitText(waitMs)}.`;
  return later(why === '' ? how : `${why} ${how}`);
}

function change(text: string): Advice {
  return { text, retry: 'after-change' };
}

function never(text: string): Advice {
  return { text, retry: 'never' };
}

function later(text: string): Advice {
  return { text, retry: 'later' };
}
