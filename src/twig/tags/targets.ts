import { checkAssignable } from '../parser/assignment.ts'
import type { TagParser } from '../parser/tag.ts'

/** The variables that a tag sets: `a` or `a, b`. Words that are operators elsewhere may be variables. */
export function parseTargets(parser: TagParser): string[] {
  const { tokens } = parser
  const names: string[] = []
  do {
    const place = tokens.place
    const isWord = tokens.test('operator') && /^[a-zA-Z]/.test(tokens.current.value)
    const { value: name } = isWord
      ? tokens.next()
      : tokens.expect('name', undefined, 'Only variables can be assigned to')
    checkAssignable(name, place)
    names.push(name)
  } while (tokens.nextIf('punctuation', ',') !== undefined)
  return names
}
