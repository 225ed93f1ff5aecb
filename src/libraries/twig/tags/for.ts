import type { Tag } from '../parser/tag.ts'
import type { Evaluate, Execute, Frame, Render } from '../runtime/render.ts'
import { namesRead } from '../syntax/operands.ts'
import { isCollection, isList, sizeOf } from '../values/collections.ts'
import { type Collection, type ObjectKind, TwigObject, type Value } from '../values/value.ts'
import { parseElse } from './conditions.ts'
import { parseTargets } from './variables.ts'

/** `{% for value in list %}…{% else %}…{% endfor %}` or `{% for key, value in mapping %}`. */
export const forTag: Tag = {
  name: 'for',
  end: 'endfor',
  branchTags: ['else'],
  parse(parser, place) {
    const { tokens } = parser
    const [first = '', second] = parseTargets(parser)
    tokens.expect('operator', 'in')
    const over = parser.parseExpression()
    tokens.expect('block end')
    const body = parser.parseBody(['else', 'endfor'], 'for')
    const otherwise = parseElse(parser, 'for')
    const key = second === undefined ? '_key' : first
    const value = second ?? first
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
      visit(walker) {
        walker.loop({ over, key, value, body })
        if (otherwise !== undefined) walker.conditional(otherwise)
      },
    }
  },
}

interface LoopProgram {
  readonly key: string
  readonly value: string
  readonly over: Evaluate
  readonly body: Execute
  readonly otherwise: Execute | undefined
  /** The names that the bodies set. */
  readonly assigned: readonly string[]
  /** True when the loop iterates over `_context`, which then contains `_parent`. */
  readonly showsParent: boolean
}

/**
 * Runs a loop. Variables that the loop creates are removed after it. Variables that existed before
 * keep the values that the loop has set. The loop's own variables are restored.
 */
function runLoop(render: Render, frame: Frame, program: LoopProgram): void {
  const { key, value, assigned } = program
  if (program.showsParent) frame.set('_parent', null)
  const walked = program.over(render, frame)
  if (program.showsParent) frame.restore('_parent', undefined)
  render.budget.spend(assigned.length)
  const absent = absentNames(frame, assigned)
  const before = new Map([key, value, 'loop'].map((name) => [name, frame.findOwn(name)]))
  if (isCollection(walked) && sizeOf(walked) > 0) {
    const loop: Loop = { index0: 0, length: sizeOf(walked), frame, before }
    walk(render, frame, { program, loop, collection: walked })
  } else {
    program.otherwise?.(render, frame)
  }
  for (const name of absent) frame.restore(name, undefined)
  for (const [name, own] of before) frame.restore(name, own)
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

/** A running `for` loop. */
interface Loop {
  index0: number
  readonly length: number
  /** The frame that it runs in. */
  readonly frame: Frame
  /** The values of its variables and of `loop` before the loop. */
  readonly before: ReadonlyMap<string, Value | undefined>
}

const loopAttributes = new Map<string, (loop: Loop) => Value>([
  ['parent', (loop) => new TwigObject(outerKind, loop)],
  ['index0', ({ index0 }) => index0],
  ['index', ({ index0 }) => index0 + 1],
  ['first', ({ index0 }) => index0 === 0],
  ['revindex0', ({ index0, length }) => length - index0 - 1],
  ['revindex', ({ index0, length }) => length - index0],
  ['length', ({ length }) => length],
  ['last', ({ index0, length }) => index0 === length - 1],
])

/** The variable `loop`. */
const loopKind: ObjectKind<Loop> = {
  className: 'array',
  keys: [...loopAttributes.keys()],
  attribute: (loop, name) => loopAttributes.get(name)?.(loop),
}

/** `loop.parent`: the variables outside of the loop. */
const outerKind: ObjectKind<Loop> = {
  className: 'array',
  attribute({ frame, before }, name) {
    if (!before.has(name)) return frame.find(name)
    const own = before.get(name)
    return own === undefined ? frame.findBelow(name) : own
  },
}
