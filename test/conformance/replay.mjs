// Asks two gateways, one with the fast lane and one without, everything that was recorded, and compares their answers.
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

// How long an answer may take that was complete before the next question, and one that was not.
const completeMs = 10_000;
const overlapMs = 150;

/** Replays exchanges at every gateway and returns those that were not answered, or not alike. */
export async function compareReplays(exchanges, gatewayUrls) {
  const replays = await Promise.all(gatewayUrls.map((url) => replay(exchanges, url)));
  return exchanges
    .map((exchange, i) => ({ exchange, answers: replays.map((answers) => answers[i]) }))
    .filter(
      ({ answers: [first, ...others] }) =>
        first.status === 0 || others.some((other) => !isDeepStrictEqual(first, other)),
    );
}

async function replay(exchanges, gatewayUrl) {
  // What a server asks of its client has an id that differs each time; the client's recorded reply has to follow it.
  const ids = new Map();
  const open = [];
  for (const [i, exchange] of exchanges.entries()) {
    const asked = ask(exchange, gatewayUrl, ids);
    open.push(asked);
    const next = exchanges[i + 1];
    const complete = next === undefined || exchange.endedAt < next.askedAt;
    // What the recorded client had given up by itself, or what was still open, goes on beside the rest.
    await Promise.race([asked.ended, delay(complete ? completeMs : overlapMs)]);
    for (const earlier of open) matchIds(earlier, ids);
  }
  await delay(overlapMs);
  const answers = open.map(({ answer }) => normalise(answer));
  for (const { close } of open) close();
  return answers;
}

function ask(exchange, gatewayUrl, ids) {
  const { hostname, port } = new URL(gatewayUrl);
  const answer = { status: 0, type: undefined, session: false, text: '' };
  const body = withCurrentId(exchange.body, ids);
  const req = request({
    hostname,
    port,
    method: exchange.method,
    path: exchange.path,
    headers: [
      ...withoutLength(exchange.headers),
      ...(body.length > 0 ? ['content-length', `${body.length}`] : []),
    ],
    setHost: false,
    agent: false,
  });
  const ended = new Promise((resolve) => {
    req.on('response', (res) => {
      answer.status = res.statusCode;
      answer.type = res.headers['content-type'];
      answer.session = res.headers['mcp-session-id'] !== undefined;
      res.setEncoding('utf8');
      res.on('data', (chunk) => (answer.text += chunk));
      res.on('close', resolve).on('error', resolve);
    });
    req.on('error', resolve);
  });
  req.end(body);
  return { exchange, answer, ended, close: () => req.destroy() };
}

function withoutLength(rawHeaders) {
  const kept = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^(?:content-length|transfer-encoding|connection)$/i.test(rawHeaders[i]))
      kept.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return [...kept, 'connection', 'close'];
}

function withCurrentId(body, ids) {
  let message;
  try {
    message = JSON.parse(body.toString('utf8'));
  } catch {
    return body;
  }
  if (message === null || typeof message !== 'object' || message.method !== undefined) return body;
  return ids.has(message.id) ? Buffer.from(JSON.stringify({ ...message, id: ids.get(message.id) })) : body;
}

/** Pairs the ids of what a server asked its client then and now, in order. */
function matchIds({ exchange, answer }, ids) {
  const asked = (text) => messagesOf(text).filter((one) => one?.method !== undefined && one.id !== undefined);
  const then = asked(exchange.answer);
  const now = asked(answer.text);
  for (const [i, { id }] of then.entries()) if (now[i]) ids.set(id, now[i].id);
}

/** The messages of an answer, whether it is one document or a stream of events. */
function messagesOf(text) {
  if (!/^(?:event|data|id|retry|:)/m.test(text) || text.startsWith('{') || text.startsWith('[')) {
    try {
      return [JSON.parse(text)].flat();
    } catch {
      return text === '' ? [] : [text];
    }
  }
  return text
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n'),
    )
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** An answer without what is new each time: times, signed states, ids of our own questions. */
function normalise({ status, type, session, text }) {
  const messages = messagesOf(text).map((message) =>
    JSON.parse(
      JSON.stringify(message, (key, value) => {
        if (key === 'requestState') return '…';
        if (typeof value === 'string') return value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
        return value;
      }),
    ),
  );
  for (const message of messages)
    if (message?.method !== undefined && message.id !== undefined) message.id = '…';
  return { status, type, session, messages };
}
