import type { Block, CssNode, DeclarationList, ParseOptions, StyleSheet as Tree } from 'css-tree'
import { require } from '../../libraries.ts'
import type { Render } from '../../runtime/render.ts'
import { kept } from '../kept.ts'
import { createSelectorParser, type Selector, type SelectorParser } from './selectors.ts'

/** A selector, and the declarations for the elements that it matches. */
export interface StyleRule {
  readonly selector: Selector
  readonly declarations: readonly Declaration[]
  /** Characters of its block. */
  readonly size: number
}

/** A style sheet, split into what can be written to `style` attributes and what cannot. */
export interface StyleSheet {
  readonly rules: readonly StyleRule[]
  /** CSS that must stay a style sheet: `@media` and the like, `:hover`, and invalid CSS. */
  readonly rest: string
  readonly selectors: SelectorParser
}

/** What a block sets one property to: mail programs take the last value that they know. */
export interface Declaration {
  readonly name: string
  readonly values: readonly string[]
  readonly isImportant: boolean
}

/** Parsing a style sheet takes about this many steps and bytes for each character. */
const stepsACharacter = 2
const bytesACharacter = 10
/** The number of values that are kept of a property set again and again in one block. */
const valuesMax = 3

/** Parses a style sheet. Emails have the same one again and again, so the engine keeps it for a while. */
export function readStyleSheet(css: string, render: Render): StyleSheet {
  const { budget } = render
  budget.spend(css.length * stepsACharacter)
  budget.allocate(css.length * bytesACharacter)
  const sheet = kept(render, `css ${css}`, () => {
    budget.untimed(loadParser)
    return parseStyleSheet(
      css,
      budget.untimed(() => createSelectorParser(budget)),
    )
  })
  sheet.selectors.budget = budget
  return sheet
}

/** `this` has the buffers of a text's tokens, which the next text would use again. */
type Forget = (this: Record<'offsetAndType' | 'balance', Uint32Array | null>) => void
type Parser = ((css: string, options: ParseOptions) => CssNode) & {
  config: { context: Record<string, Forget> }
}

function loadParser(): Parser {
  const parser = require('css-tree/parser') as Parser
  parser.config.context['forgotten'] = function forget() {
    this.offsetAndType = null
    this.balance = null
  }
  return parser
}

/** The declarations of a `style` attribute. */
export function parseDeclarations(style: string): Declaration[] {
  return declarationsIn(parseCss(withoutComments(style), 'declarationList') as DeclarationList)
}

function parseCss(css: string, context: string): CssNode {
  const asText = { parseValue: false, parseRulePrelude: false, parseAtrulePrelude: false }
  const parse = loadParser()
  // Version 3.2.1 reads one token more than a text has: one that an earlier text left there could make it parse for ever.
  parse('', { context: 'forgotten' })
  return parse(css, { ...asText, context, positions: true })
}

/** Strings, and a `url()` without one; or a comment. */
const textOrComment =
  /("(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|url\([^"'()]*\))|\/\*[\s\S]*?(?:\*\/|$)/gi

function withoutComments(css: string): string {
  return css.replace(textOrComment, (_whole, text: string | undefined) => text ?? '')
}

/** What is not a rule. */
const ignored = new Set(['CDO', 'CDC', 'Raw'])

function parseStyleSheet(css: string, selectors: SelectorParser): StyleSheet {
  const text = withoutComments(css)
  const textOf = ({ loc }: CssNode) => text.slice(loc?.start.offset, loc?.end.offset)
  const rules: StyleRule[] = []
  const rest: string[] = []
  for (const node of (parseCss(text, 'stylesheet') as Tree).children) {
    if (ignored.has(node.type)) continue
    // Nested rules are for programs that know them.
    if (node.type !== 'Rule' || hasNested(node.block)) {
      rest.push(textOf(node).trim())
      continue
    }
    const block = textOf(node.block).slice(1).replace(/\}$/, '')
    const declarations = declarationsIn(node.block)
    const left: string[] = []
    for (const { text: written, selector } of selectors.parse(textOf(node.prelude).trim())) {
      if (selector === undefined) left.push(written)
      else rules.push({ selector, declarations, size: block.length })
    }
    if (left.length > 0) rest.push(`${left.join(', ')} {${block}}`)
  }
  // CSS that is given as data must not end the element that it is put into.
  return { rules, rest: rest.join('\n').replaceAll('</', '<\\/'), selectors }
}

function hasNested(block: Block): boolean {
  return block.children.some(({ type }) => type === 'Rule' || type === 'Atrule')
}

function declarationsIn({ children }: Block | DeclarationList): Declaration[] {
  const found = new Map<string, Declaration>()
  for (const node of children) {
    if (node.type !== 'Declaration' || node.value.type !== 'Raw') continue
    const text = node.value.value.trim()
    if (text === '') continue
    const isImportant = node.important !== false
    const name = node.property.startsWith('--') ? node.property : node.property.toLowerCase()
    const value = isImportant ? `${text} !important` : text
    const before = found.get(name)
    if (before?.isImportant && !isImportant) continue
    const isMore = before !== undefined && before.isImportant === isImportant
    const values = isMore ? [...before.values, value].slice(-valuesMax) : [value]
    found.delete(name)
    found.set(name, { name, values, isImportant })
  }
  return [...found.values()]
}
