import { kindScopes } from '../domain/connected-app.ts';

/** Where the authorization server is, below the gateway's URL. */
export const paths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  consent: '/oauth/consent',
} as const;

/** How clients authenticate: not at all, or with a key that they publish. There are no secrets to keep. */
export const clientAuthMethods = ['none', 'private_key_jwt'] as const;
export const clientAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

/** How long an access token lasts, in seconds. */
export const tokenLifeS = 15 * 60;
/** How long an app stays connected without being used, in seconds. */
export const grantLifeS = 30 * 86_400;

/** What clients read about the authorization server (RFC 8414 section 2). */
export function authorizationMetadata(issuer: string, clientDocuments: boolean): object {
  const at = (path: string): string => `${issuer}${path}`;
  return {
    issuer,
    authorization_endpoint: at(paths.authorize),
    token_endpoint: at(paths.token),
    registration_endpoint: at(paths.register),
    revocation_endpoint: at(paths.revoke),
    jwks_uri: at(paths.jwks),
    scopes_supported: [...kindScopes, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: clientAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: clientDocuments,
    // Required by OpenID Connect Discovery, where some clients look; no ID token is ever issued.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}
