// Asks two gateways, one with the fast lane and one without, everything that was recorded, and compares their answers with
// each other and with the recorded ones.
import { request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

// Ends what hangs: nothing more is asked of a gateway that reaches it.
const patienceMs = 120_000;

/** Replays exchanges at every gateway and returns those that were not answered as they were recorded. */
export async function compareReplays(exchanges, gatewayUrls) {
  const replays = await Promise.all(gatewayUrls.map((url) => replay(exchanges, url)));
  return exchanges
    .map((exchange, i) => ({
      exchange,
      answers: [normalise(exchange, exchange.answer), ...replays.map((answers) => answers[i] ?? 'not asked')],
    }))
    .filter(({ answers: [then, ...now] }) => now.some((answer) => !isDeepStrictEqual(answer, then)));
}

async function replay(exchanges, gatewayUrl) {
  // What a server asks of its client, and each event, has an id that differs each time; what the client says of it
  // has to follow.
  const ids = new Map();
  const questions = new Set(exchanges.flatMap(({ answer }) => questionsIn(answer.text)).map(({ id }) => id));
  const all = [];
  let open = [];
  const { look, until } = watch();
  for (const [i, exchange] of exchanges.entries()) {
    const asked = ask(exchange, gatewayUrl, ids, look);
    all.push(asked);
    open.push(asked);
    const next = exchanges[i + 1];
    if (next === undefined) break;
    const repliesTo = replyId(next.body);
    const nextMakesSense = await until(() => {
      for (const earlier of open) matchIds(earlier, ids);
      // What was still open when the next question came goes on beside it; the rest had ended.
      return (
        (asked.answer.status !== 0 || asked.ended) &&
        open.every((earlier) => earlier.exchange.endedAt > next.askedAt || hasAll(earlier)) &&
        (!questions.has(repliesTo) || ids.has(repliesTo))
      );
    });
    if (!nextMakesSense) break;
    open = open.filter(({ ended }) => !ended);
  }
  await until(() => open.every(hasAll));
  const answers = all.map(({ exchange, answer }) => normalise(exchange, answer));
  for (const { close } of open) close();
  return answers;
}

/** An answer is all there when it has ended; of what its client gave up, when there is as much as that client heard. */
function hasAll({ exchange, answer, ended }) {
  return (
    ended || (!exchange.isWhole && messagesOf(answer.text).length >= messagesOf(exchange.answer.text).length)
  );
}

/** Lets wait until something holds, which is tried again at each look; false when it does not within our patience. */
function watch() {
  const waiting = new Set();
  return {
    look: () => waiting.forEach((each) => each()),
    until: (holds) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, patienceMs, false);
        function done(held) {
          clearTimeout(timer);
          waiting.delete(check);
          resolve(held);
        }
        function check() {
          if (holds()) done(true);
        }
        waiting.add(check);
        check();
      }),
  };
}

function ask(exchange, gatewayUrl, ids, look) {
  const { hostname, port } = new URL(gatewayUrl);
  const answer = { status: 0, type: undefined, session: false, text: '' };
  const body = withCurrentId(exchange.body, ids);
  const req = request({
    hostname,
    port,
    method: exchange.method,
    path: exchange.path,
    headers: [
      ...currentHeaders(exchange.headers, ids),
      ...(body.length > 0 ? ['content-length', `${body.length}`] : []),
    ],
    setHost: false,
    agent: false,
  });
  const asked = { exchange, answer, ended: false, close: () => req.destroy() };
  const end = () => {
    asked.ended = true;
    look();
  };
  req.on('response', (res) => {
    answer.status = res.statusCode;
    answer.type = res.headers['content-type'];
    answer.session = res.headers['mcp-session-id'] !== undefined;
    look();
    res.setEncoding('utf8');
    res.on('data', (chunk) => {
      answer.text += chunk;
      look();
    });
    res.on('close', end).on('error', end);
  });
  req.on('error', end);
  req.end(body);
  return asked;
}

function currentHeaders(rawHeaders, ids) {
  const kept = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = rawHeaders.slice(i, i + 2);
    if (/^(?:content-length|transfer-encoding|connection)$/i.test(name)) continue;
    kept.push(name, /^last-event-id$/i.test(name) ? (ids.get(value) ?? value) : value);
  }
  return [...kept, 'connection', 'close'];
}

function withCurrentId(body, ids) {
  const id = replyId(body);
  if (!ids.has(id)) return body;
  return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString('utf8')), id: ids.get(id) }));
}

/** The id in a client's reply to a server's question; undefined for everything else that clients send. */
function replyId(body) {
  try {
    const message = JSON.parse(body.toString('utf8'));
    return message !== null && message.method === undefined ? message.id : undefined;
  } catch {
    return undefined;
  }
}

/** What a server asks of its client in an answer. */
function questionsIn(text) {
  return messagesOf(text).filter((one) => one?.method !== undefined && one.id !== undefined);
}

/** Pairs the ids of events and of what a server asked its client, then and now, in order. */
function matchIds({ exchange, answer }, ids) {
  for (const idsIn of [
    (text) => questionsIn(text).map(({ id }) => id),
    (text) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id),
  ]) {
    const now = idsIn(answer.text);
    for (const [i, id] of idsIn(exchange.answer.text).entries())
      if (now[i] !== undefined) ids.set(id, now[i]);
  }
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
    .slice(0, -1) // What follows the last empty line is an event that has not arrived whole.
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
function normalise(exchange, { status, type, session, text }) {
  const all = messagesOf(text);
  const heard = exchange.isWhole ? all : all.slice(0, messagesOf(exchange.answer.text).length);
  const messages = heard.map((message) =>
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
