declare module 'turndown' {
  type Filter = string | readonly string[] | ((node: never, options: object) => boolean);
  interface Rule {
    filter: Filter;
    replacement(content: string, node: never, options: object): string;
  }
  interface Options {
    headingStyle?: 'atx' | 'setext';
    codeBlockStyle?: 'fenced' | 'indented';
    bulletListMarker?: '-' | '*' | '+';
    emDelimiter?: '_' | '*';
    hr?: string;
    br?: string;
  }
  class TurndownService {
    constructor(options?: Options);
    addRule(name: string, rule: Rule): this;
    use(plugin: (service: TurndownService) => void): this;
    escape(text: string): string;
    turndown(input: unknown): string;
  }
  export default TurndownService;
}

declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown';
  export function strikethrough(service: TurndownService): void;
}
