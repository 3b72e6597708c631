import { graphql } from './graphql.ts';

export const FileFields = graphql(`
  fragment FileFields on ChatFile {
    id
    label
    downloadUrl
    mimeType
    bytes
    origin
  }
`);

const EventFileFields = graphql(`
  fragment EventFileFields on EventFile {
    id
    label
    downloadUrl
    mimeType
    bytes
    origin
  }
`);

export const CallFields = graphql(
  `
    fragment CallFields on ToolCall {
      callId
      toolName
      turnId
      stepIndex
      position
      status
      code
      message
      argumentsText
      result
      queuedMs
      elapsedMs
      outputCharacters
      progress {
        state
        message
        fraction
      }
      files {
        ...FileFields
      }
    }
  `,
  [FileFields],
);

export const Chats = graphql(`
  query Chats($search: String, $after: String, $archived: Boolean) {
    chats(first: 50, search: $search, after: $after, archived: $archived) {
      edges {
        snippet
        node {
          id
          title
          pinned
          archived
          busy
          updatedAt
          modelId
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
    viewer {
      lastSequence
    }
  }
`);

export const ChatById = graphql(
  `
    query ChatById($id: ID!) {
      chat(id: $id) {
        id
        title
        modelId
        activeGroups
        activeLeafId
        lastSequence
        messages {
          id
          role
          text
          parentId
          createdAt
          parts {
            type
            text
            callId
            stepIndex
          }
          files {
            ...FileFields
          }
          toolCalls {
            ...CallFields
          }
          turn {
            id
            status
            modelId
            endReason
            endMessage
            usage {
              inputTokens
              outputTokens
            }
          }
        }
        files {
          ...FileFields
        }
        openActivationRequests {
          id
          group
          reason
          toolNames
          turnId
        }
        runningTurn {
          id
          assistantMessageId
        }
      }
    }
  `,
  [FileFields, CallFields],
);

export const ChatEvents = graphql(
  `
    subscription ChatEvents($chatId: ID!, $afterSequence: Int!) {
      chatEvents(chatId: $chatId, afterSequence: $afterSequence) {
        __typename
        sequence
        previousSequence
        createdAt
        ... on TurnStart {
          turnId
          userMessageId
          assistantMessageId
          modelId
        }
        ... on MessageStart {
          messageId
          parentId
          text
          files {
            ...EventFileFields
          }
        }
        ... on TextDelta {
          messageId
          stepIndex
          text
        }
        ... on ReasoningDelta {
          messageId
          stepIndex
          text
        }
        ... on StepStart {
          turnId
          stepIndex
        }
        ... on StepEnd {
          turnId
          stepIndex
        }
        ... on ToolCallStart {
          turnId
          stepIndex
          position
          callId
          toolName
          argumentsText
        }
        ... on ToolCallProgress {
          callId
          state
          message
          fraction
          data
        }
        ... on ToolCallEnd {
          callId
          status
          code
          message
          result
          queuedMs
          elapsedMs
          outputCharacters
          files {
            ...EventFileFields
          }
        }
        ... on ActivationRequested {
          requestId
          callId
          turnId
          group
          reason
          toolNames
        }
        ... on ActivationResponse {
          requestId
          answer
        }
        ... on TurnWait {
          turnId
        }
        ... on TurnResume {
          turnId
        }
        ... on MessageEnd {
          messageId
          text
          parts {
            type
            text
            callId
            stepIndex
          }
        }
        ... on TurnEnd {
          turnId
          messageId
          endReason
          endMessage
          usage {
            inputTokens
            outputTokens
          }
        }
        ... on ChatUpdate {
          title
          modelId
          activeGroups
          activeLeafId
          files {
            ...EventFileFields
          }
        }
      }
    }
  `,
  [EventFileFields],
);

export const ViewerEvents = graphql(`
  subscription ViewerEvents($after: Int!) {
    viewerEvents(after: $after) {
      __typename
      sequence
      ... on ChatChange {
        chatId
        title
        modelId
        pinned
        archived
        busy
        updatedAt
      }
      ... on ChatRemoval {
        chatId
      }
    }
  }
`);

export const CreateChat = graphql(`
  mutation CreateChat($input: CreateChatInput!) {
    createChat(input: $input) {
      id
    }
  }
`);
export const SendMessage = graphql(`
  mutation SendMessage($input: SendMessageInput!) {
    sendMessage(input: $input) {
      id
    }
  }
`);
export const EditMessage = graphql(`
  mutation EditMessage($input: EditMessageInput!) {
    editMessage(input: $input) {
      id
    }
  }
`);
export const Regenerate = graphql(`
  mutation Regenerate($input: RegenerateInput!) {
    regenerate(input: $input) {
      id
    }
  }
`);
export const CancelTurn = graphql(`
  mutation CancelTurn($turnId: ID!) {
    cancelTurn(turnId: $turnId) {
      id
    }
  }
`);
export const CancelToolCall = graphql(`
  mutation CancelToolCall($chatId: ID!, $callId: ID!) {
    cancelToolCall(chatId: $chatId, callId: $callId)
  }
`);
export const AnswerActivation = graphql(`
  mutation AnswerActivation($requestId: ID!, $answer: ActivationAnswer!) {
    answerActivationRequest(requestId: $requestId, answer: $answer) {
      id
      status
    }
  }
`);
export const AttachFile = graphql(`
  mutation AttachFile($chatId: ID!, $uploadId: ID!) {
    uploadFile(chatId: $chatId, uploadId: $uploadId) {
      id
      label
      downloadUrl
      mimeType
      bytes
      origin
    }
  }
`);
export const RenameChat = graphql(`
  mutation RenameChat($chatId: ID!, $title: String!) {
    renameChat(chatId: $chatId, title: $title) {
      id
    }
  }
`);
export const UpdateChat = graphql(`
  mutation UpdateChat($input: UpdateChatInput!) {
    updateChat(input: $input) {
      id
    }
  }
`);
export const DeleteChat = graphql(`
  mutation DeleteChat($chatId: ID!) {
    deleteChat(chatId: $chatId)
  }
`);
export const SelectBranch = graphql(`
  mutation SelectBranch($chatId: ID!, $messageId: ID!) {
    selectBranch(chatId: $chatId, messageId: $messageId) {
      id
      activeLeafId
    }
  }
`);
