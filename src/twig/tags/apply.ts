import { printStatement } from '../parser/plain-statements.ts'
import { parseFilter } from '../parser/postfix.ts'
import type { Tag } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { markupOrEmpty } from '../values/markup.ts'

/** `{% apply upper|trim %}…{% endapply %}`: filters on what the body prints. */
export const applyTag: Tag = {
  name: 'apply',
  end: 'endapply',
  parse(parser, place) {
    const slot = Symbol('apply')
    let filtered: Expression = { kind: 'capture', slot, place }
    do {
      filtered = parseFilter(parser, filtered)
    } while (parser.tokens.nextIf('punctuation', '|') !== undefined)
    parser.tokens.expect('block end')
    const body = parser.parseClosedBody('endapply', 'apply')
    return applyStatement({ slot, filtered, body }, place)
  },
}

function applyStatement(
  { slot, filtered, body }: { slot: symbol; filtered: Expression; body: Body },
  place: Place,
): Statement {
  const print = printStatement(filtered, place)
  return {
    place,
    role: 'output',
    compile(compiler) {
      const execute = compiler.body(body)
      const printFiltered = print.compile(compiler)
      return (render, frame) => {
        render.captures.set(slot, markupOrEmpty(render.capture(execute, frame)))
        printFiltered(render, frame)
      }
    },
    visit(visitor) {
      visitor.body(body)
      visitor.expression(filtered)
    },
  }
}
