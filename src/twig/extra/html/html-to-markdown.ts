import { createRequire } from 'node:module'
import { requireText } from '../../callables/arguments.ts'
import type { FilterDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import { runtimeFault } from '../../errors/faults.ts'
import type { Meter } from '../../values/meter.ts'
import { kept } from '../kept.ts'
import { parseHtml } from './parse-html.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

interface Turndown {
  turndown(html: string): string
}
type TurndownConstructor = new (options: Record<string, string>) => Turndown

const longestText = 100_000
/** The library slows down with every tag that is open. */
const depthMax = 60
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
    measure(html, render.budget)
    return kept(render, 'turndown', createTurndown).turndown(html)
  },
}

/** The library parses once more, in a tag of its own, and then walks over what it got. */
function measure(html: string, meter: Meter): void {
  meter.spendOnCharacters(html.length * 8)
  const options = { filter: 'html_to_markdown', depthMax, as: 'document', meter } as const
  const elements = parseHtml(`<x-turndown>${html}`, options)
  meter.spend(elements.length * stepsATag)
  meter.allocate(html.length * 20 + elements.length * 500)
}

function createTurndown(): Turndown {
  const Constructor = require('turndown') as TurndownConstructor
  return new Constructor({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
}
