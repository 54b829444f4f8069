import { template } from '../errors.ts';

/** Problems with single fields of what people enter. */
export const fieldErrors = {
  baseUrlInvalid: template('invalid_input', (v: { reason: string }) => `The base URL ${v.reason}.`),
  variableInvalid: template(
    'invalid_input',
    (v: { name: string; reason: string }) => `The variable "${v.name}" of the base URL ${v.reason}.`,
  ),
};
