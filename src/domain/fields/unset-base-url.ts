/** The base URL of an API whose document names no server: nothing answers there, and its name says why. */
export const unsetBaseUrl = 'https://base-url-not-set.invalid';
