/** @type {import('next').NextConfig} */
export default {
  // Left out of the bundle: Ajv loads parts of itself by name.
  serverExternalPackages: ['@handrail/explorer'],
};
