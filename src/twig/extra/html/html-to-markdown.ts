import { createRequire } from 'node:module'
import { requireText } from '../../callables/arguments.ts'
import type { FilterDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import { runtimeFault } from '../../errors/faults.ts'
import { kept } from '../kept.ts'
import { measureHtml } from './measure-html.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

interface Turndown {
  turndown(html: string): string
}
type TurndownConstructor = new (options: Record<string, string>) => Turndown

const longestText = 100_000
/** The parser slows down with every tag that is open. */
const deepest = 60
const stepsATag = 150

/**
 * `html_to_markdown`: for the text part of an email. Its result is not safe for HTML, unlike Twig's: text
 * that stood there as `&lt;script&gt;` is a tag in Markdown.
 */
export const htmlToMarkdown: FilterDefinition = {
  name: 'html_to_markdown',
  signature: signature('options = []'),
  apply(value, _args, render) {
    const html = requireText(value, '"html_to_markdown" filter')
    if (html.length > longestText) {
      throw runtimeFault(`The "html_to_markdown" filter takes at most ${longestText} characters.`)
    }
    render.budget.spendOnCharacters(html.length * 8)
    const { tags, depth } = measureHtml(html)
    if (depth > deepest) throw runtimeFault('The HTML for "html_to_markdown" is nested too deeply.')
    render.budget.spend(tags * stepsATag)
    render.budget.allocate(html.length * 20 + tags * 500)
    return kept(render, 'turndown', createTurndown).turndown(html)
  },
}

function createTurndown(): Turndown {
  const Constructor = require('turndown') as TurndownConstructor
  return new Constructor({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
}
