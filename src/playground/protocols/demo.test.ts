import { describe, expect, it } from 'vitest';
import { answerAsDemo } from './demo.ts';

const tools = [
  {
    name: 'weather_get',
    description: 'Get current weather for a location',
    inputSchema: { properties: { location: { type: 'string' } }, required: ['location'] },
  },
  {
    name: 'listOrders',
    description: 'List orders',
    inputSchema: { properties: { state: { enum: ['open', 'paid'] } }, required: ['state'] },
  },
];
const ask = (text: string, offered = tools) =>
  answerAsDemo({ system: null, messages: [{ role: 'user', text }], tools: offered });

describe('the demo model', () => {
  it('calls the tool that the question names, with arguments that its schema requires', () => {
    expect(ask('How is the weather in Osaka?').calls).toMatchObject([
      { name: 'weather_get', arguments: '{"location":"Osaka"}' },
    ]);
    expect(ask('Which orders are there?').calls).toMatchObject([
      { name: 'listOrders', arguments: '{"state":"open"}' },
    ]);
  });

  it('searches on a server in search mode', () => {
    const search = {
      name: 'search_tools',
      description: 'Finds tools',
      inputSchema: { properties: { query: { type: 'string' } }, required: ['query'] },
    } as unknown as (typeof tools)[0];
    expect(ask('Refund a charge', [search]).calls).toMatchObject([
      { name: 'search_tools', arguments: '{"query":"Refund a charge"}' },
    ]);
  });

  it('reports what a tool answered, and says what it is', () => {
    const { text, calls } = answerAsDemo({
      system: null,
      messages: [
        { role: 'user', text: 'Weather?' },
        { role: 'tool', callId: '1', name: 'weather_get', text: '{"celsius":12}', failed: false },
      ],
      tools,
    });
    expect(calls).toEqual([]);
    expect(text).toContain('{"celsius":12}');
    expect(text).toContain('demo model');
    expect(ask('Hm').text).toContain('none of this server');
  });
});
