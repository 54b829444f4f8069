// An OpenAPI document as large as the largest real ones: 1,200 operations over shared, nested schemas, 13 MB as JSON.

const words =
  'repository issue branch commit review release member team project secret runner artifact'.split(' ');
const text = (seed, length) => {
  let said = '';
  for (let i = seed; said.length < length; i++)
    said += `${words[(i * 7 + seed) % words.length]} ${i % 9 === 0 ? `\`value-${i}\`. ` : ''}`;
  return said.slice(0, length).trim();
};

function schema(n) {
  const properties = {};
  for (let i = 0; i < 30; i++) {
    const described = { description: text(n + i, 60), example: text(i, 24) };
    properties[`${words[i % words.length]}_${i}`] =
      i % 10 === 9 && n > 0
        ? { $ref: `#/components/schemas/schema-${(n * 3 + i) % n}` }
        : i % 5 === 0
          ? { type: ['string', 'null'], format: 'uri', ...described }
          : i % 7 === 0
            ? { type: 'array', items: { type: 'string', enum: words }, ...described }
            : { type: 'integer', ...described };
  }
  return { type: 'object', title: `Schema ${n}`, required: Object.keys(properties).slice(0, 5), properties };
}

function operation(n, version) {
  const changed = version > 1 && n % 10 === 0;
  const parameters = [
    { name: 'owner', in: 'path', required: true, schema: { type: 'string' }, description: text(n, 80) },
    { name: 'per_page', in: 'query', schema: { type: 'integer', default: 30 }, description: text(n, 60) },
    { name: 'state', in: 'query', schema: { type: 'string', enum: ['open', 'closed', 'all'] } },
    ...(changed ? [{ name: `since_version_${version}`, in: 'query', schema: { type: 'string' } }] : []),
  ];
  const reply = {
    description: 'OK',
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/schema-${n % 480}` },
        // Real documents contain kilobytes of examples.
        examples: {
          default: {
            value: Array.from({ length: 8 }, (_, i) => ({
              id: i,
              name: text(i, 30),
              body: text(n + i, 500),
            })),
          },
        },
      },
    },
  };
  return {
    operationId: `area-${n % 40}/operation-${n}`,
    summary: `${changed ? 'Now: ' : ''}${text(n, 50)}`,
    description: text(n, 600),
    tags: [`area-${n % 40}`],
    parameters,
    ...(n % 3 === 1 && {
      requestBody: { content: { 'application/json': { schema: schema(n % 50) } } },
    }),
    responses: { 200: reply, 404: { description: 'Not found' } },
  };
}

/** The document as JSON text. The later version has changed every tenth operation and removed every hundredth. */
export function bigDocument(version = 1, operations = 1_200) {
  const paths = {};
  for (let n = 0; n < operations; n++) {
    if (version > 1 && n % 100 === 99) continue;
    const path = `/area-${n % 40}/{owner}/part-${Math.floor(n / 3)}`;
    paths[path] ??= {};
    paths[path][['get', 'post', 'delete'][n % 3]] = operation(n, version);
  }
  const schemas = {};
  for (let n = 0; n < 480; n++) schemas[`schema-${n}`] = schema(n);
  return JSON.stringify(
    {
      openapi: '3.1.0',
      info: { title: 'Big API', version: `${version}.0` },
      servers: [{ url: 'https://api.example.com' }],
      paths,
      components: { schemas },
    },
    null,
    1,
  );
}
