// Asks a question and prints the answer while it is written; survives cut connections.
//
//   SIGNALBOX_KEY=sbx_… node docs/examples/chat-client.mjs "What is the weather in Bergen?"
//
// Node 20 or later, no packages. SIGNALBOX_URL is http://127.0.0.1:4000 unless set.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const url = process.env.SIGNALBOX_URL ?? 'http://127.0.0.1:4000';
const headers = {
  authorization: `Bearer ${process.env.SIGNALBOX_KEY}`,
  'content-type': 'application/json',
};

/** Runs a query or mutation. */
async function query(document, variables = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: document, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${errors[0].extensions?.code}: ${errors[0].message}`);
  return data;
}

/** Yields what a subscription tells over one connection, with the id of each event. */
async function* connect(document, variables, lastEventId) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(lastEventId) },
    body: JSON.stringify({ query: document, variables }),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w*: ?/, '')]),
      );
      if (fields.event === 'complete') return;
      if (fields.data) yield { id: Number(fields.id), result: JSON.parse(fields.data) };
    }
  }
}

/** Yields the events of a chat after a number, each exactly once, over as many connections as it takes. */
async function* follow(chatId, after) {
  let last = after;
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const { id, result } of connect(EVENTS, { chatId, after: last }, last)) {
        if (result.errors) throw new Error(result.errors[0].message);
        failures = 0;
        last = id;
        yield result.data.chatEvents;
      }
    } catch (error) {
      if (failures === 5) throw error;
    }
    await wait(2 ** failures * 200);
  }
}

const EVENTS = `subscription ($chatId: ID!, $after: Int) {
  chatEvents(chatId: $chatId, afterSequence: $after) {
    __typename
    sequence
    ... on TextDelta { text }
    ... on ToolCallStart { toolName argumentsText }
    ... on ToolCallEnd { toolName status message elapsedMs }
    ... on ActivationRequested { group reason }
    ... on TurnEnd { endReason endMessage }
  }
}`;

const question = process.argv[2] ?? 'Hello!';
const { createChat } = await query(
  'mutation ($input: CreateChatInput!) { createChat(input: $input) { id lastSequence modelId } }',
  { input: { requestId: randomUUID() } },
);
process.stdout.write(`(${createChat.modelId})\n`);
const events = follow(createChat.id, createChat.lastSequence);
await query('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }', {
  // Sending it again with the same requestId answers with the same turn.
  input: { chatId: createChat.id, requestId: randomUUID(), text: question },
});
for await (const event of events) {
  if (event.__typename === 'TextDelta') process.stdout.write(event.text);
  if (event.__typename === 'ToolCallStart') process.stdout.write(`\n[${event.toolName} runs]\n`);
  if (event.__typename === 'ToolCallEnd') {
    process.stdout.write(`[${event.toolName}: ${event.status} in ${event.elapsedMs} ms]\n`);
  }
  if (event.__typename === 'ActivationRequested') {
    process.stdout.write(`\n[asks for ${event.group}: answer it in the console]\n`);
  }
  if (event.__typename === 'TurnEnd') {
    process.stdout.write(
      `\n(${event.endReason}${event.endMessage ? `: ${event.endMessage}` : ''})\n`,
    );
    break;
  }
}
