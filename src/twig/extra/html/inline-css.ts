import { createRequire } from 'node:module'
import { requireText } from '../../callables/arguments.ts'
import type { FilterDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import { runtimeFault } from '../../errors/faults.ts'
import { Markup } from '../../values/markup.ts'
import { toText } from '../../values/text.ts'
import { measureHtml } from './measure-html.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

const longestText = 1_000_000
/** The parser and the matching of selectors recurse. */
const deepest = 300

/**
 * `inline_css(css, …)`: the rules of style sheets, and of the document's own `<style>`, in the `style`
 * attributes of the elements that they hold for. No style sheet is loaded from anywhere. What was safe
 * stays safe.
 */
export const inlineCss: FilterDefinition = {
  name: 'inline_css',
  signature: signature('...css'),
  apply(value, args, { budget }) {
    const html = requireText(value, '"inline_css" filter')
    const css = args.map(toText).join('\n')
    if (html.length + css.length > longestText) {
      throw runtimeFault(`The "inline_css" filter takes at most ${longestText} characters.`)
    }
    budget.spendOnCharacters(html.length + css.length)
    budget.allocate((html.length + css.length) * 4)
    const { tags, depth } = measureHtml(html)
    if (depth > deepest) throw runtimeFault('The HTML for "inline_css" is nested too deeply.')
    // Every selector is tried on every element.
    budget.spend(100 + tags * countSelectors(css + html))
    const inlined = inline(html, css)
    budget.allocateText(inlined.length)
    return value instanceof Markup ? new Markup(inlined) : inlined
  },
}

function inline(html: string, css: string): string {
  const library = require('@css-inline/css-inline') as typeof import('@css-inline/css-inline')
  const options = { loadRemoteStylesheets: false, keepLinkTags: true, keepAtRules: true }
  try {
    return /<html[\s>]/i.test(html)
      ? library.inline(html, { ...options, extraCss: css })
      : library.inlineFragment(html, css, options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    throw runtimeFault(`The CSS could not be inlined: ${reason}.`)
  }
}

function countSelectors(text: string): number {
  let count = 1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 123 || unit === 44) count++
  }
  return count
}
