import { graphql } from './graphql.ts';

export const Facts = graphql(`
  query Facts {
    facts {
      id
      text
      createdAt
    }
  }
`);
export const RememberFact = graphql(`
  mutation RememberFact($text: String!) {
    rememberFact(text: $text) {
      id
    }
  }
`);
export const ForgetFact = graphql(`
  mutation ForgetFact($factId: ID!) {
    forgetFact(factId: $factId)
  }
`);
export const ApiKeys = graphql(`
  query ApiKeys {
    apiKeys {
      id
      name
      role
      prefix
      createdAt
      lastUsedAt
    }
  }
`);
export const CreateApiKey = graphql(`
  mutation CreateApiKey($name: String!, $role: Role) {
    createApiKey(name: $name, role: $role) {
      key
      apiKey {
        id
      }
    }
  }
`);
export const RevokeApiKey = graphql(`
  mutation RevokeApiKey($apiKeyId: ID!) {
    revokeApiKey(apiKeyId: $apiKeyId)
  }
`);
