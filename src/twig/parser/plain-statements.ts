import type { Expression } from '../syntax/expression.ts'
import type { Place } from '../syntax/place.ts'
import type { Statement } from '../syntax/statement.ts'

/** Text between tags. */
export function textStatement(text: string, place: Place): Statement {
  return {
    place,
    role: /^\s*$/.test(text) ? 'blank' : 'output',
    text,
    compile: () => (render) => render.write(text),
    visit() {},
  }
}

/** `{{ expression }}`. */
export function printStatement(expression: Expression, place: Place): Statement {
  return {
    place,
    role: 'output',
    compile: (compiler) => compiler.print(expression),
    visit: (visitor) => visitor.expression(expression),
  }
}
