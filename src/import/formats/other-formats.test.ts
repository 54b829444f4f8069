import { describe, expect, it } from 'vitest';
import { parseImport } from '../reading/parse-import.ts';

const refusal = (...texts: string[]): string => {
  try {
    parseImport({ files: texts.map((content, i) => ({ name: `f${i}`, content })) });
  } catch (error) {
    return (error as Error).message;
  }
  return 'imported';
};

describe('a description of a kind that is not read', () => {
  it.each([
    [
      'GraphQL',
      '# The shop\ntype Query {\n  product(id: ID!): Product\n}\n\ntype Product @key(fields: "id") {\n  id: ID!\n}\n',
      'cURL',
    ],
    ['GraphQL', 'schema {\n  query: Root\n}\ninterface Node {\n  id: ID!\n}\n', 'cURL'],
    ['GraphQL', '{"data":{"__schema":{"types":[]}}}', 'cURL'],
    [
      'gRPC',
      'syntax = "proto3";\n\npackage shop;\n\nservice Shop {\n  rpc Get (Id) returns (Item);\n}\n',
      'grpc-gateway',
    ],
    ['ZIP', 'PK\u0003\u0004\u0014\u0000', 'unpack'],
    ['PDF', '%PDF-1.7\n%âãÏÓ\n1 0 obj\n', 'cURL'],
    [
      'k6',
      "import http from 'k6/http';\nexport default function () { http.get('https://x.example'); }\n",
      'HAR',
    ],
    ['Paw', 'bplist00 com.luckymarmot.Paw\n', 'OpenAPI 3'],
    [
      'AI plugin',
      '{"schema_version":"v1","name_for_model":"shop","api":{"url":"https://x.example/o.json"}}',
      '"api"',
    ],
    [
      'OpenAI tools',
      '[{"type":"function","function":{"name":"get","parameters":{"type":"object","properties":{"id":{}}}}}]',
      'OpenAPI',
    ],
    ['OpenAI tools', '{"tools":[{"name":"get","parameters":{"type":"object","properties":{}}}]}', 'OpenAPI'],
    ['AsyncAPI', 'asyncapi: 3.0.0\ninfo:\n  title: T\n', 'OpenAPI'],
    [
      'WSDL',
      '<?xml version="1.0"?>\n<!-- x -->\n<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" name="S"></wsdl:definitions>',
      'HAR',
    ],
    ['WSDL', '<description xmlns="http://www.w3.org/ns/wsdl"></description>', 'HAR'],
    ['WADL', '<application xmlns="http://wadl.dev.java.net/2009/02"></application>', 'OpenAPI 3'],
    [
      'OData',
      '<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"/>',
      'OpenAPI 3',
    ],
    ['RAML', '#%RAML 1.0\ntitle: T\n/users:\n  get:\n', 'OpenAPI 3'],
    ['API Blueprint', 'FORMAT: 1A\nHOST: https://x.example\n\n# Users\n', 'OpenAPI 3'],
    [
      'API Blueprint',
      '# My API\n\n## Users [/users]\n\n### List [GET]\n\n+ Response 200 (application/json)\n',
      'OpenAPI 3',
    ],
    ['Insomnia', '{"_type":"export","__export_format":4,"resources":[]}', 'HAR'],
    ['Insomnia', 'type: collection.insomnia.rest/5.0\nname: C\ncollection: []\n', 'HAR'],
    ['Bruno', 'meta {\n  name: Get user\n  type: http\n}\n\nget {\n  url: {{base}}/users\n}\n', 'Postman'],
    ['Bruno', '{"version":"1","name":"C","type":"collection"}', 'Postman'],
    [
      '.http',
      '### Get a user\n@base = https://x.example\n# note\nGET {{base}}/users/1 HTTP/1.1\nAccept: application/json\n',
      'cURL',
    ],
    ['.http', 'POST https://x.example/users\nContent-Type: application/json\n\n{"a":1}\n', 'cURL'],
    ['discovery', '{"kind":"discovery#restDescription","discoveryVersion":"v1","name":"x"}', 'OpenAPI'],
    ['Smithy', '$version: "2"\nnamespace x\n', 'smithy-openapi'],
    ['TypeSpec', 'import "@typespec/http";\nusing Http;\n', 'openapi3'],
    ['OpenRPC', '{"openrpc":"1.2.6","methods":[]}', 'cURL'],
    ['Arazzo', 'arazzo: 1.0.0\ninfo: {title: T, version: "1"}\n', 'OpenAPI'],
    ['environment', '{"_postman_variable_scope":"environment","values":[]}', 'collection'],
    ['version 1', '{"order":[],"requests":[]}', '2.1'],
  ])('is refused by its name, with what to do instead: %s', (name, text, instead) => {
    const said = refusal(text);
    expect(said).toContain(name);
    expect(said).toContain('cannot be imported');
    expect(said).toContain(instead);
    expect(said).not.toMatch(/YAML|JSON at/);
  });

  it('is told from any file of a folder', () => {
    expect(refusal('meta {\n  name: x\n}\n\nget {\n  url: y\n}\n', 'notes')).toContain('Bruno');
  });

  it('is not seen in a document that can be read', () => {
    const text =
      'openapi: 3.0.3\ninfo:\n  title: T\n  version: "1"\n  description: |\n    type Query {\n      a: Int\n    }\npaths: {}\n# GET all\n';
    expect(refusal(text)).toBe('imported');
    expect(refusal('curl https://x.example/a')).toBe('imported');
  });
});
