import { graphql } from './graphql.ts';

export const OperatorTools = graphql(`
  query OperatorTools {
    tools {
      name
      group
      core
      registered
      description
      source
      parameters
      gates {
        name
        outcome
        reason
        fix
        checkedAt
      }
      statistics {
        calls
        failed
        p50Ms
        p95Ms
        lastError
        lastErrorAt
      }
    }
    pool {
      threads
      busy
      queued
      queueLimit
    }
  }
`);
export const RecheckTool = graphql(`
  mutation RecheckTool($name: String!) {
    recheckTool(name: $name) {
      name
      registered
    }
  }
`);
export const RunTool = graphql(`
  mutation RunTool($name: String!, $arguments: JSON!) {
    runTool(name: $name, arguments: $arguments) {
      status
      code
      message
      result
      queuedMs
      elapsedMs
      outputCharacters
      files {
        id
        label
        downloadUrl
      }
    }
  }
`);
export const ToolEvents = graphql(`
  subscription ToolEvents($after: String, $toolName: String) {
    toolEvents(after: $after, toolName: $toolName) {
      cursor
      chatId
      userName
      event {
        __typename
        createdAt
        ... on ToolCallStart {
          callId
          toolName
        }
        ... on ToolCallProgress {
          callId
          toolName
          state
        }
        ... on ToolCallEnd {
          callId
          toolName
          status
          code
          elapsedMs
          queuedMs
          outputCharacters
        }
        ... on ActivationRequested {
          requestId
          group
        }
        ... on ActivationResponse {
          requestId
          group
          answer
        }
      }
    }
  }
`);
export const ToolCalls = graphql(`
  query ToolCalls($after: String, $filter: ToolCallFilter) {
    toolCalls(first: 50, after: $after, filter: $filter) {
      edges {
        node {
          id
          callId
          toolName
          userName
          status
          code
          queuedAt
          queuedMs
          elapsedMs
          argumentsCharacters
          outputCharacters
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const PoolLoad = graphql(`
  query PoolLoad {
    pool {
      threads
      busy
      queued
      queueLimit
      completed
      refused
      killed
      liveSubscriptions
      runningTurns
      eventLoopP99Ms
      memoryMb
    }
    models {
      id
      label
      provider
      protocol
      unavailableReason
    }
  }
`);
export const People = graphql(`
  query People {
    people {
      id
      name
      email
      role
      createdAt
      chatCount
    }
    invitations {
      id
      role
      note
      createdAt
      expiresAt
      usedAt
    }
  }
`);
export const SetRole = graphql(`
  mutation SetRole($userId: ID!, $role: Role!) {
    setRole(userId: $userId, role: $role) {
      id
      role
    }
  }
`);
export const CreateInvitation = graphql(`
  mutation CreateInvitation($role: Role, $note: String) {
    createInvitation(role: $role, note: $note) {
      url
      invitation {
        id
      }
    }
  }
`);
export const RevokeInvitation = graphql(`
  mutation RevokeInvitation($invitationId: ID!) {
    revokeInvitation(invitationId: $invitationId)
  }
`);
export const Settings = graphql(`
  query Settings {
    settings {
      name
      value
      source
      about
      secret
    }
  }
`);
export const AuditEntries = graphql(`
  query AuditEntries($after: String) {
    auditEntries(first: 50, after: $after) {
      edges {
        node {
          id
          actorName
          action
          subject
          details
          createdAt
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
