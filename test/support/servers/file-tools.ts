import type { RunningGateway } from '../running-gateway.ts';

const optionalText = (name: string, where: 'query' | 'body') => ({
  name,
  in: where,
  schema: { type: 'string' },
  required: false,
});

/** Tools that fetch a file from `serveFiles`, and send one in a form or as it is. */
const fileTools = {
  get_file: {
    method: 'GET',
    path: '/files/{bytes}',
    parameters: [
      { name: 'bytes', in: 'path', schema: { type: 'integer' }, required: true },
      ...['type', 'name', 'text', 'gzip', 'length'].map((name) => optionalText(name, 'query')),
    ],
  },
  put_raw: {
    method: 'PUT',
    path: '/raw',
    parameters: [{ name: 'body', in: 'body', schema: { type: 'string' }, required: true }],
    body: { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
  },
  post_form: {
    method: 'POST',
    path: '/form',
    parameters: [
      { name: 'file', in: 'body', schema: { type: 'string' }, required: true },
      optionalText('other', 'body'),
      optionalText('title', 'body'),
    ],
    body: {
      mediaType: 'multipart/form-data',
      shape: 'fields',
      encoding: { file: { file: true }, other: { file: true } },
    },
  },
};

/** Registers the API at an address as `files`, with tools for all that it does. */
export async function addFileTools({ admin }: RunningGateway, origin: string): Promise<void> {
  const add = async (path: string, what: object): Promise<void> => {
    const { status, body } = await admin('POST', path, what);
    if (status !== 201) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  };
  await add('/apis', { slug: 'files', name: 'Files', baseUrl: origin });
  for (const [name, operation] of Object.entries(fileTools))
    await add('/tools', { api: 'files', name, description: `Does ${name}.`, operation });
}
