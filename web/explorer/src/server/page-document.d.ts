// Written by scripts/build.js: the page with {{TITLE}} (twice), {{ALLOW_EXECUTE}} and {{PROJECT_LINK}} left open, and its policy.
export const pageTemplate: string;
export const contentSecurityPolicy: string;
