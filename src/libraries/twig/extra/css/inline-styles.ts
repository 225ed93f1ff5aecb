import type { Budget } from '../../budget.ts'
import type { Render } from '../../runtime/render.ts'
import { attributeOf, type HtmlElement } from '../html/parse-html.ts'
import {
  type Declaration,
  parseDeclarations,
  readStyleSheet,
  type StyleRule,
  type StyleSheet,
} from './style-sheet.ts'

/** A piece of a text to be replaced. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What is never seen has no style. */
const unseen = new Set(['head', 'title', 'meta', 'link', 'base', 'style', 'script', 'template'])

/** The rules of all style sheets, by what their elements can be found by. */
type RuleIndex = Map<string, { readonly rule: StyleRule; readonly order: number }[]>

/**
 * What to change in a text so that the rules of its `<style>` elements, and of more CSS, stand in the
 * `style` attributes of its elements. Everything else in the text stays as it is.
 */
export function inlineStyles(
  html: string,
  elements: readonly HtmlElement[],
  { css, render }: { css: string; render: Render },
): Edit[] {
  const { budget } = render
  const given = readStyleSheet(css, render)
  const own = elements.filter(isStyleSheet).map((element) => {
    const sheet = readStyleSheet(textOf(element), render)
    return { element, sheet }
  })
  const index = indexRules([...own.map(({ sheet }) => sheet), given])
  const edits = own.flatMap(({ element, sheet }) => editStyleSheet(element, sheet))
  for (const element of elements) {
    if (unseen.has(element.tagName)) continue
    const edit = editElement(html, element, { index, budget })
    if (edit !== undefined) edits.push(edit)
  }
  if (given.rest !== '') edits.push(addStyleSheet(elements, given.rest))
  return edits
}

function isStyleSheet(element: HtmlElement): boolean {
  if (element.tagName !== 'style') return false
  const media = attributeOf(element, 'media') ?? ''
  return /^(?:|all|screen)$/i.test(media.trim())
}

function textOf(element: HtmlElement): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}

function indexRules(sheets: readonly StyleSheet[]): RuleIndex {
  const index: RuleIndex = new Map()
  sheets
    .flatMap(({ rules }) => rules)
    .forEach((rule, order) => {
      const listed = index.get(rule.selector.key)
      if (listed === undefined) index.set(rule.selector.key, [{ rule, order }])
      else listed.push({ rule, order })
    })
  return index
}

/** A style sheet keeps what cannot be inlined; without any it goes. */
function editStyleSheet(element: HtmlElement, { rules, rest }: StyleSheet): Edit[] {
  const place = element.sourceCodeLocation
  if (rules.length === 0 || !place?.startTag) return []
  if (rest === '') return [{ start: place.startOffset, end: place.endOffset, text: '' }]
  const end = place.endTag?.startOffset ?? place.endOffset
  return [{ start: place.startTag.endOffset, end, text: `\n${rest}\n` }]
}

function editElement(
  html: string,
  element: HtmlElement,
  { index, budget }: { index: RuleIndex; budget: Budget },
): Edit | undefined {
  // Elements that the parser added are not in the text.
  const place = element.sourceCodeLocation
  if (!place) return undefined
  const rules = rulesFor(element, index)
  if (rules.length === 0) return undefined
  for (const { size } of rules) budget.spendOnCharacters(size)
  const own = attributeOf(element, 'style')
  if (own !== undefined) budget.spendOnCharacters(own.length)
  const style = cascade(rules, own === undefined ? [] : parseDeclarations(own))
  budget.allocateText(style.length)
  const attribute = `style="${style.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
  const written = place.attrs?.['style']
  if (written !== undefined) {
    return { start: written.startOffset, end: written.endOffset, text: attribute }
  }
  const name = /<[^\s/>]+/y
  name.lastIndex = place.startOffset
  const end = place.startOffset + (name.exec(html)?.[0].length ?? 0)
  return { start: end, end, text: ` ${attribute}` }
}

/** The rules that hold for an element, the strongest last. */
function rulesFor(element: HtmlElement, index: RuleIndex): StyleRule[] {
  const classes = new Set(attributeOf(element, 'class')?.split(/\s+/))
  const keys = ['*', element.tagName.toLowerCase(), `#${attributeOf(element, 'id')}`]
  for (const name of classes) keys.push(`.${name}`)
  const found: { readonly rule: StyleRule; readonly order: number }[] = []
  for (const key of keys) {
    for (const indexed of index.get(key) ?? []) {
      if (indexed.rule.selector.matches(element)) found.push(indexed)
    }
  }
  found.sort(
    (a, b) => a.rule.selector.specificity - b.rule.selector.specificity || a.order - b.order,
  )
  return found.map(({ rule }) => rule)
}

/** What comes of rules and an element's own style (CSS Cascade 4, section 6), as text of an attribute. */
function cascade(rules: readonly StyleRule[], own: readonly Declaration[]): string {
  const all = [...rules.flatMap(({ declarations }) => declarations), ...own]
  const winners = new Map<string, Declaration>()
  for (const isImportant of [false, true]) {
    for (const declaration of all) {
      if (declaration.isImportant !== isImportant) continue
      // A property that is set again counts from there: `margin` after `margin-top`.
      winners.delete(declaration.name)
      winners.set(declaration.name, declaration)
    }
  }
  return [...winners.values()]
    .flatMap(({ name, values }) => values.map((value) => `${name}: ${value};`))
    .join(' ')
}

/** CSS that is not of the text goes to the end of its head, or before all of a fragment. */
function addStyleSheet(elements: readonly HtmlElement[], css: string): Edit {
  const text = `<style>\n${css}\n</style>`
  const placeOf = (name: string) =>
    elements.find((element) => element.tagName === name)?.sourceCodeLocation
  const start =
    placeOf('head')?.endTag?.startOffset ??
    placeOf('body')?.startOffset ??
    placeOf('html')?.startTag?.endOffset ??
    0
  return { start, end: start, text }
}
