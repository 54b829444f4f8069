// An example as a caller gives it to a tool.
import { minimalValue } from './minimal-value.mjs';

/** Whether a tool asks for this parameter. */
export function isAsked(parameter) {
  return !parameter.hidden && parameter.fixed === undefined;
}

/** The body parameters of an operation. */
export function inBody(operation) {
  return operation.parameters.filter((parameter) => parameter.in === 'body');
}

/** What else an operation requires, as little as its schemas take: another example's business. */
export function otherArguments(operation, isGiven) {
  const args = {};
  for (const parameter of operation.parameters) {
    if (!isAsked(parameter) || !parameter.required || isGiven(parameter)) continue;
    const value = minimalValue(parameter.schema, operation.defs ?? {});
    if (value !== undefined) args[parameter.name] = value;
  }
  return args;
}

/** A body by the tool's own names, with files as data URLs. */
export function bodyArguments(operation, value) {
  const { body } = operation;
  if (body.shape === 'whole') return { [inBody(operation)[0].name]: body.binary ? asFile(value) : value };
  const args = {};
  for (const [key, inner] of Object.entries(value)) {
    const parameter = inBody(operation).find((each) => (each.key ?? each.name) === key);
    if (parameter && !isAsked(parameter)) continue;
    // A field that the document does not name, but another parameter of the tool is called.
    const isTaken = operation.parameters.some((each) => each.in !== 'body' && each.name === key);
    args[parameter?.name ?? (isTaken ? `body_${key}` : key)] = body.encoding?.[key]?.file
      ? asFile([inner].flat()[0])
      : inner;
  }
  return args;
}

function asFile(content) {
  return `data:application/octet-stream;base64,${Buffer.from(String(content)).toString('base64')}`;
}

/** The fields of a body that the tool does not ask for: they sign in, or can have one value only. */
export function fieldsNotAsked(operation, value) {
  if (typeof value !== 'object' || value === null) return [];
  return inBody(operation)
    .filter((parameter) => !isAsked(parameter))
    .map((parameter) => parameter.key ?? parameter.name)
    .filter((key) => Object.hasOwn(value, key));
}
