import { createRequire } from 'node:module'
import { requireText } from '../../callables/arguments.ts'
import type { FilterDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import { runtimeFault } from '../../errors/faults.ts'
import type { Meter } from '../../values/meter.ts'
import { kept } from '../kept.ts'
import { type HtmlElement, isElement, parseHtml } from './parse-html.ts'

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
  const [root] = elements
  if (root !== undefined) new WorkMeasure(meter).measureWithin(root, 1)
  meter.allocate(html.length * 20 + elements.length * 500)
}

/** So many looks at a character by a pattern that looks again and again count as one step. */
const looksAStep = 300
/** What is written around an element is blank, or as short as this. */
const blanksAroundElement = 4

/**
 * Charges for patterns of the library that take the square of a run of blanks, or of the text of `<code>`, and for what
 * it writes once more at each level: the beginning of each line, and the text itself.
 */
class WorkMeasure {
  private readonly meter: Meter
  /** How long the run of blanks is that the last text ended with. */
  private blanks = 0

  constructor(meter: Meter) {
    this.meter = meter
  }

  measureWithin(element: HtmlElement, depth: number): void {
    let codeLength = 0
    this.lengthen(blanksAroundElement, depth)
    for (const node of element.childNodes) {
      if (isElement(node)) this.measureWithin(node, depth + 1)
      else if ('value' in node) {
        this.measureText(node.value, depth)
        codeLength += node.value.length
      }
    }
    this.lengthen(blanksAroundElement, depth)
    if (element.tagName === 'code') this.meter.spend(codeLength ** 2 / looksAStep)
  }

  private measureText(text: string, depth: number): void {
    let lines = 0
    for (const [run] of text.matchAll(/\S+|\s+/g)) {
      if (run.trim() !== '') this.blanks = 0
      else {
        this.lengthen(run.length, depth)
        lines += run.split('\n').length - 1
      }
    }
    this.meter.spendOnCharacters(text.length * depth)
    this.meter.allocateText(lines * depth * blanksAroundElement)
    this.meter.spend(lines * depth)
  }

  /** Every element around it looks at the run. */
  private lengthen(length: number, depth: number): void {
    const before = this.blanks
    this.blanks += length
    this.meter.spend(((this.blanks ** 2 - before ** 2) * depth) / looksAStep)
  }
}

function createTurndown(): Turndown {
  const Constructor = require('turndown') as TurndownConstructor
  return new Constructor({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
}
