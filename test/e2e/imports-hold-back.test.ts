import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type RunningGateway } from '../support/running-gateway.ts';

// Through the admin API: a document is read, planned and noted as an operator sees it.
describe('an import', () => {
  let testing: RunningGateway;
  beforeAll(async () => void (testing = await startGateway()));
  afterAll(() => testing.stop());

  const header = (name: string, more: object = {}) => ({
    name,
    in: 'header',
    schema: { type: 'string' },
    ...more,
  });
  const document = (...parameters: object[]) => ({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://pets.example.com' }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
    security: [{ key: [] }],
    paths: { '/pets': { get: { operationId: 'listPets', parameters, responses: {} } } },
  });

  async function plan(content: object, more: object = {}) {
    const files = [{ name: 'pets.json', content: Buffer.from(JSON.stringify(content)).toString('base64') }];
    const { body } = await testing.admin('POST', '/imports', { files, ...more });
    const notes = body.imports[0].report[0].notes as { code: string; message: string }[];
    return {
      body,
      held: notes.filter(({ code }) => code === 'parameter_held_back').map(({ message }) => message),
    };
  }
  const inputsOf = async (name: string) =>
    Object.keys((await testing.admin('GET', `/tools/${name}`)).body.inputSchema.properties);

  it('leaves out what says who is asking, from where or with which method, and says so', async () => {
    const { held } = await plan(
      document(
        header('X-Forwarded-For', { schema: { type: 'string', enum: ['127.0.0.1'] } }),
        header('X-HTTP-Method-Override'),
        { name: '_method', in: 'query', schema: { type: 'string' } },
        { name: 'API_KEY', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        header('X-Request-Id'),
      ),
    );
    expect(held.map((message) => /"([^"]+)"/.exec(message)![1])).toEqual([
      '_method',
      'API_KEY',
      'X-Forwarded-For',
      'X-HTTP-Method-Override',
    ]);
    expect(held[0]).toContain('allowHeaders');
    const { body: tool } = await testing.admin('GET', '/tools/listPets');
    expect(tool.operation.parameters.map(({ name }: { name: string }) => name)).toEqual(['X-Request-Id']);
    expect(tool.heldBack).toBeUndefined();
  });

  it('brings a header back that the operator allowed by name', async () => {
    await testing.admin('PATCH', '/apis/pets', { allowHeaders: ['x-forwarded-for'] });
    const { held } = await plan(document(header('X-Forwarded-For'), header('Forwarded')), { api: 'pets' });
    expect(held).toEqual([expect.stringContaining('"Forwarded"')]);
    expect(await inputsOf('listPets')).toEqual(['X-Forwarded-For']);
  });

  it('leaves out what the API already sends', async () => {
    await testing.admin('PATCH', '/apis/pets', { headers: { 'X-Tenant': 'acme' } });
    const { held } = await plan(document(header('x-tenant', { required: true })), { api: 'pets' });
    expect(held).toEqual([expect.stringContaining('set by the operator')]);
  });

  it('refuses methods that no tool may have', async () => {
    const { body } = await plan({
      ...document(),
      paths: { '/pets': { get: { responses: {} }, trace: { responses: {} } } },
    });
    expect(JSON.stringify(body)).not.toContain('TRACE /pets","tool":"');
    const answers = await Promise.all(
      ['TRACE', 'CONNECT', 'trace', 'TRACK'].map((method) =>
        testing.admin('POST', '/tools', {
          api: 'pets',
          name: 'never',
          description: '',
          operation: { method, path: '/', parameters: [] },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  });
});
