import type { Options } from 'css-select'
import type { Selector as Token } from 'css-what'
import type { Budget } from '../../budget.ts'
import { require } from '../../libraries.ts'
import { attributeOf, type HtmlElement, type HtmlNode, isElement } from '../html/parse-html.ts'

/** A selector that matches the same elements at all times, so its rule can be inlined. */
export interface Selector {
  matches(element: HtmlElement): boolean
  /** Ids first, then classes, attributes and pseudo-classes, then names (Selectors 4, section 17). */
  readonly specificity: number
  /** What every matching element has: `#id`, `.class` or a tag name; `*` where nothing is certain. */
  readonly key: string
}

/** One selector of a rule. `selector` is undefined for `:hover`, `::before` and invalid selectors. */
export interface ListedSelector {
  readonly text: string
  readonly selector: Selector | undefined
}

/** Parses selectors. Matching them is charged to `budget`: set it to that of the running render. */
export interface SelectorParser {
  budget: Budget
  /** Parses the selectors of a rule, `a, b:hover`, into one entry each. */
  parse(list: string): ListedSelector[]
}

/** A longer chain of conditions, or a deeper `:not(:not(…))`, is not inlined: matching recurses. */
const tokensMax = 60
const depthMax = 4

/** Creates the parser of a style sheet: css-what parses, and css-select matches. */
export function createSelectorParser(budget: Budget): SelectorParser {
  const { isTraversal, parse, stringify } = require('css-what') as typeof import('css-what')
  const { compile } = require('css-select') as typeof import('css-select')
  const parser: SelectorParser = { budget, parse: parseList }
  const options = matchingOptions(parser)

  function parseList(list: string): ListedSelector[] {
    try {
      const all = parse(list)
      return all.map((tokens) => ({
        text: all.length === 1 ? list : stringify([tokens]),
        selector: read(tokens),
      }))
    } catch {
      return [{ text: list, selector: undefined }]
    }
  }

  function read(tokens: Token[]): Selector | undefined {
    if (!isFixed(tokens)) return undefined
    const subject = tokens.slice(tokens.findLastIndex(isTraversal) + 1)
    const found = { specificity: specificityOf(tokens), key: indexKey(subject) }
    return { ...found, matches: compile<HtmlNode, HtmlElement>([tokens], options) }
  }

  return parser
}

const fixedPseudoClasses = new Set([
  'first-child',
  'last-child',
  'only-child',
  'nth-child',
  'nth-last-child',
  'first-of-type',
  'last-of-type',
  'only-of-type',
  'nth-of-type',
  'nth-last-of-type',
  'any-link',
  'empty',
  'is',
  'link',
  'not',
  'root',
  'where',
])

/** Whether a selector says the same of a message at all times. */
function isFixed(tokens: readonly Token[], depth = 0): boolean {
  if (tokens.length > tokensMax || depth > depthMax) return false
  return tokens.every((token) => {
    if (token.type !== 'pseudo') return token.type !== 'pseudo-element'
    const { name, data } = token
    if (!fixedPseudoClasses.has(name)) return false
    if (Array.isArray(data)) return data.every((one) => isFixed(one, depth + 1))
    // `:nth-child(2 of :hover)` holds another selector.
    return data === null || !/\sof\s/i.test(data)
  })
}

const weights = { id: 1_000_000, class: 1_000, name: 1 }

function specificityOf(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + weightOf(token), 0)
}

function weightOf(token: Token): number {
  if (token.type === 'tag') return weights.name
  if (token.type === 'attribute') return isId(token) ? weights.id : weights.class
  if (token.type !== 'pseudo' || token.name === 'where') return 0
  if (!Array.isArray(token.data)) return weights.class
  return Math.max(...token.data.map(specificityOf))
}

/** `#a` is parsed as `[id=a]` with a mark of its own. */
function isId(token: Extract<Token, { type: 'attribute' }>): boolean {
  return token.name === 'id' && token.action === 'equals' && token.ignoreCase === 'quirks'
}

/** An id is rarer than a class, and a class is rarer than a name. */
function indexKey(subject: readonly Token[]): string {
  let key = '*'
  for (const token of subject) {
    if (token.type === 'tag' && key === '*') key = token.name.toLowerCase()
    if (token.type !== 'attribute') continue
    if (isId(token)) return `#${token.value}`
    if (token.name === 'class' && token.action === 'element') key = `.${token.value}`
  }
  return key
}

/** How css-select reads the tree of parse5. Each question costs steps. */
function matchingOptions(parser: SelectorParser): Options<HtmlNode, HtmlElement> {
  const siblingsOf = (node: HtmlNode): HtmlNode[] =>
    ('parentNode' in node ? node.parentNode?.childNodes : undefined) ?? []
  const spend = (steps: number) => parser.budget.spend(1 + steps)
  return {
    relativeSelector: false,
    // Compiled selectors outlive a render, and its elements.
    cacheResults: false,
    // In a fragment the library takes every outermost element for the root.
    pseudos: { root: ({ tagName }) => tagName === 'html' },
    adapter: {
      isTag: isElement,
      getName(element) {
        spend(0)
        return element.tagName.toLowerCase()
      },
      getAttributeValue(element, name) {
        const value = attributeOf(element, name)
        spend((element.attrs.length + (value?.length ?? 0)) / 8)
        return value
      },
      hasAttrib(element, name) {
        spend(element.attrs.length / 8)
        return attributeOf(element, name) !== undefined
      },
      getParent(element) {
        spend(0)
        return isElement(element.parentNode) ? element.parentNode : null
      },
      getSiblings(node) {
        const siblings = siblingsOf(node)
        spend(siblings.length)
        return siblings
      },
      prevElementSibling(node) {
        const siblings = siblingsOf(node)
        const index = siblings.indexOf(node)
        spend(index / 8)
        return siblings.slice(0, index).findLast(isElement) ?? null
      },
      getChildren(node) {
        const children = 'childNodes' in node ? node.childNodes : []
        spend(children.length / 8)
        return children
      },
      getText: (node) => ('value' in node ? node.value : ''),
      removeSubsets: (nodes) => nodes,
    },
  }
}
