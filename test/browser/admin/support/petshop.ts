/** A description like a real API's: several tags and methods, parameters, a body, and a secret if one is required. */
export function petshop(origin: string, { wantsKey = false } = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet shop', version: '1.2.0', description: 'Pets, their owners and their orders.' },
    servers: [{ url: `${origin}/v1` }],
    tags: [{ name: 'pets' }, { name: 'orders' }],
    ...(wantsKey && {
      components: { securitySchemes: { shop: { type: 'apiKey', in: 'header', name: 'X-Shop-Key' } } },
      security: [{ shop: [] }],
    }),
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          summary: 'List pets',
          tags: ['pets'],
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
          responses: { 200: { description: 'Pets' } },
        },
        post: {
          operationId: 'addPet',
          summary: 'Add a pet',
          tags: ['pets'],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
              },
            },
          },
          responses: { 201: { description: 'The pet' } },
        },
      },
      '/pets/{petId}': {
        get: {
          operationId: 'getPet',
          summary: 'Show a pet',
          tags: ['pets'],
          parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The pet' } },
        },
      },
      '/orders': {
        get: {
          operationId: 'listOrders',
          summary: 'List orders',
          tags: ['orders'],
          responses: { 200: { description: 'Orders' } },
        },
      },
    },
  });
}
