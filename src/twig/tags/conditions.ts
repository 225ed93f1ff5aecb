import { type Place, syntaxFault } from '../errors.ts'
import { specialFunctionNames } from '../parser/calls.ts'
import { bodyStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Evaluate, Execute } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { toBoolean } from '../values/conversions.ts'

interface Branch {
  readonly test: Expression
  readonly body: Body
}

/** `{% if a %}…{% elseif b %}…{% else %}…{% endif %}`. */
export const ifTag: Tag = {
  name: 'if',
  end: 'endif',
  branchTags: ['elseif', 'else'],
  parse(parser, place) {
    const branches = [parseBranch(parser)]
    let otherwise: Body | undefined
    for (;;) {
      const { value } = parser.tokens.next()
      if (value === 'endif') break
      if (value === 'elseif') branches.push(parseBranch(parser))
      else if (value === 'else') {
        parser.tokens.expect('block end')
        otherwise = parser.parseBody(['endif'], 'if')
      }
    }
    parser.tokens.expect('block end')
    return ifStatement(branches, otherwise, place)
  },
}

function parseBranch(parser: TagParser): Branch {
  const test = parser.parseExpression()
  parser.tokens.expect('block end')
  const body = parser.parseBody(['elseif', 'else', 'endif'], 'if')
  return { test, body }
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
    visit(walker) {
      for (const { test, body } of branches) {
        walker.expression(test)
        walker.conditional(body, test)
      }
      if (otherwise !== undefined) walker.conditional(otherwise)
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

/**
 * `{% guard filter slug %}…{% else %}…{% endguard %}`: includes the body when the filter, function
 * or test exists. Otherwise the body is parsed with unknown names accepted, and left out.
 */
export const guardTag: Tag = {
  name: 'guard',
  end: 'endguard',
  branchTags: ['else'],
  parse(parser, place) {
    const { tokens } = parser
    const exists = parseGuarded(parser)
    tokens.expect('block end')
    const parseGuardedBody = (): Body => parser.parseBody(['else', 'endguard'], 'guard')
    let body = exists ? parseGuardedBody() : parser.allowUnknownNames(parseGuardedBody)
    if (!exists) body = []
    if (tokens.next().value === 'else') {
      tokens.expect('block end')
      const otherwise = parser.parseClosedBody('guard')
      if (!exists) body = otherwise
    } else tokens.expect('block end')
    return bodyStatement(body, place)
  },
}

function parseGuarded({ tokens, vocabulary }: TagParser): boolean {
  const typePlace = tokens.place
  const { value: type } = tokens.expect('name')
  if (type !== 'function' && type !== 'filter' && type !== 'test') {
    throw syntaxFault(
      `Supported guard types are function, filter and test, "${type}" given.`,
      typePlace,
    )
  }
  let { value: name } = tokens.expect('name')
  if (type === 'test' && tokens.test('name')) name += ` ${tokens.next().value}`
  if (type === 'function' && specialFunctionNames.includes(name)) return true
  return vocabulary[type].has(name)
}
