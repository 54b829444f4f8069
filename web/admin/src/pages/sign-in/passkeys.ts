import { request } from '../../api/client.ts';

type Json = Record<string, unknown>;

/** The part of the browser's passkey API that reads and writes JSON, which TypeScript doesn't know yet. */
interface JsonCredentials {
  parseCreationOptionsFromJSON?(options: Json): PublicKeyCredentialCreationOptions;
  parseRequestOptionsFromJSON?(options: Json): PublicKeyCredentialRequestOptions;
}

const api = (): JsonCredentials | null =>
  'PublicKeyCredential' in window ? (window.PublicKeyCredential as unknown as JsonCredentials) : null;

/** Whether this browser can use passkeys at this address: they need https, or localhost, and a name. */
export function canUsePasskeys(): boolean {
  return (
    window.isSecureContext &&
    api()?.parseRequestOptionsFromJSON !== undefined &&
    !/^[\d.]+$|^\[/.test(location.hostname)
  );
}

const asJson = (credential: Credential | null): Json => {
  if (credential === null) throw new Error();
  return (credential as unknown as { toJSON(): Json }).toJSON();
};

/** Asks for a passkey and signs in: as the second factor of a sign-in, or alone. */
export async function signInWithPasskey(pending?: string) {
  const body = pending === undefined ? {} : { pending };
  const { options, challenge } = await request('POST', '/session/passkey/challenge', { body });
  const publicKey = api()!.parseRequestOptionsFromJSON!(options);
  const response = asJson(await navigator.credentials.get({ publicKey }));
  return request('POST', '/session/passkey', { body: { ...body, challenge, response } });
}

/** Makes a passkey on this device and adds it to the account; returns recovery codes, if there are new ones. */
export async function addPasskey(name: string): Promise<readonly string[]> {
  const { options, challenge } = await request('POST', '/me/second-factors/passkey/challenge', {});
  const publicKey = api()!.parseCreationOptionsFromJSON!(options);
  const response = asJson(await navigator.credentials.create({ publicKey }));
  const added = await request('POST', '/me/second-factors/passkey', { body: { name, challenge, response } });
  return added.recoveryCodes;
}
