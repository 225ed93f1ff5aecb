import { type Place, syntaxFault } from '../errors.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Body, Statement } from '../syntax/statement.ts'

/** Creates a statement for text between tags. */
export function textStatement(text: string, place: Place): Statement {
  return {
    place,
    role: /^\s*$/.test(text) ? 'blank' : 'output',
    text,
    compile: () => (render) => render.write(text),
    visit() {},
  }
}

/** Creates a statement for `{{ expression }}`. */
export function printStatement(expression: Expression, place: Place): Statement {
  return {
    place,
    role: 'output',
    compile: (compiler) => compiler.print(expression),
    visit: (walker) => walker.expression(expression),
  }
}

/** Creates a statement that renders its body. */
export function bodyStatement(body: Body, place: Place): Statement {
  return {
    place,
    role: 'silent',
    bodies: [body],
    compile: (compiler) => compiler.body(body),
    visit: (walker) => walker.body(body),
  }
}

/** Creates a statement that does nothing. */
export function silentStatement(place: Place): Statement {
  return { place, role: 'silent', compile: () => () => {}, visit() {} }
}

/**
 * Checks the body of a template that extends another one. Throws for output outside of blocks, and
 * for a block inside an `if` or a loop: both would be lost.
 */
export function checkChildBody(body: Body, isNested = false): void {
  for (const statement of body) {
    if (statement.role === 'output') {
      throw syntaxFault(
        'A template that extends another one cannot include content outside Twig blocks. Did you forget to put the content inside a {% block %} tag?',
        statement.place,
      )
    }
    if (statement.role === 'block' && isNested) {
      throw syntaxFault(
        'A block definition cannot be nested under non-capturing nodes.',
        statement.place,
      )
    }
    for (const inner of statement.bodies ?? []) checkChildBody(inner, true)
  }
}

/**
 * Returns true when a body contains only blocks and text, so that another template may `use` it.
 */
export function holdsOnlyBlocks(body: Body): boolean {
  return body.every(({ role, text }) => role === 'block' || text !== undefined)
}
