import {
  type AuthenticationResponseJSON,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { SecondFactor } from '../../domain/second-factor.ts';

export type Passkey = NonNullable<SecondFactor['passkey']>;

/** Where passkeys are used: a passkey belongs to one host name. */
interface Place {
  readonly publicUrl: string;
}

/** What a browser needs to make a passkey. */
export async function creationOptions({
  publicUrl,
  personId,
  name,
  challenge,
  known,
}: Place & {
  readonly personId: string;
  readonly name: string;
  readonly challenge: Uint8Array<ArrayBuffer>;
  readonly known: readonly Passkey[];
}): Promise<object> {
  return generateRegistrationOptions({
    rpName: 'Handrail',
    rpID: new URL(publicUrl).hostname,
    userName: name,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(personId)),
    challenge,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    // Found by the browser without a name, so that it can replace the password as well.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** The passkey that a browser made; null if its answer doesn't fit the challenge and this gateway. */
export async function readCreated(
  response: object,
  { publicUrl, challenge }: Place & { readonly challenge: string },
): Promise<Passkey | null> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library checks each field
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: new URL(publicUrl).hostname,
      requireUserVerification: false,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: (transports ?? []).map((transport) => transport.slice(0, 30)).slice(0, 20),
    };
  } catch {
    return null;
  }
}

/** The new counter of a passkey that was used; null if the answer is not its own, or not for this challenge. */
export async function readUsed(
  response: object,
  {
    publicUrl,
    challenge,
    passkey,
    mustVerify,
  }: Place & { readonly challenge: string; readonly passkey: Passkey; readonly mustVerify: boolean },
): Promise<number | null> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library checks each field
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: new URL(publicUrl).hostname,
      requireUserVerification: mustVerify,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
