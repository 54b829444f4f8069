/** Handrail's version, as in package.json: `npm run release` sets both. */
export const version = '0.1.0';
