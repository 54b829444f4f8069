import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

// What PgBouncer takes as startup parameters unless it is configured otherwise (its `ignore_startup_parameters`).
const known = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]);
const sslRequest = 80_877_103;

/** A database URL that leads through something as strict about startup parameters as PgBouncer is. */
export async function startPooler(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const rejected: string[] = [];
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => {}).on('close', () => open.delete(near));
    let head = Buffer.alloc(0);
    const onHead = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      if (head.length < 8 || head.length < head.readInt32BE(0)) return;
      if (head.readInt32BE(4) === sslRequest) {
        head = head.subarray(8);
        near.write('N');
        return;
      }
      near.off('data', onHead);
      const words = head.subarray(8, head.readInt32BE(0)).toString().split('\0');
      const unknown = words.filter(
        (word, at) => at % 2 === 0 && word !== '' && !known.has(word.toLowerCase()),
      );
      if (unknown.length > 0) {
        rejected.push(...unknown);
        near.end(errorMessage(`unsupported startup parameter: ${unknown[0]}`));
        return;
      }
      const far = connect(Number(target.port), target.hostname);
      open.add(far);
      far.on('error', () => near.destroy()).on('close', () => open.delete(far));
      near.on('close', () => far.destroy());
      far.write(head);
      near.pipe(far).pipe(near);
    };
    near.on('data', onHead);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    rejected,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function errorMessage(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
