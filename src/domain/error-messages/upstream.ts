import { template } from '../errors.ts';

/** What can go wrong between us and an API. */
export const upstreamErrors = {
  compressedTooOften: template('reply_invalid', 'The API compressed its reply more than twice.'),
  unexpectedEncoding: template(
    'reply_invalid',
    (v: { encoding: string }) =>
      `The API sent its reply in an encoding we did not accept (${v.encoding.slice(0, 20)}).`,
  ),

  // where we may connect
  schemeNotAllowed: template(
    'egress_refused',
    (v: { scheme: string }) => `Handrail calls http and https addresses only, not ${v.scheme}`,
  ),
  hostInvalid: template(
    'egress_refused',
    (v: { host: string }) => `${JSON.stringify(v.host)} is not a valid host name. Correct the address.`,
  ),
  notInEgressList: template(
    'egress_refused',
    (v: { reason: string }) => `Handrail may not connect there: ${v.reason}.`,
  ),
  // web/admin/src/components/remedies/remedy.ts reads the entry from this sentence.
  addressNotAllowed: template(
    'egress_refused',
    (v: { reason: string; entry: string }) =>
      `Handrail may not connect there: ${v.reason}. To allow it, an owner adds ${v.entry} under "Network allowlist" in the settings, or the operator sets HANDRAIL_EGRESS_ALLOW=${v.entry}.`,
  ),
  egressListInvalid: template(
    'invalid_input',
    (v: { reason: string }) => `The egress list cannot be read: ${v.reason}`,
  ),
  egressSettingInvalid: template(
    'config_invalid',
    (v: { reason: string }) => `HANDRAIL_EGRESS_ALLOW cannot be read: ${v.reason}`,
  ),
  proxySettingInvalid: template(
    'config_invalid',
    'HTTPS_PROXY must be an address such as http://proxy.example:3128.',
  ),
  proxyFailed: template(
    'upstream_unreachable',
    (v: { reason: string }) => `The proxy (HTTPS_PROXY) ${v.reason}.`,
  ),
  notAnAbsoluteUrl: template(
    'invalid_input',
    'The address is not an absolute URL such as https://api.example.com/.',
  ),
  credentialsInUrl: template(
    'invalid_input',
    'The address must not contain a user name or password: store them as a credential.',
  ),
  demoNotServed: template(
    'egress_refused',
    'The demo API is not served here: it runs on a loopback address with the embedded database, or with --demo.',
  ),

  // below HTTP
  unreachable: template(
    'upstream_unreachable',
    (v: { origin: string; reason: string }) => `${v.origin} cannot be reached: ${v.reason}.`,
  ),
  unreachableForUnknownReason: template(
    'upstream_unreachable',
    (v: { origin: string }) => `${v.origin} cannot be reached.`,
  ),
  noConnectionInTime: template(
    'upstream_timeout',
    (v: { origin: string }) => `${v.origin} did not accept a connection in time.`,
  ),
  noAnswerInTime: template(
    'upstream_timeout',
    (v: { origin: string }) => `${v.origin} accepted the request but did not start to answer in time.`,
  ),
  headersTooLarge: template(
    'reply_invalid',
    (v: { origin: string }) => `${v.origin} answered with headers larger than 32 kB.`,
  ),
  notHttp: template(
    'reply_invalid',
    (v: { origin: string }) => `${v.origin} answered with something that is not valid HTTP.`,
  ),
  tlsFailed: template(
    'upstream_unreachable',
    (v: { origin: string; code: string }) => `${v.origin} and Handrail cannot agree on TLS (${v.code}).`,
  ),
  connectionClosed: template(
    'upstream_unreachable',
    (v: { origin: string }) => `${v.origin} closed the connection before its answer was complete.`,
  ),

  // sending
  callerLeftBeforeSending: template('cancelled', 'The caller disconnected before anything was sent.'),
  callerLeftBeforeReply: template('cancelled', 'The caller disconnected before the upstream answered.'),
  callerLeftWhileSharing: template(
    'cancelled',
    'The caller disconnected while waiting for the same request of another call.',
  ),
  callerLeftInQueue: template('cancelled', 'The caller disconnected while the call was in the queue.'),
  timedOutBeforeSending: template('upstream_timeout', 'The call timed out before it was sent.'),
  noReplyInTime: template(
    'upstream_timeout',
    (v: { origin: string }) => `${v.origin} did not answer in time.`,
  ),
  replyIncompleteInTime: template(
    'upstream_timeout',
    (v: { origin: string }) => `${v.origin} started to answer but did not finish in time.`,
  ),
  sharedReplyTimedOut: template(
    'upstream_timeout',
    'The API did not answer the same request of another call in time.',
  ),
  valueNotSendable: template('unsafe_value', 'The request contains a value that HTTP cannot carry.'),

  // policies
  tooManyLargeReplies: template(
    'overloaded',
    'Too many large replies are in progress. Wait a second and call again, or ask for less at a time.',
  ),
  queueTimeout: template(
    'overloaded',
    (v: { slug: string; maxConcurrent: number }) =>
      `The call timed out in the queue: too many calls to the API "${v.slug}" are running (limit ${v.maxConcurrent}). Retry later, or raise maxConcurrent for this API.`,
  ),
  queueFull: template(
    'overloaded',
    (v: { slug: string; maxConcurrent: number; maxQueued: number }) =>
      `Too many calls to the API "${v.slug}": ${v.maxConcurrent} are running and ${v.maxQueued} are queued.`,
  ),
  circuitOpen: template(
    'circuit_open',
    (v: { slug: string; times: string }) =>
      `The API "${v.slug}" failed ${v.times} in a row, so nothing is sent to it for a while.`,
  ),
  rateLimited: template(
    'rate_limited',
    (v: { calls: string; who: string }) =>
      `The limit of ${v.calls} per minute for ${v.who} has been reached.`,
  ),
  tooManyRedirects: template(
    'upstream_redirect',
    (v: { max: number; location: string; slug: string }) =>
      `The API redirects more than ${v.max} times, most recently to ${v.location}. If this is not a loop, its operator can raise maxRedirects in the limits of the API "${v.slug}".`,
  ),
  tooManyHops: template(
    'upstream_redirect',
    (v: { origin: string; max: number }) => `${v.origin} redirects more than ${v.max} times.`,
  ),
  redirectUnreadable: template('upstream_redirect', 'The API redirects to an address that cannot be parsed.'),
  redirectScheme: template(
    'upstream_redirect',
    (v: { scheme: string }) =>
      `The API redirects to an address with the scheme ${v.scheme}, which is never followed: only http and https are.`,
  ),

  // receiving
  replyTooLarge: template(
    'reply_too_large',
    (v: { maxBytes: number }) =>
      `The reply is larger than the limit of ${v.maxBytes} bytes. Ask for less (a filter, fewer fields, a smaller page); the operator can raise maxReplyBytes.`,
  ),
  replyNotDecompressable: template(
    'reply_invalid',
    (v: { encoding: string }) => `The reply is labeled as ${v.encoding}, but it cannot be decompressed.`,
  ),
  fileNotDecompressable: template('reply_invalid', 'The reply cannot be decompressed.'),
  fileNotFetched: template(
    'invalid_arguments',
    (v: { reason: string }) => `The file could not be fetched: ${v.reason}. Nothing was sent to the API.`,
  ),
};
