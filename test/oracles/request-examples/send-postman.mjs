// Sends the body of one request of a Postman collection and tells what became of it.
import { lostFromBody } from './arrived.mjs';
import { bodyArguments, inBody, isAsked, otherArguments } from './tool-arguments.mjs';

const variable = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** `{ result, … }`; results that begin with `WRONG` are faults of Handrail. */
export async function sendPostmanBody(example, tool, { calls, slug, variables }) {
  if (!tool) return { result: 'not a tool' };
  const { operation } = tool;
  const { body } = operation;
  if (!body) return { result: 'WRONG: lost', lost: ['the body'] };
  const filled = (text) => text.replace(variable, (whole, name) => variables.get(name) ?? whole);
  const args = otherArguments(operation, (each) => each.in === 'body');
  let expected;
  if (body.shape === 'template') {
    for (const parameter of inBody(operation)) if (isAsked(parameter)) args[parameter.name] = 'given';
    const raw = filled(example.value);
    expected = json(raw.replace(variable, 'given')) ?? json(raw.replace(variable, '"given"'));
    if (expected === undefined) return { result: 'with variables that are no JSON' };
  } else if (example.mode === 'raw') {
    expected = body.mediaType.includes('json')
      ? (json(filled(example.value)) ?? filled(example.value))
      : filled(example.value);
    Object.assign(args, bodyArguments(operation, expected));
  } else {
    expected = {};
    for (const [key, value] of example.value)
      expected[key] = Object.hasOwn(expected, key) ? [expected[key], filled(value)].flat() : filled(value);
    Object.assign(args, bodyArguments(operation, expected));
  }
  const { arrived, why } = await calls.call(slug, tool.name, args);
  if (!arrived) return { result: 'WRONG: refused', why };
  const lost = lostFromBody(expected, arrived);
  return lost.length === 0
    ? { result: 'arrived' }
    : { result: 'WRONG: lost', lost, arrived: arrived.body.toString('utf8').slice(0, 300) };
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
