// Stands in for a model's endpoint, over real HTTP: OpenAI's chat completions and Anthropic's messages. It follows a plan:
// first it calls the tool that the plan names, with its arguments, and once the result has come back it answers with it.
import { createServer } from 'node:http';

async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

/** The name under which a tool was offered: some frameworks put the server's before it. */
function offered(names, tool) {
  const name = names.find((each) => each === tool || each.endsWith(`_${tool}`));
  if (name === undefined) throw new Error(`${tool} was not offered, only ${names.join(', ')}.`);
  return name;
}

function openai({ messages, tools = [], model }, { tool, args }) {
  const result = messages.findLast((message) => message.role === 'tool');
  const message = result
    ? { role: 'assistant', content: `It says: ${JSON.stringify(result.content)}` }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: {
              name: offered(
                tools.map((each) => each.function.name),
                tool,
              ),
              arguments: JSON.stringify(args),
            },
          },
        ],
      };
  return {
    id: `chatcmpl-${messages.length}`,
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: result ? 'stop' : 'tool_calls', logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function anthropic({ messages, tools = [], model }, { tool, args }) {
  const { content } = messages.at(-1);
  const result = Array.isArray(content) && content.find((part) => part.type === 'tool_result');
  return {
    id: `msg_${messages.length}`,
    type: 'message',
    role: 'assistant',
    model,
    content: result
      ? [{ type: 'text', text: `It says: ${JSON.stringify(result.content)}` }]
      : [
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: offered(
              tools.map((each) => each.name),
              tool,
            ),
            input: args,
          },
        ],
    stop_reason: result ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** Starts the endpoint; tells its address, what it was asked, and how to end it. */
export async function startStandIn(plan) {
  const asked = [];
  async function reply(request, response) {
    const answers = { '/v1/chat/completions': openai, '/v1/messages': anthropic }[request.url.split('?')[0]];
    let status = 200;
    let answer;
    try {
      const body = await readJson(request);
      asked.push(body);
      if (answers === undefined) throw new Error(`${request.url} is not asked by these agents.`);
      if (body.stream === true) throw new Error('This stand-in does not stream.');
      answer = answers(body, plan);
    } catch (error) {
      status = 400;
      answer = { error: { message: error.message, type: 'invalid_request_error' } };
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }
  const server = createServer((request, response) => void reply(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
