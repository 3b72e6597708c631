import { type HtmlDocument, type HtmlElement, linkDensity, namesOf, textLength } from './dom.ts';

/** Never content, wherever it stands. */
const NEVER = [
  ...[
    'nav',
    'dialog',
    'menu',
    'input',
    'datalist',
    'progress',
    'meter',
    'map',
    'link',
    'meta',
    'base',
  ],
  ...[
    '[hidden]',
    '[aria-modal="true"]',
    '[role="navigation"]',
    '[role="search"]',
    '[role="dialog"]',
  ],
  ...['[role="alertdialog"]', '[role="menu"]', '[role="menubar"]', '[role="toolbar"]'],
  ...['[role="banner"]', '[role="contentinfo"]', '[role="tooltip"]', '[data-nosnippet]'],
  ...['.sr-only', '.visually-hidden', '.screen-reader-text', '.mw-editsection', '.noprint'],
  ...[
    '.headerlink',
    '.anchorjs-link',
    '.heading-anchor',
    '.linenos',
    '.lineno',
    '.line-numbers-rows',
  ],
  ...['.gutter', '.blob-num', '.skip-link', '.skiplink', '.katex-html', '.MathJax_Preview'],
].join(',');

/** Around the content rather than in it, by the words of class and id. */
const AROUND =
  /(^|[\s_-])(ads?|advert\w*|adslot|sponsor(ed)?|promo\w*|cookies?|consent|gdpr|newsletter|subscri(be|ption)\w*|sign-?up|log-?in|paywall|social|share(-?\w+)?|sharing|share?bar|follow-?us|related\w*|recommend\w*|you-?may|more-?(stories|news|from|like)|read-?(next|more)|trending|popular|most-?read|sidebar|side-?bar|side-?nav|breadcrumbs?|pagination|pager|pagenav|toolbar|tool-?tips?|popup|pop-?up|modal|overlay|skip(-?to)?(-?content|-?link)?|footer|site-?header|masthead|nav|navbar|nav-?menu|menu|megamenu|topbar|top-?bar|banner|widget|outbrain|taboola|disqus|feedback|rate-?this|was-?this-?helpful|print-?only|share-?tools|tag-?(list|cloud)|author-?(bio|box|card)|toc|table-?of-?contents|on-?this-?page|back-?to-?top|language-?(switch\w*|select\w*)|edit-?(this-?)?page|copy-?(btn|button|code)|vote\w*|reactions?|user-?(card|info|stats)|signature|avatar|hit-?counter|accessibility-?links|also-?bought|cross-?sell|upsell|wishlist|add-?to-?cart|mini-?cart|basket)(?=$|[\s_-])/;
/** Comments of readers: content in a forum, but not below an article. */
const COMMENTS =
  /(^|[\s_-])(comments?|comment-?(list|section|thread)|respond|replies|disqus_thread)(?=$|[\s_-])/;
/** What the words above may not take away. */
const CONTENT =
  /(^|[\s_-])(article|content|main|post|entry|story|body|text|page|answer|question|topic|thread|message|review|product|recipe|admonition|note|warning|tip|infobox)(?=$|[\s_-])/;
const SIDE_BY_SIDE =
  /(^|[\s_-])(admonition|note|callout|warning|tip|hint|important|infobox|pull-?quote|footnotes?)(?=$|[\s_-])/;
const HIDDEN_STYLE = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Share of the page's text above which an element is the page, whatever it is called. */
const MOST_OF_PAGE = 0.5;
/** A text this long is hardly a menu. */
const TEXTUAL_CHARACTERS = 400;
const CONTENT_ELEMENTS = 'article,main,h1,h2,h3,p,pre,code,table,tbody,tr,td,th,time,em,strong';

/** Removes from a page what surrounds its content: menus, banners, advertisements, hidden parts, controls. */
export function cleanPage(document: HtmlDocument): void {
  const cleaner = new Cleaner(document);
  cleaner.removeHidden();
  cleaner.removeControls();
  cleaner.removeLandmarks();
  cleaner.removeByName();
}

class Cleaner {
  readonly #document: HtmlDocument;
  readonly #body: HtmlElement;
  /** Characters that are left; counted once, because counting anew for each removal takes for ever. */
  #characters: number;

  constructor(document: HtmlDocument) {
    this.#document = document;
    this.#body = document.body;
    this.#characters = textLength(document.body);
  }

  removeHidden(): void {
    for (const element of this.#body.querySelectorAll('[style],[aria-hidden="true"]')) {
      const isUnseen = HIDDEN_STYLE.test(element.getAttribute('style') ?? '');
      // Icons and doubled formulas; a long text is hidden only as long as a script has not run.
      const isDecoration =
        element.getAttribute('aria-hidden') === 'true' && textLength(element) < TEXTUAL_CHARACTERS;
      if (isUnseen || isDecoration) this.#remove(element);
    }
  }

  removeControls(): void {
    for (const element of this.#document.querySelectorAll(NEVER)) this.#remove(element);
    for (const button of this.#document.querySelectorAll('button,[role="button"]')) {
      if (button.closest('h1,h2,h3,h4,h5,h6,dt,summary') === null) this.#remove(button);
    }
  }

  removeLandmarks(): void {
    for (const footer of this.#document.querySelectorAll('footer')) {
      if (footer.closest('blockquote,figure') === null) this.#remove(footer);
    }
    for (const header of this.#document.querySelectorAll('header')) {
      const isOfContent = header.closest('article,main,section,[role="main"]') !== null;
      if (!isOfContent && header.querySelector('h1') === null) this.#remove(header);
    }
    for (const aside of this.#document.querySelectorAll('aside,[role="complementary"]')) {
      if (!SIDE_BY_SIDE.test(namesOf(aside))) this.#remove(aside);
    }
  }

  removeByName(): void {
    const hasArticle = this.#document.querySelector('article,[itemprop="articleBody"]') !== null;
    for (const element of this.#body.querySelectorAll('[class],[id]')) {
      const names = namesOf(element);
      const isComments = hasArticle && COMMENTS.test(names) && isBesideArticle(element);
      if (isComments || (AROUND.test(names) && !isContent(element, names))) this.#remove(element);
    }
  }

  /** Leaves alone what holds most of the page's text: then its name says something else. */
  #remove(element: HtmlElement): void {
    if (element === this.#body || !this.#body.contains(element)) return;
    const characters = textLength(element);
    const isMost = characters > this.#characters * MOST_OF_PAGE;
    if (isMost && element.querySelector('p,article,pre,table,h1') !== null) {
      if (linkDensity(element) < 0.5) return;
    }
    this.#characters -= characters;
    element.remove();
  }
}

const isBesideArticle = (element: HtmlElement): boolean =>
  element.closest('article') !== null || element.querySelector('article p') === null;

function isContent(element: HtmlElement, names: string): boolean {
  if (element.matches(CONTENT_ELEMENTS)) return true;
  if (element.querySelector('article,main,h1,[role="main"],[itemprop="articleBody"]') !== null) {
    return true;
  }
  // "post-content with-sidebar" is named after both; long running text decides.
  return (
    CONTENT.test(names) && textLength(element) > TEXTUAL_CHARACTERS && linkDensity(element) < 0.3
  );
}
