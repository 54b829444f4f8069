import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImportSource } from './import-source.ts';

describe('a document in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-source-'));
    await mkdir(join(folder, 'api', 'parts'), { recursive: true });
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    await write('secret.yaml', 'secret: yes');
    await write(
      'api/openapi.yaml',
      [
        'openapi: 3.1.0',
        'a: {$ref: ./parts/pets%20and%20dogs.yaml#/Pet}',
        "b: {$ref: 'parts/linked.json'}",
        'c: { "$ref": "../secret.yaml" }',
        'd:',
        '  $ref: https://example.com/remote.yaml',
        'e: {$ref: /etc/hosts.json}',
        'f: {$ref: parts/missing.yaml}',
      ].join('\n'),
    );
    await write('api/parts/pets and dogs.yaml', 'Pet:\n  $ref: "deep.json#/x"\n');
    await write('api/parts/deep.json', '{"x":{"$ref":"../openapi.yaml#/a"}}');
    await write('api/unrelated.yaml', 'not: referred to');
    await symlink(join(folder, 'secret.yaml'), join(folder, 'api', 'parts', 'linked.json'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it('brings the files along that it refers to, but none from outside its folder', async () => {
    const { body, alsoRead } = await readImportSource(join(folder, 'api/openapi.yaml'), undefined);
    expect(alsoRead).toEqual(['parts/pets and dogs.yaml', 'parts/deep.json']);
    expect(body).toMatchObject({ root: 'openapi.yaml', files: [{ name: 'openapi.yaml' }, {}, {}] });
  });

  it('goes alone when it refers to none', async () => {
    const { body, alsoRead } = await readImportSource(join(folder, 'api/unrelated.yaml'), undefined);
    const { files } = body as { files: { name: string; content: string }[] };
    expect([alsoRead, files.map(({ name }) => name), 'root' in body]).toEqual([
      [],
      ['unrelated.yaml'],
      false,
    ]);
    expect(gunzipSync(Buffer.from(files[0]!.content, 'base64')).toString()).toBe('not: referred to');
  });

  it('that is packed already is not packed again', async () => {
    await writeFile(join(folder, 'packed.json.gz'), gzipSync('{"openapi":"3.1.0"}'));
    const { body } = await readImportSource(join(folder, 'packed.json.gz'), undefined);
    const { files } = body as { files: { content: string }[] };
    expect(gunzipSync(Buffer.from(files[0]!.content, 'base64')).toString()).toBe('{"openapi":"3.1.0"}');
  });

  it('that is not there is refused by name', async () => {
    await expect(readImportSource(join(folder, 'nothing.yaml'), undefined)).rejects.toThrow(
      'There is no file',
    );
  });
});
