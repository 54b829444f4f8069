// Parts of oidc-provider that have no types of their own. The package's main file is not loaded, because it prints a
// warning about older versions of Node.
declare module 'oidc-provider/lib/provider.js' {
  export { default as Provider } from 'oidc-provider';
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  export { errors as default } from 'oidc-provider';
  export class InvalidClientAuth extends Error {
    constructor(detail: string);
  }
  export class InvalidGrant extends Error {
    constructor(detail: string);
  }
  export class InvalidTarget extends Error {
    constructor(description?: string);
  }
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider';
  export const Check: typeof interactionPolicy.Check;
  export const Prompt: typeof interactionPolicy.Prompt;
}
declare module 'oidc-provider/lib/helpers/als.js' {
  const storage: { disable(): void };
  export default storage;
}
