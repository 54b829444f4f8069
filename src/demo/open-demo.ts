import { isPrivateToThisMachine } from '../config/reachable.ts';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import { handrailItself } from '../domain/audit.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Registry, Decision } from '../registry/registry.ts';
import { type ServingRules, createServer } from '../registry/rules/servers.ts';
import { startDemoApi } from './demo-api.ts';
import { demoBaseUrl } from '../domain/api.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import type { Parameter } from '../domain/operation.ts';
import type { Server } from '../domain/server.ts';
import { createApi } from '../registry/rules/apis.ts';
import { applyChanges } from '../registry/build-snapshot.ts';
import type { Moment } from '../registry/rules/find-and-revise.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import { createTool, type NewTool } from '../registry/rules/tools.ts';
import type { RegistryChange } from '../storage/ports.ts';

/**
 * Registers the demo API in an empty registry and serves it, if this installation should have it; returns its
 * origin, or null.
 */
export async function openDemo(options: {
  readonly config: Pick<Config, 'demo' | 'host' | 'publicUrl' | 'trustProxy' | 'dataDir' | 'databaseUrl'>;
  readonly registry: Registry;
  readonly rules: ServingRules;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<string | null> {
  const { config, registry, rules, now, onClose } = options;
  // It is for someone's own machine; elsewhere it must be enabled explicitly.
  const isServed = config.demo === true || (isEmbedded(config) && isPrivateToThisMachine(config));
  if (isServed && config.demo !== false) {
    await registry.commit(handrailItself, (snapshot) => registerDemo(snapshot, rules, { nowMs: now() }));
  }
  const isRegistered = [...registry.snapshot.apis.values()].some((api) => api.builtIn);
  if (!isServed || !isRegistered) return null;
  const { origin, close } = await startDemoApi();
  onClose(close);
  return origin;
}

const text = (description: string): JsonSchema => ({ type: 'string', description });
const texts = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

function parameter(name: string, place: Parameter['in'], schema: JsonSchema, required = false): Parameter {
  return { name, in: place, schema, required };
}

const demoTools: readonly Omit<NewTool, 'api'>[] = [
  {
    name: 'weather_get',
    description: 'Get current weather for a location',
    operation: {
      method: 'GET',
      path: '/weather',
      parameters: [
        parameter('location', 'query', text('City name or coordinates'), true),
        parameter('units', 'query', text('Temperature units (celsius or fahrenheit)')),
      ],
    },
  },
  {
    name: 'search_documents',
    description: 'Search through indexed documents',
    operation: {
      method: 'GET',
      path: '/documents',
      parameters: [
        parameter('query', 'query', text('Search query string'), true),
        parameter('tags', 'query', texts('Filter by document tags')),
        parameter('limit', 'query', { type: 'number', description: 'Maximum number of results' }),
      ],
    },
  },
  {
    name: 'send_notification',
    description: 'Send a notification to one or more recipients',
    operation: {
      method: 'POST',
      path: '/notifications',
      parameters: [
        parameter('recipients', 'body', texts('Addresses to notify'), true),
        parameter('message', 'body', text('What to say'), true),
        parameter('priority', 'body', {
          type: 'string',
          enum: ['low', 'normal', 'high'],
          description: 'How urgent it is',
        }),
      ],
    },
  },
  {
    name: 'database_query',
    description: 'Run a query on the demo database, which never answers: shows what a timeout looks like',
    limits: { totalTimeoutMs: 2_000 },
    operation: {
      method: 'POST',
      path: '/database/query',
      parameters: [parameter('sql', 'body', text('The query'), true)],
    },
  },
  {
    name: 'github-create-issue',
    description: 'Creates a new issue in a GitHub repository.',
    operation: {
      method: 'POST',
      path: '/repos/{owner}/{repo}/issues',
      parameters: [
        parameter('owner', 'path', text('Repository owner (user or organization)'), true),
        parameter('repo', 'path', text('Repository name'), true),
        parameter('title', 'body', text('Issue title'), true),
        parameter('body', 'body', text('Issue description (supports Markdown)')),
      ],
    },
  },
  {
    name: 'resend-send-email',
    description: 'Sends an email.',
    operation: {
      method: 'POST',
      path: '/emails',
      parameters: [
        parameter('from', 'body', text('Sender, such as Acme <hello@example.com>'), true),
        parameter('to', 'body', text('Recipient address'), true),
        parameter('subject', 'body', text('Subject line'), true),
        parameter('html', 'body', text('The message as HTML')),
      ],
    },
  },
  {
    name: 'get_weather',
    description: 'Current conditions in a city',
    tags: ['weather'],
    operation: {
      method: 'GET',
      path: '/current/{city}',
      parameters: [parameter('city', 'path', text('City name'), true)],
    },
  },
  {
    name: 'demo_picture',
    description: 'A small generated picture: shows how images reach the model',
    operation: {
      method: 'GET',
      path: '/picture',
      parameters: [parameter('text', 'query', text('Changes the colors'))],
    },
  },
  {
    name: 'demo_slow',
    description: 'Answers after some seconds: shows progress and cancellation',
    operation: {
      method: 'GET',
      path: '/slow',
      parameters: [
        parameter('seconds', 'query', {
          type: 'number',
          minimum: 0,
          maximum: 20,
          description: 'How long to wait, 3 by default',
        }),
      ],
    },
  },
  {
    name: 'demo_failing',
    description: 'Always fails: shows what an upstream error looks like to the model',
    operation: { method: 'GET', path: '/failing', parameters: [] },
  },
];

/** Registers the demo API and its server if the registry has no API at all. */
function registerDemo(snapshot: Snapshot, rules: ServingRules, moment: Moment): Decision<boolean> {
  // A row that can't be read may be an API: then the registry isn't empty.
  if (snapshot.apis.size > 0 || snapshot.setAside.rows.length > 0) return { changes: [], result: false };
  const changes: RegistryChange[] = [];
  let current = snapshot;
  const take = <T>(decision: Decision<T>): T => {
    changes.push(...decision.changes);
    current = applyChanges(current, decision.changes, current.seq);
    return decision.result;
  };
  const api = take(
    createApi(
      current,
      {
        slug: 'demo',
        name: 'Demo API',
        description: 'Ships with Handrail and works offline.',
        baseUrl: demoBaseUrl,
        builtIn: true,
      },
      moment,
    ),
  );
  const tools = demoTools.map((tool) => take(createTool(current, { api: api.id, ...tool }, moment)));
  const weather = tools.find((tool) => tool.name === 'get_weather')!;
  const own: Pick<Server, 'slug' | 'name' | 'tools'> = {
    slug: 'my-weather-tools',
    name: 'Weather tools',
    tools: [{ toolId: weather.id }],
  };
  if (!snapshot.serverBySlug.has(own.slug)) take(createServer(current, own, rules, moment));
  return { changes, result: true };
}
