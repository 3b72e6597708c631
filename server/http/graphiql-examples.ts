/** What GraphiQL opens with: one operation for each thing that people come for. */
export const EXAMPLES = [
  {
    query: `# Your chats, newest first.
query Chats {
  chats(first: 10) {
    edges { node { id title modelId busy updatedAt } snippet }
    pageInfo { hasNextPage endCursor }
  }
}
`,
  },
  {
    query: `# Makes a chat with the built-in model, which calls tools by hand.
mutation NewChat {
  createChat(input: { requestId: "example-chat", modelId: "direct" }) { id }
}
`,
  },
  {
    query: `# Sends a message; the answer comes as events.
mutation Send($chatId: ID!) {
  sendMessage(input: { chatId: $chatId, requestId: "example-message", text: "/weather_fetch Hamburg" }) {
    id
    status
    assistantMessageId
  }
}
`,
    variables: '{ "chatId": "" }',
  },
  {
    query: `# Follows a chat: what is stored, then what happens.
subscription Follow($chatId: ID!) {
  chatEvents(chatId: $chatId, afterSequence: 0) {
    __typename
    sequence
    ... on TextDelta { text }
    ... on ToolCallStart { toolName argumentsText }
    ... on ToolCallEnd { toolName status result }
    ... on MessageEnd { text }
    ... on TurnEnd { reason message }
  }
}
`,
    variables: '{ "chatId": "" }',
  },
  {
    query: `# Why can, or can't, the model use each tool?
query Gates {
  tools {
    name
    group
    registered
    gates { name outcome reason fix }
  }
}
`,
  },
];
