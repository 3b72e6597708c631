import { graphql } from './graphql.ts';

export const Models = graphql(`
  query Models {
    models {
      id
      label
      provider
      protocol
      isDefault
      unavailableReason
    }
  }
`);

export const ToolGroups = graphql(`
  query ToolGroups($chatId: ID) {
    toolGroups(chatId: $chatId) {
      name
      description
      active
      tools {
        name
      }
    }
  }
`);

export const ToolGates = graphql(`
  query ToolGates($chatId: ID) {
    tools {
      name
      group
      core
      registered
      active(chatId: $chatId)
      description
      gates(chatId: $chatId) {
        name
        outcome
        reason
        fix
      }
    }
  }
`);

export const ActivateGroup = graphql(`
  mutation ActivateGroup($chatId: ID!, $group: String!) {
    activateToolGroup(chatId: $chatId, group: $group)
  }
`);
export const DeactivateGroup = graphql(`
  mutation DeactivateGroup($chatId: ID!, $group: String!) {
    deactivateToolGroup(chatId: $chatId, group: $group)
  }
`);
