import type { Tag } from '../parser/tag.ts'
import { type Loop, loopKind } from '../runtime/loop.ts'
import type { Evaluate, Execute, Frame, Render } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import { namesRead } from '../syntax/names-read.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { isCollection, isList, sizeOf } from '../values/collections.ts'
import { type Collection, TwigObject } from '../values/value.ts'
import { parseTargets } from './targets.ts'

/** `{% for value in list %}…{% else %}…{% endfor %}`, `{% for key, value in mapping %}`. */
export const forTag: Tag = {
  name: 'for',
  end: 'endfor',
  forks: ['else'],
  parse(parser, place) {
    const { tokens } = parser
    const [first = '', second] = parseTargets(parser)
    tokens.expect('operator', 'in')
    const over = parser.parseExpression()
    tokens.expect('block end')
    const body = parser.parseBody(['else', 'endfor'], 'for')
    let otherwise: Body | undefined
    if (tokens.next().value === 'else') {
      tokens.expect('block end')
      otherwise = parser.parseClosedBody('endfor', 'for')
    } else tokens.expect('block end')
    const key = second === undefined ? '_key' : first
    return forStatement({ key, value: second ?? first, over, body, otherwise }, place)
  },
}

interface ForParts {
  readonly key: string
  readonly value: string
  readonly over: Expression
  readonly body: Body
  readonly otherwise: Body | undefined
}

function forStatement(parts: ForParts, place: Place): Statement {
  const { key, value, over, body, otherwise } = parts
  return {
    place,
    role: 'silent',
    bodies: otherwise === undefined ? [body] : [body, otherwise],
    compile(compiler) {
      const { compiler: inner, assigned } = compiler.loop()
      const program: LoopProgram = {
        key,
        value,
        over: compiler.expression(over),
        body: inner.body(body),
        otherwise: otherwise === undefined ? undefined : inner.body(otherwise),
        assigned: [...assigned],
        showsParent: namesRead(over).has('_context'),
      }
      return (render, frame) => runLoop(render, frame, program)
    },
    visit(visitor) {
      visitor.loop({ over, key, value, body })
      if (otherwise !== undefined) visitor.conditional(otherwise)
    },
  }
}

interface LoopProgram {
  readonly key: string
  readonly value: string
  readonly over: Evaluate
  readonly body: Execute
  readonly otherwise: Execute | undefined
  /** The names that the bodies set. */
  readonly assigned: readonly string[]
  /** It walks over the variables themselves, of which `_parent` is one then. */
  readonly showsParent: boolean
}

/**
 * What a loop sets is gone after it, but for variables that were there before: those keep what the
 * loop has made of them. Its own variables get back what they were.
 */
function runLoop(render: Render, frame: Frame, program: LoopProgram): void {
  const { key, value, assigned } = program
  if (program.showsParent) frame.set('_parent', null)
  const walked = program.over(render, frame)
  if (program.showsParent) frame.restore('_parent', undefined)
  render.budget.spend(assigned.length)
  const absent = absentNames(frame, assigned)
  const before = {
    key: frame.findOwn(key),
    value: frame.findOwn(value),
    loop: frame.findOwn('loop'),
  }
  if (isCollection(walked) && sizeOf(walked) > 0) {
    const names = { key, value }
    const loop: Loop = { index0: 0, length: sizeOf(walked), frame, names, before }
    walk(render, frame, { program, loop, collection: walked })
  } else {
    program.otherwise?.(render, frame)
  }
  for (const name of absent) frame.restore(name, undefined)
  frame.restore(key, before.key)
  frame.restore(value, before.value)
  frame.restore('loop', before.loop)
}

const none: readonly string[] = []

function absentNames(frame: Frame, assigned: readonly string[]): readonly string[] {
  if (assigned.length === 0) return none
  return assigned.filter((name) => frame.find(name) === undefined)
}

function walk(
  render: Render,
  frame: Frame,
  walked: { program: LoopProgram; loop: Loop; collection: Collection },
): void {
  const { program, loop, collection } = walked
  const { key: keyName, value: valueName, body } = program
  frame.set('loop', new TwigObject(loopKind, loop))
  if (isList(collection)) {
    for (const element of collection) {
      frame.set(keyName, loop.index0)
      frame.set(valueName, element)
      body(render, frame)
      loop.index0++
    }
    return
  }
  for (const [key, element] of collection) {
    frame.set(keyName, key)
    frame.set(valueName, element)
    body(render, frame)
    loop.index0++
  }
}
