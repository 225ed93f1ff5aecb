import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { toText } from '../../values/conversions.ts'
import { Markup } from '../../values/value.ts'
import { parseHtml } from '../html/parse-html.ts'
import { type Edit, inlineStyles } from './inline-styles.ts'

const longestText = 1_000_000
const depthMax = 300
/** What only a whole document has. */
const documentTag = /<(?:!doctype|html|head|body)[\s>]/i

export const inlineCssFilters = define<FilterDefinition>({
  /**
   * `inline_css(css, …)`: the rules of style sheets, and of the text's own `<style>`, in the `style`
   * attributes of the elements that they hold for. Nothing else of the text changes, and no style sheet is
   * loaded from anywhere. What was safe stays safe.
   */
  'inline_css(...css)': {
    description: 'Writes the rules of style sheets into style attributes, as emails need.',
    apply(value, args, render) {
      const { budget } = render
      const html = requireText(value, '"inline_css" filter')
      const css = args.map(toText).join('\n')
      if (html.length + css.length > longestText) {
        throw runtimeFault(`The "inline_css" filter takes at most ${longestText} characters.`)
      }
      const as = documentTag.test(html) ? 'document' : 'fragment'
      const elements = parseHtml(html, { filter: 'inline_css', depthMax, as, budget })
      const inlined = applyEdits(html, inlineStyles(html, elements, { css, render }))
      budget.allocateText(inlined.length)
      return value instanceof Markup ? new Markup(inlined) : inlined
    },
  },
})

/** A text with its edits made. Of two at one place, as the parser makes two elements of a tag, one counts. */
function applyEdits(text: string, edits: Edit[]): string {
  edits.sort((a, b) => a.start - b.start)
  let edited = ''
  let at = 0
  for (const [index, edit] of edits.entries()) {
    if (edit.start < at || edits[index - 1]?.start === edit.start) continue
    edited += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return edited + text.slice(at)
}
