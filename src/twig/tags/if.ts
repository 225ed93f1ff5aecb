import { syntaxFault } from '../errors/faults.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Evaluate, Execute } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { toBoolean } from '../values/truth.ts'

interface Branch {
  readonly test: Expression
  readonly body: Body
}

/** `{% if a %}…{% elseif b %}…{% else %}…{% endif %}`. */
export const ifTag: Tag = {
  name: 'if',
  end: 'endif',
  forks: ['elseif', 'else'],
  parse(parser, place) {
    const branches = [parseBranch(parser, place)]
    let otherwise: Body | undefined
    for (;;) {
      const { value } = parser.tokens.next()
      if (value === 'endif') break
      if (value === 'elseif') branches.push(parseBranch(parser, place))
      else if (value === 'else') {
        parser.tokens.expect('block end')
        otherwise = parser.parseBody(['endif'], 'if')
      } else throw unexpectedEnd(parser, place)
    }
    parser.tokens.expect('block end')
    return ifStatement(branches, otherwise, place)
  },
}

function parseBranch(parser: TagParser, place: Place): Branch {
  const test = parser.parseExpression()
  parser.tokens.expect('block end')
  const body = parser.parseBody(['elseif', 'else', 'endif'], 'if')
  if (parser.tokens.isAtEnd()) throw unexpectedEnd(parser, place)
  return { test, body }
}

function unexpectedEnd(parser: TagParser, place: Place): Error {
  return syntaxFault(
    `Unexpected end of template. Twig was looking for the following tags "else", "elseif", or "endif" to close the "if" block started at line ${place.line}).`,
    parser.tokens.place,
  )
}

function ifStatement(
  branches: readonly Branch[],
  otherwise: Body | undefined,
  place: Place,
): Statement {
  const bodies = branches.map(({ body }) => body)
  return {
    place,
    role: 'silent',
    bodies: otherwise === undefined ? bodies : [...bodies, otherwise],
    compile(compiler) {
      const compiled = branches.map(({ test, body }): [Evaluate, Execute] => [
        compiler.expression(test),
        compiler.body(body),
      ])
      const last = otherwise === undefined ? undefined : compiler.body(otherwise)
      return execute(compiled, last)
    },
    visit(visitor) {
      for (const { test, body } of branches) {
        visitor.expression(test)
        visitor.conditional(body)
      }
      if (otherwise !== undefined) visitor.conditional(otherwise)
    },
  }
}

function execute(
  branches: readonly [Evaluate, Execute][],
  otherwise: Execute | undefined,
): Execute {
  return (render, frame) => {
    for (const [test, body] of branches) {
      if (toBoolean(test(render, frame))) {
        body(render, frame)
        return
      }
    }
    otherwise?.(render, frame)
  }
}
