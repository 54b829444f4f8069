/** Handrail stays a package of its own: it loads parts of itself when they are needed. */
export default {
  serverExternalPackages: ['handrail'],
  outputFileTracingRoot: new URL('..', import.meta.url).pathname,
};
