import { syntaxFault } from '../errors/faults.ts'
import type { Tag } from '../parser/tag.ts'

/** `{% sandbox %}{% include "theirs.twig" %}{% endsandbox %}`: includes that may use only what the policy allows. */
export const sandboxTag: Tag = {
  name: 'sandbox',
  end: 'endsandbox',
  parse(parser, place) {
    parser.tokens.expect('block end')
    const body = parser.parseClosedBody('endsandbox', 'sandbox')
    for (const statement of body) {
      if (statement.role === 'blank' || statement.tag === 'include') continue
      throw syntaxFault(
        'Only "include" tags are allowed within a "sandbox" section.',
        statement.place,
      )
    }
    return {
      place,
      role: 'silent',
      bodies: [body],
      compile(compiler) {
        const execute = compiler.body(body)
        return (render, frame) => {
          const before = render.isSandboxed
          render.isSandboxed = true
          execute(render, frame)
          render.isSandboxed = before
        }
      },
      visit: (visitor) => visitor.body(body),
    }
  },
}
