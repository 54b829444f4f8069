// An API with one list that is longer than what a model reads at once.
import { createServer } from 'node:http';

export const longTool = 'list_stations';

const stations = Array.from({ length: 700 }, (_, n) => ({
  id: n,
  place: `Station ${n} on the “Straße” – ${'abcdefgh'.slice(n % 8)}`,
  temperature: ((n * 7_919) % 600) / 10 - 20,
}));

/** The list, as the API sends it. */
export const longText = JSON.stringify(stations);

/** Serves the list, and makes it a tool of a running gateway that may reach 127.0.0.1. Resolves with what stops it. */
export async function addLongTool({ url, adminToken }) {
  const api = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(longText),
  );
  await new Promise((resolve) => void api.listen(0, '127.0.0.1', resolve));
  const post = async (path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`POST ${path}: HTTP ${answer.status} ${await answer.text()}`);
  };
  const baseUrl = `http://127.0.0.1:${api.address().port}`;
  await post('/apis', { slug: 'stations', name: 'Stations', baseUrl });
  const operation = { method: 'GET', path: '/stations' };
  await post('/tools', { api: 'stations', name: longTool, description: 'Lists all stations.', operation });
  return () =>
    new Promise((resolve) => {
      api.close(resolve);
      api.closeAllConnections();
    });
}
