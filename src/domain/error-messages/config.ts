import { template } from '../errors.ts';

/** What can be wrong with the configuration. */
export const configErrors = {
  fileUnusable: template(
    'config_invalid',
    (v: { path: string; why: string }) => `The configuration file ${v.path} cannot be used: ${v.why}.`,
  ),
  fileNotAnObject: template(
    'config_invalid',
    (v: { path: string }) => `The configuration file ${v.path} must contain a JSON object.`,
  ),
  settingsInvalid: template(
    'config_invalid',
    (v: { lines: string }) => `The configuration is not valid:\n${v.lines}`,
  ),
};
