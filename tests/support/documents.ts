/** Documents that several tests send. */
export const CREATE_CHAT = `mutation ($input: CreateChatInput!) {
  createChat(input: $input) { id lastSequence modelId activeGroups }
}`;

export const SEND = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { id status userMessageId assistantMessageId }
}`;

export const CHAT_EVENTS = `subscription ($chatId: ID!, $after: Int) {
  chatEvents(chatId: $chatId, afterSequence: $after) {
    __typename sequence previousSequence
    ... on TextDelta { text }
    ... on ToolCallStart { callId toolName argumentsText }
    ... on ToolCallProgress { callId state message }
    ... on ToolCallEnd { callId toolName status code message result outputCharacters }
    ... on ActivationRequested { requestId group reason toolNames }
    ... on ActivationResponse { requestId answer }
    ... on MessageEnd { text }
    ... on TurnEnd { turnId endReason endMessage }
    ... on ChatUpdate { title activeGroups }
  }
}`;

export interface EventLine {
  readonly __typename: string;
  readonly sequence: number;
  readonly previousSequence: number;
  readonly [field: string]: unknown;
}

export const CHAT = `query ($id: ID!) {
  chat(id: $id) {
    id title lastSequence activeGroups busy
    messages {
      id role text parentId
      parts { type text callId stepIndex }
      toolCalls { callId toolName status code message result argumentsText elapsedMs }
      turn { id status endReason endMessage }
    }
    files { id label downloadUrl bytes origin }
    openActivationRequests { id group status }
    runningTurn { id }
  }
}`;
