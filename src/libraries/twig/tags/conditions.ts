import { syntaxFault } from '../errors.ts'
import { specialFunctionNames } from '../parser/calls.ts'
import { bodyStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Evaluate, Execute } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body } from '../syntax/statement.ts'
import { toBoolean } from '../values/conversions.ts'

interface Branch {
  /** The condition; undefined for `else`. */
  readonly test: Expression | undefined
  readonly body: Body
}

/** `{% if a %}…{% elseif b %}…{% else %}…{% endif %}`. */
export const ifTag: Tag = {
  name: 'if',
  end: 'endif',
  branchTags: ['elseif', 'else'],
  parse(parser, place) {
    const branches = [parseBranch(parser)]
    for (;;) {
      const { value } = parser.tokens.next()
      if (value === 'endif') break
      if (value === 'elseif') branches.push(parseBranch(parser))
      else if (value === 'else') {
        parser.tokens.expect('block end')
        branches.push({ test: undefined, body: parser.parseBody(['endif'], 'if') })
      }
    }
    parser.tokens.expect('block end')
    return {
      place,
      role: 'silent',
      bodies: branches.map(({ body }) => body),
      compile(compiler) {
        const compiled = branches.map(({ test, body }): [Evaluate, Execute] => [
          test === undefined ? () => true : compiler.expression(test),
          compiler.body(body),
        ])
        return (render, frame) => {
          for (const [test, body] of compiled) {
            if (!toBoolean(test(render, frame))) continue
            body(render, frame)
            return
          }
        }
      },
      visit(walker) {
        for (const { test, body } of branches) {
          if (test !== undefined) walker.expression(test)
          walker.conditional(body, test)
        }
      },
    }
  },
}

function parseBranch(parser: TagParser): Branch {
  const test = parser.parseExpression()
  parser.tokens.expect('block end')
  const body = parser.parseBody(['elseif', 'else', 'endif'], 'if')
  return { test, body }
}

/** Parses the rest of a tag whose body ended: the body of its `else`, if that ended it, and the closing tag. */
export function parseElse(parser: TagParser, tag: string): Body | undefined {
  if (parser.tokens.next().value === 'else') return parser.parseClosedBody(tag)
  parser.tokens.expect('block end')
  return undefined
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
    const body = exists ? parseGuardedBody() : parser.allowUnknownNames(parseGuardedBody)
    const otherwise = parseElse(parser, 'guard') ?? []
    return bodyStatement(exists ? body : otherwise, place)
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
