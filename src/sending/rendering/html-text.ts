import { compile } from 'html-to-text'

/** The text of an HTML body, for those who read text: links in brackets, images by their description. */
export const textOfHtml: (html: string) => string = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', options: { linkBrackets: false }, format: 'skip' },
    { selector: 'h1', options: { uppercase: false } },
    { selector: 'h2', options: { uppercase: false } },
    { selector: 'h3', options: { uppercase: false } },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
  limits: { maxInputLength: 2_000_000, maxDepth: 200 },
})
