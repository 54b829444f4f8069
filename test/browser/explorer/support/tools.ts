import type { Content, Tool, ToolCallHandler } from '#explorer';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC';

/** Tools that together cover every kind of field, badge and result. */
export const showcase: Tool[] = [
  {
    name: 'weather_forecast',
    title: 'Weather forecast',
    description:
      'Forecast for a **city**, up to seven days ahead.\n\n- `units` defaults to metric\n- see [the source](https://example.org/weather)',
    annotations: { readOnlyHint: true, openWorldHint: true, idempotentHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 2, description: 'Name of the city, for example *Lisbon*' },
        days: { type: 'integer', minimum: 1, maximum: 7, default: 3, description: 'How many days ahead' },
        units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
        from: { type: 'string', format: 'date', description: 'First day' },
        detailed: { type: 'boolean', description: 'Hour by hour' },
      },
      required: ['city'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        days: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              date: { type: 'string', format: 'date' },
              high: { type: 'number' },
              low: { type: 'number' },
              sky: { type: 'string' },
            },
            required: ['date', 'high', 'low'],
          },
        },
      },
    },
  },
  {
    name: 'weather_map',
    description: 'A small map as an image, with a link to the full one.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object' },
  },
  {
    name: 'orders_create',
    description: 'Creates an order. Shows nested objects, lists, alternatives and files.',
    annotations: { destructiveHint: false, openWorldHint: false },
    inputSchema: {
      type: 'object',
      required: ['customer', 'lines', 'payment'],
      properties: {
        customer: {
          type: 'object',
          required: ['email'],
          properties: { email: { type: 'string', format: 'email' }, name: { type: 'string' } },
        },
        lines: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['sku', 'quantity'],
            properties: {
              sku: { type: 'string', pattern: '^[A-Z]{3}-\\d+$', examples: ['ABC-1'] },
              quantity: { type: 'integer', minimum: 1 },
            },
          },
        },
        payment: {
          oneOf: [
            {
              title: 'Card',
              type: 'object',
              required: ['number'],
              properties: { number: { type: 'string', minLength: 12 } },
            },
            {
              title: 'Invoice',
              type: 'object',
              required: ['company'],
              properties: { company: { type: 'string' }, due: { type: 'string', format: 'date-time' } },
            },
          ],
        },
        tags: { type: 'array', uniqueItems: true, items: { enum: ['gift', 'express', 'fragile'] } },
        note: { type: ['string', 'null'], maxLength: 500 },
        attachment: { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/pdf' },
        metadata: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
  {
    name: 'orders_delete',
    description: 'Deletes an order for good.',
    annotations: { destructiveHint: true, idempotentHint: true },
    inputSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
  },
  { name: 'slow', description: 'Responds only when canceled.', inputSchema: { type: 'object' } },
  {
    name: 'report',
    description: 'Answers in Markdown.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object' },
  },
];

/** A thousand tools in forty groups. */
export const thousand: Tool[] = Array.from({ length: 1000 }, (_item, index) => ({
  name: `service${String(index % 40).padStart(2, '0')}_operation_${index}`,
  description: `Operation number ${index} of a large server`,
  inputSchema: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } }, required: ['id'] },
}));

/** Results of every kind. */
export const answer: ToolCallHandler = async (name, args, request) => {
  switch (name) {
    case 'weather_forecast':
      return [
        [
          {
            type: 'text',
            text: JSON.stringify({ city: args['city'], days: forecast(Number(args['days'] ?? 3)) }),
          },
        ],
        false,
        'trace-42',
      ];
    case 'weather_map':
      return [mapContent, false];
    case 'orders_delete':
      return [[{ type: 'text', text: `No order has the id ${String(args['id'])}.` }], true];
    case 'report':
      return [[{ type: 'text', text: report }], false];
    case 'slow':
      await new Promise<void>((resolve) =>
        request.signal?.addEventListener('abort', () => resolve(), { once: true }),
      );
      return [[], false];
    default:
      return [[{ type: 'text', text: JSON.stringify({ tool: name, received: args }) }], false];
  }
};

function forecast(days: number) {
  const skies = ['clear', 'cloudy', 'rain', 'wind'];
  return Array.from({ length: days }, (_day, index) => ({
    date: `2026-06-0${index + 1}`,
    high: 24 - index,
    low: 15 - index,
    sky: skies[index % skies.length],
    wind: { speed: 10 + index, direction: 'NW' },
  }));
}

const mapContent: Content[] = [
  { type: 'image', mimeType: 'image/png', data: png },
  {
    type: 'resource_link',
    uri: 'https://example.org/map',
    name: 'Full map',
    description: 'Interactive',
    mimeType: 'text/html',
  },
  { type: 'resource', resource: { uri: 'file:///legend.txt', mimeType: 'text/plain', text: 'blue: rain' } },
];

const report =
  '# Quarter\n\nRevenue **up** by `12 %`.\n\n| month | sum |\n|---|---|\n| May | 10 |\n| June | 12 |\n\n> See [details](https://example.org/q2)\n\n1. first\n2. second';
