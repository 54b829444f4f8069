import type { Api } from '../../../domain/api.ts';
import type { ApiDescription, DescribedOperation, DescribedServer } from '../../../domain/description.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { Tool } from '../../../domain/tool.ts';
import { contentOf } from '../../../domain/tool.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { handrailExport } from './handrail-format.ts';

/** Whether a value is Handrail's own export. */
export function isHandrail(value: unknown): boolean {
  return isObject(value) && value['handrail'] !== undefined && Array.isArray(value['apis']);
}

/** Reads Handrail's own export; what an import does not otherwise carry comes along as `settings`. */
export function readHandrail(value: unknown): {
  readonly apis: ApiDescription[];
  readonly servers: DescribedServer[];
} {
  const parsed = handrailExport.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new HandrailError(
      'import_unreadable',
      `The export is not complete: /${issue!.path.join('/')} ${issue!.message}.`,
    );
  }
  return {
    apis: parsed.data.apis.map((api, i) => readApi(api as unknown as Api & { tools: Tool[] }, `#/apis/${i}`)),
    servers: (parsed.data.servers ?? []) as unknown as DescribedServer[],
  };
}

function readApi({ tools, ...api }: Api & { tools: Tool[] }, at: string): ApiDescription {
  const {
    slug,
    name,
    description,
    baseUrl,
    otherBaseUrls,
    headers,
    auth,
    id: _id,
    revision: _revision,
    createdAtMs: _created,
    updatedAtMs: _updated,
    builtIn: _builtIn,
    ...settings
  } = api;
  const operations = tools.map((tool, i): DescribedOperation => {
    const {
      id: _toolId,
      apiId: _apiId,
      revision: _toolRevision,
      createdAtMs: _toolCreated,
      updatedAtMs: _toolUpdated,
      ...rest
    } = tool;
    const {
      name: _name,
      title: _title,
      description: _description,
      tags: _tags,
      annotations: _annotations,
      deprecated: _deprecated,
      operation: _operation,
      source,
      ...kept
    } = rest;
    return {
      key: source?.operationKey ?? `${tool.operation.method} ${tool.operation.path} [${tool.name}]`,
      wantedName: tool.name,
      at: `${at}/tools/${i}`,
      notes: [],
      content: contentOf(tool),
      settings: { ...kept, ...(source && { source }) },
    };
  });
  return {
    kind: 'handrail',
    wantedSlug: slug,
    name,
    ...(description !== undefined && { description }),
    baseUrls: [baseUrl, ...(otherBaseUrls ?? [])],
    headers,
    auth,
    authChoices: [],
    operations,
    notes: [],
    settings,
  };
}
