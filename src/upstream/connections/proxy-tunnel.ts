import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import type { HandrailError } from '../../domain/errors.ts';

const maxAnswerBytes = 16 * 1024;

/**
 * Opens a tunnel through an HTTP proxy (RFC 9110 section 9.3.6). `target` is the `address:port` that the egress guard has
 * checked; the proxy does not resolve names.
 */
export function openTunnel(
  proxy: URL,
  target: string,
  timeoutMs: number,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const port = Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80);
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const socket =
    proxy.protocol === 'https:' ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  let answer = Buffer.alloc(0);

  const finish = (error: Error | null): void => {
    clearTimeout(timer);
    socket.off('data', onData).off('error', onError).off('close', onClose);
    if (error !== null) socket.on('error', () => {}).destroy();
    done(error, error === null ? socket : null);
  };
  const proxyError = (why: string): HandrailError =>
    upstreamErrors.proxyFailed({ reason: why }, { notSent: true });
  const onError = (): void => finish(proxyError('cannot be reached'));
  const onClose = (): void => finish(proxyError('closed the connection'));
  const onData = (chunk: Buffer): void => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1) {
      if (answer.length > maxAnswerBytes) finish(proxyError('answered with something that is not HTTP'));
      return;
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer.toString('latin1'))?.[1]);
    if (status >= 200 && status < 300) {
      const rest = answer.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      finish(null);
    } else
      finish(
        proxyError(
          status === 407
            ? 'requires a user name and password'
            : `refused the connection (HTTP ${status || '?'})`,
        ),
      );
  };
  const timer = setTimeout(() => finish(proxyError('did not answer in time')), timeoutMs);

  socket.on('error', onError).on('close', onClose).on('data', onData);
  socket.once(proxy.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    const user =
      proxy.username === ''
        ? ''
        : `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    const auth = user === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${auth}\r\n`);
  });
}
