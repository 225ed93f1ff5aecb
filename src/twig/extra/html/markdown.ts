import type { Budget } from '../../budget.ts'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { require } from '../../libraries.ts'
import type { Render } from '../../runtime/render.ts'
import { Markup } from '../../values/value.ts'
import { kept } from '../kept.ts'

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
