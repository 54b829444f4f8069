// A load generator whose connections stay open between runs, so that opening them, and which worker has which,
// isn't measured. Its parent says what to open and how often to call.
import { connect } from 'node:net';

const opened = new Map();

/**
 * Opens connections one after the other, so that they are accepted in this order; reopens those that were idle
 * for too long.
 */
async function open({ name, target, connections }) {
  if (opened.get(name)?.sockets.every((socket) => !socket.destroyed && !socket.readableEnded)) return;
  for (const socket of opened.get(name)?.sockets ?? []) socket.destroy();
  const { hostname, port, pathname } = new URL(target.url);
  const head = Object.entries(target.headers).map(([key, value]) => `${key}: ${value}\r\n`);
  const request = Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${head.join('')}content-length: ${Buffer.byteLength(target.body)}\r\n\r\n${target.body}`,
  );
  const sockets = [];
  for (let i = 0; i < connections; i++) {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    sockets.push(socket);
  }
  opened.set(name, { sockets, request, check: target.check });
}

/**
 * Calls on every connection that `from` and `step` select until there were this many answers; returns how many
 * were wrong.
 */
async function call({ name, calls, from = 0, step = 1 }) {
  const { sockets, request, check } = opened.get(name);
  let left = calls;
  let wrong = 0;
  const takeTurns = (socket) =>
    new Promise((resolve, reject) => {
      const send = () => {
        if (left-- > 0) return void socket.write(request);
        socket.removeAllListeners('data');
        socket.removeAllListeners('close');
        resolve();
      };
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.latin1Slice();
        const bodyAt = text.indexOf('\r\n\r\n') + 4;
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (bodyAt < 4 || text.length < bodyAt + length) return;
        if (!text.startsWith('HTTP/1.1 200') || !text.includes(check)) wrong++;
        text = '';
        send();
      });
      socket.once('close', () => reject(new Error(`${name} closed a connection that was in use.`)));
      send();
    });
  await Promise.all(sockets.filter((_, at) => at % step === from).map(takeTurns));
  return wrong;
}

async function hear({ open: openings = [], call: jobs = [] }) {
  for (const opening of openings) await open(opening);
  const wrong = await Promise.all(jobs.map(call));
  process.send(wrong.reduce((sum, one) => sum + one, 0));
}

process.on('message', (message) => {
  hear(message).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
