import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

let dataDir: string;
let running: RunningGateway;
let source: Server;
let url: string;
/** Requests for the document that wait. */
let waiting: ServerResponse[];
let isSlow: boolean;

const description = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.com' }],
  paths: Object.fromEntries(
    ['cats', 'dogs'].map((name) => [
      `/${name}`,
      { get: { operationId: name, tags: [name], responses: { 200: { description: 'OK' } } } },
    ]),
  ),
});

const start = () => startGateway({ dataDir, egressAllow: new URL(url).host });

beforeEach(async () => {
  waiting = [];
  isSlow = false;
  source = createServer((_request, response) => {
    if (isSlow) waiting.push(response);
    else response.end(description);
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/openapi.json`;
  dataDir = await mkdtemp(join(tmpdir(), 'handrail-import-jobs-'));
  running = await start();
});
afterEach(async () => {
  await running.stop();
  source.closeAllConnections();
  await new Promise((resolve) => source.close(resolve));
  await rm(dataDir, { recursive: true, force: true });
});

const begin = async (body: object) => {
  const answer = await running.admin('POST', '/import-jobs', { label: 'pets.json', ...body });
  expect(answer.status).toBe(202);
  return answer.body.id as string;
};
const read = async (id: string) => (await running.admin('GET', `/import-jobs/${id}`)).body;
const becomes = async (id: string, state: string) => {
  await expect.poll(async () => (await read(id)).state, { timeout: 20_000 }).toBe(state);
  return read(id);
};
const listed = async () => (await running.admin('GET', '/import-jobs')).body.items;

/** Changes what is stored of a job, as another process would. */
async function change(id: string, changes: object): Promise<void> {
  const { importJobs } = running.gateway.store;
  const row = (await importJobs.get(id))!;
  const revision = row.revision + 1;
  const text = JSON.stringify({ ...JSON.parse(row.text), ...changes, revision });
  await importJobs.replace({ ...row, revision, updatedAtMs: JSON.parse(text).updatedAtMs, text });
}

describe('an import job', () => {
  it('plans, plans again with other options, and adds what was chosen', async () => {
    const id = await begin({ text: description });
    const planned = await becomes(id, 'planned');
    expect(planned).toMatchObject({ label: 'pets.json', isMine: true, apis: ['pets'], options: {} });
    expect(planned.result.imports[0].added).toHaveLength(2);
    expect((await running.admin('GET', '/apis/pets')).status).toBe(404);

    const select = { tags: ['cats'] };
    const path = `/import-jobs/${id}`;
    expect((await running.admin('POST', path, { select, dryRun: true })).status).toBe(202);
    const again = await becomes(id, 'planned');
    expect(again.options).toEqual({ select });
    expect(again.result.imports[0].added).toMatchObject([{ tool: 'cats' }]);

    await running.admin('POST', path, { select });
    const applied = await becomes(id, 'applied');
    expect(applied.result.imports[0]).toMatchObject({ applied: true, added: [{ tool: 'cats' }] });
    expect((await running.admin('GET', '/tools?api=pets')).body.items).toHaveLength(1);
    expect((await running.admin('POST', path, {})).status).toBe(409);
    expect((await running.admin('DELETE', path)).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it('reports why a document cannot be read', async () => {
    const { message } = await becomes(await begin({ text: 'nothing' }), 'failed');
    expect(message).toContain('not');
    expect((await running.admin('GET', '/import-jobs/imp_none')).body.detail).toContain(
      'no import "imp_none"',
    );
  });

  it('stops when it is canceled', async () => {
    isSlow = true;
    const id = await begin({ url });
    await expect.poll(() => waiting.length).toBe(1);
    const gone = new Promise((resolve) => waiting[0]!.once('close', resolve));
    expect((await running.admin('DELETE', `/import-jobs/${id}`)).status).toBe(204);
    await gone;
    expect(await listed()).toEqual([]);
  });

  it('continues after the gateway was restarted', async () => {
    isSlow = true;
    const id = await begin({ url, dryRun: false });
    await expect.poll(() => waiting.length).toBe(1);
    await running.stop();
    isSlow = false;
    running = await start();
    expect(await becomes(id, 'applied')).toMatchObject({ label: 'pets.json', apis: ['pets'] });
    expect((await running.admin('GET', '/tools?api=pets')).body.items).toHaveLength(2);
    const audit = await running.admin('GET', '/audit?search=pets');
    expect(audit.body.items).toMatchObject([{ action: 'api.import', actor: { name: 'admin token' } }]);
  });

  it('is taken over from a process that went silent, but not forever', async () => {
    isSlow = true;
    const id = await begin({ url });
    await expect.poll(() => waiting.length).toBe(1);
    // The job of a process that was killed: nobody here runs it.
    await change(id, { runner: 'another process', updatedAtMs: 1 });
    await expect.poll(() => waiting[0]!.destroyed, { timeout: 10_000 }).toBe(true);
    isSlow = false;
    await change(id, { updatedAtMs: Date.now() - 7_000, starts: 2 });
    expect(await listed()).toMatchObject([{ id, state: 'running' }]);
    await becomes(id, 'planned');
    await change(id, { state: 'running', runner: 'killed', updatedAtMs: Date.now() - 7_000, starts: 3 });
    await listed();
    expect((await becomes(id, 'failed')).message).toContain('stopped 3 times');
  });

  it('is left out while its row is damaged, and removed after a day', async () => {
    const id = await begin({ text: description });
    await becomes(id, 'planned');
    await change(id, { state: 'damaged' });
    expect(await listed()).toEqual([]);
    expect((await running.admin('GET', `/import-jobs/${id}`)).status).toBe(404);
    await change(id, { state: 'planned', updatedAtMs: Date.now() - 25 * 3_600_000 });
    expect(await listed()).toEqual([]);
    expect(await running.gateway.store.importJobs.get(id)).toBeNull();
  });
});
