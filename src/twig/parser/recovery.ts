import {
  type FilterDefinition,
  type FunctionDefinition,
  signature,
  type TestDefinition,
} from '../callables/definition.ts'
import type { Tag, TagParser } from './tag.ts'

/** A tag that is being parsed. */
export interface OpenTag {
  readonly tag: Tag
  /** The index of the token after its name. */
  readonly start: number
  /** True once the parser has met the closing tag. */
  isClosed: boolean
}

/**
 * Continues after a tag that contains an error. When its body is still open, parses that body: its
 * errors are reported too, and its closing tag is expected.
 */
export function skipFaultyTag(parser: TagParser, open: OpenTag): void {
  const { tokens } = parser
  tokens.leaveTag()
  const { tag } = open
  if (tag.end === undefined || open.isClosed) return
  if (tag.hasBody !== undefined && !tag.hasBody(tokens.headerFrom(open.start))) return
  while (!open.isClosed && !tokens.isAtEnd()) {
    parser.parseBody([tag.end, ...(tag.branchTags ?? [])], tag.name)
    tokens.leaveTag()
  }
}

// Placeholders for unknown names, for code that never runs: the dead branch of `guard`, and
// templates that already have an error. They accept any arguments.

const anything = signature('...arguments')

export function unknownFilter(name: string): FilterDefinition {
  return { name, signature: anything, apply: () => null }
}

export function unknownFunction(name: string): FunctionDefinition {
  return { name, signature: anything, call: () => null }
}

export function unknownTest(name: string): TestDefinition {
  return { name, signature: anything, check: () => false }
}
