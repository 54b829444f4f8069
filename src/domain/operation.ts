import type { JsonSchema, JsonValue } from './json-schema.ts';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'body';

/** How a value is written on the wire; the names are OpenAPI's (https://spec.openapis.org/oas/v3.1.1#style-values). */
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'
  /** The value is the whole query (OpenAPI 3.2's `in: querystring`). */
  | 'querystring'
  /** Swagger 2's `tsv`. */
  | 'tabDelimited';

/** One input of an operation. */
export interface Parameter {
  /** The property the model sees in the tool's input schema; unique within the operation. */
  readonly name: string;
  readonly in: ParameterPlace;
  /** The name on the wire, when it is not `name`. For a whole body (`Operation.body.shape`) it is not used. */
  readonly key?: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string;
  /** Sent when the caller leaves the argument out. */
  readonly default?: JsonValue;
  /** Always sent, never shown to the model, cannot be overridden. */
  readonly fixed?: JsonValue;
  /** Not shown to the model; without `fixed` or `default` it is not sent at all. */
  readonly hidden?: boolean;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** Serialise the value with this media type instead of a style (OpenAPI's `content`); only JSON is used in practice. */
  readonly contentType?: string;
}

/** How one field of a form or multipart body is written (OpenAPI's encoding object). */
export interface FieldEncoding {
  readonly contentType?: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The argument is a file: base64 text or a data URL, sent as bytes. */
  readonly file?: boolean;
}

/** The request body. Absent when the operation has none. */
export interface OperationBody {
  readonly mediaType: string;
  /**
   * `fields`: each body parameter is one property of an object (or one form field).
   * `whole`: the single body parameter is the body.
   * `template`: `template` with `{{name}}` replaced by the body parameters' values.
   */
  readonly shape: 'fields' | 'whole' | 'template';
  readonly template?: string;
  /** By wire key, for form and multipart bodies. */
  readonly encoding?: Readonly<Record<string, FieldEncoding>>;
  /** Send an empty object (or form) even when no body argument was given. */
  readonly required?: boolean;
  /** The whole body is bytes: the argument is base64 or a data URL. */
  readonly binary?: boolean;
}

/** One scheme an operation asks for; all schemes of one alternative are needed together. */
export type SecurityAlternative = Readonly<Record<string, readonly string[]>>;

/** The HTTP shape of one REST operation. */
export interface Operation {
  readonly method: string;
  /** Path template below the base URL: `/users/{id}`. May carry a fixed query (`/x?beta=true`). */
  readonly path: string;
  /** Replaces the API's base URL for this operation only. */
  readonly baseUrl?: string;
  readonly parameters: readonly Parameter[];
  readonly body?: OperationBody;
  /** The value of the Accept header. */
  readonly accept?: string;
  /** Schema of a successful reply, when it is known. Complete in itself: what it refers to is in its own `$defs`. */
  readonly replySchema?: JsonSchema;
  /** Schemas that parameters refer to as `#/$defs/NAME`; only what this operation uses. */
  readonly defs?: Readonly<Record<string, JsonSchema>>;
  /** The document's own security requirement for this operation: alternatives of scheme names; empty means none needed. */
  readonly security?: readonly SecurityAlternative[];
}

/** The methods Handrail will send. */
export const httpMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
  // WebDAV (RFC 4918, 3253, 5323) and others that real collections use.
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'REPORT',
  'LINK',
  'UNLINK',
  'PURGE',
  'VIEW',
] as const;
