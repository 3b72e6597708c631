/** The part of the DOM that pages are read with; the project is compiled without a browser's types. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  textContent: string;
  readonly childNodes: readonly HtmlNode[];
  readonly nextSibling: HtmlNode | null;
  readonly previousSibling: HtmlNode | null;
}

export interface HtmlElement extends HtmlNode {
  /** Lower case. */
  readonly localName: string;
  readonly id: string;
  readonly children: readonly HtmlElement[];
  readonly parentElement: HtmlElement | null;
  readonly firstElementChild: HtmlElement | null;
  innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  matches(selector: string): boolean;
  closest(selector: string): HtmlElement | null;
  contains(node: HtmlNode): boolean;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): readonly HtmlElement[];
  remove(): void;
  before(...nodes: (HtmlNode | string)[]): void;
  append(...nodes: (HtmlNode | string)[]): void;
  prepend(...nodes: (HtmlNode | string)[]): void;
  replaceWith(...nodes: (HtmlNode | string)[]): void;
}

export interface HtmlDocument {
  readonly documentElement: HtmlElement;
  readonly body: HtmlElement;
  readonly head: HtmlElement;
  createElement(name: string): HtmlElement;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): readonly HtmlElement[];
}

export const ELEMENT_NODE = 1;
export const TEXT_NODE = 3;

/** Words of an element's classes, id and test id, in lower case. */
export const namesOf = (element: HtmlElement): string =>
  `${element.getAttribute('class') ?? ''} ${element.id} ${element.getAttribute('data-component') ?? ''}`.toLowerCase();

/** Characters of text without counting runs of white space. */
export const textLength = (node: HtmlNode): number =>
  node.textContent.replace(/\s+/g, ' ').trim().length;

/** Share of an element's text that is inside links; 0 for one without text. */
export function linkDensity(element: HtmlElement): number {
  const whole = textLength(element);
  if (whole === 0) return 0;
  let linked = 0;
  for (const link of element.querySelectorAll('a')) linked += textLength(link);
  return linked / whole;
}

/** Puts the children of an element in its place. */
export const unwrap = (element: HtmlElement): void => element.replaceWith(...element.childNodes);
