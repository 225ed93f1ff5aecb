import { syntaxFault } from '../errors/faults.ts'
import type { Body } from '../syntax/statement.ts'

/**
 * Throws where a template that extends another holds what would be lost: output outside of its
 * blocks, or a block inside an `if` or a loop.
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

/** Whether a body holds nothing but blocks and text, so that another template may `use` it. */
export function holdsOnlyBlocks(body: Body): boolean {
  return body.every(({ role, text }) => role === 'block' || text !== undefined)
}
