import type { Budget } from '../../budget.ts'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { require } from '../../libraries.ts'
import type { Render } from '../../runtime/render.ts'
import { Markup } from '../../values/value.ts'
import { kept } from '../kept.ts'
import { type HtmlElement, parseHtml } from './parse-html.ts'

type MarkdownIt = InstanceType<typeof import('markdown-it').default>

/** markdown-it takes a microsecond and a half for a character at worst, and thrice that for a bracket. */
const stepsACharacter = 15
const stepsABracket = 30
const longestText = 50_000
const filterTitle = '"markdown_to_html" filter'

export const markdownFilters = define<FilterDefinition>({
  /**
   * `markdown_to_html`: CommonMark with tables and strikethrough. HTML in what the template wrote itself
   * (a capture, the body of an `apply`) stays; HTML in data is shown as text. Links lead to no script.
   */
  markdown_to_html: {
    description: 'Converts Markdown to HTML.',
    safeFor: ['all'],
    apply(value, _args, render) {
      const text = requireText(dedent(requireText(value, filterTitle)), filterTitle, longestText)
      charge(text, render.budget)
      // Markup has been escaped where it came from data.
      return converter(render, value instanceof Markup).render(text)
    },
  },
  /**
   * `html_to_markdown`: for the text part of an email. Its result is not safe for HTML, unlike Twig's: text
   * that stood there as `&lt;script&gt;` is a tag in Markdown.
   */
  'html_to_markdown(options = [])': {
    description: 'Converts HTML to Markdown.',
    apply(value, _args, render) {
      const html = requireText(value, '"html_to_markdown" filter', longestHtml)
      measure(html, render.budget)
      return kept(render, 'turndown', () => render.budget.untimed(createTurndown)).turndown(html)
    },
  },
})

function charge(text: string, budget: Budget): void {
  const brackets = text.split('[').length - 1
  budget.spend(500 + text.length * stepsACharacter + brackets * stepsABracket)
  budget.allocate(text.length * 50)
}

function converter(render: Render, html: boolean): MarkdownIt {
  const load = () => require('markdown-it') as typeof import('markdown-it').default
  return kept(render, `markdown ${html}`, () => {
    const Markdown = render.budget.untimed(load)
    return new Markdown({ html })
  })
}

/** Without the blanks that all lines begin with: templates are indented. */
function dedent(text: string): string {
  const blanks = /^[\t ]*/.exec(text.replace(/^\n+/, ''))?.[0] ?? ''
  if (blanks === '') return text
  return text
    .split('\n')
    .map((line) => (line.startsWith(blanks) ? line.slice(blanks.length) : line))
    .join('\n')
}

interface Turndown {
  turndown(html: string): string
}
type TurndownConstructor = new (options: Record<string, string>) => Turndown

const longestHtml = 100_000
/** The library slows down with every tag that is open. */
const depthMax = 60
const turndownStepsATag = 150
/** Ends a tag that the text leaves open, also within quotes: its attributes count. */
const endOfTag = `'>">`

/** The library parses once more, in a tag of its own, and then walks over what it got. */
function measure(html: string, budget: Budget): void {
  budget.spendOnCharacters(html.length * 8)
  const options = { filter: 'html_to_markdown', depthMax, as: 'document', budget } as const
  const elements = parseHtml(`<x-turndown>${html}${endOfTag}`, options)
  budget.spend(elements.length * turndownStepsATag)
  // The library looks for each attribute among those before it.
  for (const { attrs } of elements) budget.spend(attrs.length ** 2 / 32)
  spendOnBlanks(elements, budget)
  budget.allocate(html.length * 20 + elements.length * 500)
}

/**
 * The library takes blanks off the ends of texts by regular expressions that walk a run of blanks once
 * for each of them. Lines are indented once for every quote and list that they stand in.
 */
function spendOnBlanks(elements: readonly HtmlElement[], budget: Budget): void {
  const text = elements.map(ownText).join('')
  for (const [run] of text.matchAll(/\s{100,}/g)) budget.spend(run.length ** 2 / 100)
  const indenting = elements.filter(({ tagName }) => /^(?:blockquote|li|ol|ul)$/.test(tagName))
  const lines = text.split('\n').length
  budget.spend((lines * Math.min(indenting.length, depthMax)) / 2)
}

function ownText({ childNodes }: HtmlElement): string {
  return childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}

function createTurndown(): Turndown {
  const Constructor = require('turndown') as TurndownConstructor
  return new Constructor({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
}
