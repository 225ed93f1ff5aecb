import type { ObjectKind, Value } from '../values/value.ts'
import { TwigObject } from '../values/value.ts'
import type { Frame } from './render.ts'

/** A `for` that is running. */
export interface Loop {
  index0: number
  readonly length: number
  /** Where it runs. */
  readonly frame: Frame
  /** What its own variables held in that frame before it began. */
  readonly before: readonly (readonly [name: string, value: Value | undefined])[]
}

const names = [
  'parent',
  'index0',
  'index',
  'first',
  'revindex0',
  'revindex',
  'length',
  'last',
] as const

/** The variable `loop`. */
export const loopKind: ObjectKind<Loop> = {
  className: 'array',
  keys: names,
  attribute(loop, name) {
    switch (name) {
      case 'index':
        return loop.index0 + 1
      case 'index0':
        return loop.index0
      case 'first':
        return loop.index0 === 0
      case 'last':
        return loop.index0 === loop.length - 1
      case 'length':
        return loop.length
      case 'revindex':
        return loop.length - loop.index0
      case 'revindex0':
        return loop.length - loop.index0 - 1
      case 'parent':
        return new TwigObject(outerKind, loop)
      default:
        return undefined
    }
  },
}

/** `loop.parent`: the variables as they were around the loop. */
const outerKind: ObjectKind<Loop> = {
  className: 'array',
  attribute({ frame, before }, name) {
    const own = before.find(([saved]) => saved === name)
    if (own === undefined) return frame.find(name)
    return own[1] === undefined ? frame.findBelow(name) : own[1]
  },
}
