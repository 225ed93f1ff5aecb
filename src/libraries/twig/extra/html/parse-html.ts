import type { DefaultTreeAdapterTypes } from 'parse5'
import type { Budget } from '../../budget.ts'
import { runtimeFault } from '../../errors.ts'
import { require } from '../../libraries.ts'

export type HtmlElement = DefaultTreeAdapterTypes.Element
export type HtmlNode = DefaultTreeAdapterTypes.Node
type HtmlParent = DefaultTreeAdapterTypes.ParentNode
type Parse5 = typeof import('parse5')

/** What parsing a tag, and looking at each element once, takes. */
const stepsATag = 15
const bytesATag = 600
const stepsAWord = 8

/** How a text is to be parsed. */
export interface ParseHtmlOptions {
  /** Who asks; error messages name it. */
  readonly filter: string
  /** How many elements may be open at once. */
  readonly depthMax: number
  /** As a document, or as what may stand in one: a row of a table too. */
  readonly as: 'document' | 'fragment'
  readonly budget: Budget
}

/** The elements of the tree that browsers make of a text (HTML, section 13.2), with the places of their tags. */
export function parseHtml(html: string, options: ParseHtmlOptions): HtmlElement[] {
  const { budget, as } = options
  budget.spendOnCharacters(html.length * 4)
  spendOnWords(html, budget)
  const parse5 = budget.untimed(() => require('parse5') as Parse5)
  const { defaultTreeAdapter, parse, parseFragment } = parse5
  const settings = {
    treeAdapter: watch(defaultTreeAdapter, options),
    sourceCodeLocationInfo: true,
  }
  const tree: HtmlParent = as === 'document' ? parse(html, settings) : parseFragment(html, settings)
  return elementsIn(tree)
}

/** A tag is read with all its attributes before anybody is asked, and each may be one. */
function spendOnWords(html: string, budget: Budget): void {
  const start = /[\s/"'][^\s/"'<>]/g
  while (start.exec(html) !== null) budget.spend(stepsAWord)
}

/** The tree is made tag by tag, and no further than it may grow. */
function watch(
  adapter: Parse5['defaultTreeAdapter'],
  { filter, depthMax, budget }: ParseHtmlOptions,
): Parse5['defaultTreeAdapter'] {
  let depth = 0
  return {
    ...adapter,
    createElement(tagName, namespace, attributes) {
      // A tag is looked for among those that are open.
      budget.spend(stepsATag + attributes.length + depth / 8)
      budget.allocate(bytesATag)
      return adapter.createElement(tagName, namespace, attributes)
    },
    onItemPush() {
      if (++depth > depthMax) {
        throw runtimeFault(`The HTML for "${filter}" is nested too deeply.`)
      }
    },
    onItemPop() {
      depth--
    },
  }
}

/** In the order of the text. */
function elementsIn(tree: HtmlParent): HtmlElement[] {
  const elements: HtmlElement[] = []
  const waiting: HtmlNode[] = tree.childNodes.toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isElement(node)) continue
    elements.push(node)
    for (let index = node.childNodes.length - 1; index >= 0; index--) {
      const child = node.childNodes[index]
      if (child !== undefined) waiting.push(child)
    }
  }
  return elements
}

export function isElement(node: HtmlNode | null): node is HtmlElement {
  return node !== null && 'tagName' in node
}

export function attributeOf(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}
