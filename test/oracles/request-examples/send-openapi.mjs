// Sends one example of an OpenAPI or Swagger document and tells what became of it.
import { lostFromBody, parameterArrived } from './arrived.mjs';
import { isTrueRefusal } from './true-refusal.mjs';
import { bodyArguments, fieldsNotAsked, inBody, isAsked, otherArguments } from './tool-arguments.mjs';

/** `{ result, … }`; results that begin with `WRONG` are faults of Handrail. */
export async function sendExample(example, tool, { calls, slug, check }) {
  if (!tool) return { result: 'not a tool' };
  return example.kind === 'parameter' ? sendParameter() : sendBody();

  async function sendParameter() {
    const { operation } = tool;
    const parameter = operation.parameters.find(
      (each) => each.in === example.in && sameName(each.key ?? each.name, example.name, each.in),
    );
    if (!parameter || !isAsked(parameter)) return { result: 'not asked of a model' };
    const args = {
      ...otherArguments(operation, (each) => each === parameter),
      [parameter.name]: example.value,
    };
    const { arrived, why } = await calls.call(slug, tool.name, args);
    if (!arrived)
      return refusal(example.value, why, (names) => names[0] === parameter.name && names.slice(1));
    return parameterArrived(example, arrived, example.operation.split(' ')[1])
      ? { result: 'arrived' }
      : { result: 'WRONG: lost', arrived: `${arrived.path}?${arrived.query}` };
  }

  async function sendBody() {
    const { operation } = tool;
    const { body } = operation;
    if (!body || !isOfType(body.mediaType, example.mediaType)) return { result: 'of another media type' };
    const value = readAsJson(example.value, body.mediaType);
    if (body.shape === 'fields' && (typeof value !== 'object' || value === null || Array.isArray(value)))
      return check(value, example.schema).length > 0
        ? { result: 'refused' }
        : { result: 'WRONG: refused', why: 'the body is no object' };
    const given = bodyArguments(operation, value);
    const isGiven = (each) =>
      each.in === 'body' && (example.kind === 'whole' || Object.hasOwn(given, each.name));
    const others = otherArguments(operation, isGiven);
    const { arrived, why } = await calls.call(slug, tool.name, { ...others, ...given });
    if (!arrived) {
      const keys = new Map(inBody(operation).map((each) => [each.name, each.key ?? each.name]));
      return refusal(value, why, ([first, ...rest]) => {
        if (body.shape === 'whole') return keys.has(first) && rest;
        return [keys.get(first) ?? first, ...rest];
      });
    }
    const added = inBody(operation).filter(({ name }) => Object.hasOwn(others, name));
    const fixed = inBody(operation).filter((each) => !isAsked(each));
    const apart = [
      ...fixed.map(({ key, name }) => key ?? name),
      ...fieldsNotAsked(operation, value),
      ...added.map(({ key, name }) => key ?? name),
    ];
    const lost = lostFromBody(value, arrived).filter((name) => !apart.includes(name));
    if (lost.length === 0) return { result: 'arrived' };
    const faulty = check(value, example.schema).map(({ path }) => path.split('/')[1]);
    // Null for what may be left out says that there is none.
    if (lost.every((name) => faulty.includes(name) || value[name] === null))
      return { result: 'arrived, set right' };
    return { result: 'WRONG: lost', lost, arrived: arrived.body.toString('utf8').slice(0, 500) };
  }

  function refusal(value, why, toExample) {
    const errors = check(value, example.schema);
    return isTrueRefusal(why, errors, toExample)
      ? { result: 'refused', why }
      : { result: 'WRONG: refused', why, errors: errors.slice(0, 8) };
  }
}

function sameName(a, b, place) {
  return (
    a === b || (place === 'header' && a.toLowerCase() === b.toLowerCase()) || a.replace(/[+*]/g, '') === b
  );
}

function isOfType(sent, given) {
  const bare = (type) => type.split(';')[0].trim().toLowerCase();
  const isForm = (type) => /urlencoded|multipart/.test(type);
  // Swagger 2 does not say which of the two forms its fields are sent in.
  return bare(sent) === bare(given) || (isForm(sent) && isForm(given));
}

// Some write a JSON example as its text.
function readAsJson(value, mediaType) {
  if (typeof value !== 'string' || !/json/.test(mediaType)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
