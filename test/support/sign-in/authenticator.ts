import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

type Options = Readonly<Record<string, unknown>>;

/** A passkey device in software: makes one passkey and answers challenges with it. */
export class Authenticator {
  readonly id = randomBytes(16);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly origin: string;
  #counter = 0;
  /** Whether it says that it recognized its person. */
  verifies = true;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** What `navigator.credentials.create` gives. */
  create(options: Options): Record<string, unknown> {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = map([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, key]);
    const data = Buffer.concat([this.#header(options['rp'] as { id: string }, 0x40), attested]);
    const attestationObject = map([
      ['fmt', 'none'],
      ['attStmt', {}],
      ['authData', data],
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** What `navigator.credentials.get` gives. */
  get(options: Options): Record<string, unknown> {
    this.#counter++;
    const data = this.#header({ id: String(options['rpId']) }, 0);
    const clientDataJSON = this.#clientData('webauthn.get', options);
    const clientHash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = createSign('sha256')
      .update(Buffer.concat([data, clientHash]))
      .sign(this.#keys.privateKey);
    return this.#credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #header({ id }: { id: string }, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const present = 1 | (this.verifies ? 4 : 0) | flags;
    return Buffer.concat([createHash('sha256').update(id).digest(), Buffer.from([present]), counter]);
  }

  #clientData(type: string, { challenge }: Options): string {
    const text = JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false });
    return Buffer.from(text).toString('base64url');
  }

  #credential(response: object): Record<string, unknown> {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

/** The little of CBOR that passkeys need. */
function map(entries: readonly (readonly [string | number, unknown])[]): Buffer {
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, value]) => [one(key), one(value)]),
  ]);
}

function one(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return map([]);
}

function head(major: number, length: number): Buffer {
  const first = major << 5;
  if (length < 24) return Buffer.from([first | length]);
  return length < 256
    ? Buffer.from([first | 24, length])
    : Buffer.from([first | 25, length >> 8, length & 255]);
}
