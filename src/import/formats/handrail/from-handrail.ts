import type { ApiDescription, DescribedOperation, DescribedServer } from '../../../domain/description.ts';
import { importErrors } from '../../../domain/error-messages/import.ts';
import { HandrailError } from '../../../domain/errors.ts';
import { sentenceOf } from '../../../domain/stored/read-stored.ts';
import { contentOf } from '../../../domain/tool.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { type Problem, problemsIn } from '../../../lib/schema/problems.ts';
import type { Infer } from '../../../lib/schema/schema.ts';
import { checkInputSchema } from '../../../pipeline/compile.ts';
import {
  type ExportedApi,
  type ExportedServer,
  type ExportedTool,
  formatVersion,
  handrailExport,
} from './handrail-format.ts';

/** Whether a value is Handrail's own export. */
export function isHandrail(value: unknown): boolean {
  return isObject(value) && value['handrail'] !== undefined && Array.isArray(value['apis']);
}

/** Reads Handrail's own export; fields that other formats don't have are passed as `settings`. */
export function readHandrail(value: unknown): {
  readonly apis: ApiDescription[];
  readonly servers: DescribedServer[];
} {
  const { apis, servers = [] } = parseExport(value);
  return { apis: apis.map((api, i) => readApi(api, `/apis/${i}`)), servers: servers.map(readServer) };
}

function parseExport(value: unknown): Infer<typeof handrailExport> {
  const written = isObject(value) ? value['handrail'] : undefined;
  if (typeof written === 'number' && written > formatVersion)
    throw invalidExportError([
      { path: '/handrail', message: `is ${written}: a newer version of Handrail wrote it` },
    ]);
  const problems = problemsIn(handrailExport, value);
  if (problems.length > 0) throw invalidExportError(problems);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed: it has no problem
  return value as Infer<typeof handrailExport>;
}

function invalidExportError(problems: readonly Problem[]): HandrailError {
  return importErrors.exportInvalid({ reason: sentenceOf(problems) }, { problems });
}

function readApi(api: ExportedApi, at: string): ApiDescription {
  const {
    slug,
    name,
    description,
    baseUrl,
    otherBaseUrls,
    headers = {},
    auth = { kind: 'none' },
    builtIn: _builtIn,
    tools,
    ...settings
  } = api;
  return {
    kind: 'handrail',
    wantedSlug: slug,
    name,
    ...(description !== undefined && { description }),
    baseUrls: [baseUrl, ...(otherBaseUrls ?? [])],
    headers,
    auth,
    authChoices: [],
    operations: tools.map((tool, i) => readTool(tool, `${at}/tools/${i}`)),
    notes: [],
    settings,
  };
}

function readTool(tool: ExportedTool, at: string): DescribedOperation {
  checkArguments(tool, at);
  const { reply = {}, limits = {}, enabled = true, scrubArguments, source } = tool;
  return {
    key: source?.operationKey ?? `${tool.operation.method} ${tool.operation.path} [${tool.name}]`,
    wantedName: tool.name,
    at: `#${at}`,
    notes: [],
    content: contentOf({ ...tool, tags: tool.tags ?? [], annotations: tool.annotations ?? {} }),
    settings: {
      reply,
      limits,
      enabled,
      ...(scrubArguments !== undefined && { scrubArguments }),
      ...(source && { source }),
    },
  };
}

function checkArguments({ operation }: ExportedTool, at: string): void {
  try {
    checkInputSchema(operation);
  } catch (error) {
    if (!(error instanceof HandrailError)) throw error;
    const problems = error.details.problems ?? [];
    throw invalidExportError(problems.map(({ path, message }) => ({ path: at + path, message })));
  }
}

function readServer(server: ExportedServer): DescribedServer {
  return { tools: [], overrides: {}, givenNames: {}, ratePerMinute: 60, enabled: true, ...server };
}
