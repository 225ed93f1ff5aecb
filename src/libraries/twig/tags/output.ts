import { syntaxFault } from '../errors.ts'
import { parseArguments } from '../parser/calls.ts'
import { parseFilter } from '../parser/operand.ts'
import { bodyStatement, printStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Strategy } from '../syntax/statement.ts'
import { markupOrEmpty } from '../values/value.ts'

/** `{% apply upper|trim %}…{% endapply %}`: applies filters to the output of the body. */
export const applyTag: Tag = {
  name: 'apply',
  end: 'endapply',
  parse(parser, place) {
    const slot = Symbol('apply')
    let filtered: Expression = { kind: 'capture', slot, place }
    do {
      filtered = parseFilter(parser, filtered)
    } while (parser.tokens.nextIf('punctuation', '|') !== undefined)
    const body = parser.parseClosedBody('apply')
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
      visit(walker) {
        walker.body(body)
        walker.expression(filtered)
      },
    }
  },
}

/** `{% autoescape "js" %}…{% endautoescape %}`. `false` turns escaping off. */
export const autoescapeTag: Tag = {
  name: 'autoescape',
  end: 'endautoescape',
  parse(parser, place) {
    const strategy = parseStrategy(parser)
    const body = parser.parseClosedBody('autoescape')
    return {
      ...bodyStatement(body, place),
      compile: (compiler) => compiler.escapingBy(strategy).body(body),
    }
  },
}

function parseStrategy(parser: TagParser): Strategy {
  const { tokens } = parser
  if (tokens.test('block end')) return 'html'
  const expression = parser.parseExpression()
  if (expression.kind === 'literal') {
    if (typeof expression.value === 'string') return expression.value
    if (expression.value === true) return 'html'
    if (expression.value === false) return false
  }
  throw syntaxFault('An escaping strategy must be a string or false.', tokens.place)
}

/**
 * `{% cache "key" ttl(300) tags("a") %}…{% endcache %}`: renders the body every time, without a
 * cache.
 */
export const cacheTag: Tag = {
  name: 'cache',
  end: 'endcache',
  parse(parser, place) {
    const key = parser.parseExpression()
    const options = parseOptions(parser)
    const body = parser.parseClosedBody('cache')
    return {
      ...bodyStatement(body, place),
      visit(walker) {
        for (const expression of [key, ...options]) walker.expression(expression)
        walker.body(body)
      },
    }
  },
}

function parseOptions(parser: TagParser): Expression[] {
  const { tokens } = parser
  const options: Expression[] = []
  while (tokens.test('name')) {
    const place = tokens.place
    const { value: name } = tokens.next()
    if (name !== 'ttl' && name !== 'tags') {
      throw syntaxFault(`Unknown "${name}" configuration.`, place)
    }
    const args = parseArguments(parser)
    const [only] = args
    if (only === undefined || args.length > 1) {
      throw syntaxFault(
        `The "${name}" modifier takes exactly one argument (${args.length} given).`,
        place,
      )
    }
    options.push(only.value)
  }
  return options
}
