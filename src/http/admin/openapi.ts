import { z } from 'zod';
import type { RouteContract } from '../contract/route.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { problemSchema } from '../server-openapi.ts';

/** The OpenAPI 3.1 document of the admin API, generated from the contracts that also validate its input. */
export function openapiOf(contracts: readonly RouteContract[], version: string): object {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  for (const contract of contracts) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][contract.method.toLowerCase()] = operationOf(contract, schemas);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Handrail admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/api/v1' }],
    security: [{ adminToken: [] }, { session: [] }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-handrail' },
      },
      schemas: { ...schemas, Problem: problemSchema },
      responses: {
        Problem: {
          description: 'What went wrong and what to do',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationOf(contract: RouteContract, schemas: Record<string, unknown>): object {
  const parameters: object[] = [...contract.path.matchAll(/:(\w+)/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  if (contract.query !== undefined) {
    const { properties = {}, required = [] } = toSchema(contract.query, 'input', schemas) as {
      properties?: Record<string, object>;
      required?: string[];
    };
    for (const [name, { description, ...schema }] of Object.entries(properties) as [
      string,
      { description?: string },
    ][]) {
      parameters.push({
        name,
        in: 'query',
        required: required.includes(name),
        ...(description !== undefined && { description }),
        schema,
      });
    }
  }
  if (contract.method === 'PATCH') {
    parameters.push({
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'The ETag of the version you edited; the response is 412 if it has changed since.',
      schema: { type: 'string' },
    });
  }
  return {
    operationId: contract.id,
    tags: [contract.tag],
    summary: contract.summary,
    ...(contract.access === 'public' ? { security: [] } : { 'x-handrail-role': contract.access }),
    ...(parameters.length > 0 && { parameters }),
    ...(contract.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(contract.body, 'input', schemas) } },
      },
    }),
    responses: {
      [contract.status]: {
        description: contract.status === 204 ? 'Done' : 'OK',
        ...(contract.reply !== undefined && {
          content: { 'application/json': { schema: toSchema(contract.reply, 'output', schemas) } },
        }),
        ...(contract.stream !== undefined && {
          content: Object.fromEntries(
            contract.stream.map((type) => [
              type,
              { schema: type === 'application/json' ? {} : { type: 'string' } },
            ]),
          ),
        }),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

// Schemas with an id are collected once and referenced.
function toSchema(type: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): object {
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = z.toJSONSchema(type, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  const text = JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/');
  for (const [name, definition] of Object.entries($defs ?? {})) {
    schemas[name] ??= JSON.parse(JSON.stringify(definition).replaceAll('#/$defs/', '#/components/schemas/'));
  }
  return objectOr(JSON.parse(text));
}
