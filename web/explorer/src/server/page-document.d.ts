// Written by scripts/build.js: the page's parts around its attributes and its title, and its policy.
export const pageParts: readonly [beforeAttributes: string, beforeTitle: string, rest: string];
export const contentSecurityPolicy: string;
