import type { Tag, TagParser } from './tag.ts'

/** A tag that is being parsed. */
export interface OpenTag {
  readonly tag: Tag
  /** Which token stands behind its name. */
  readonly start: number
  /** The tag that closes its body was met. */
  isClosed: boolean
}

/**
 * Goes on behind a tag that holds a fault: behind the tag itself, and where it has a body that is
 * still open, through that body, so that the faults in it are found and its end is no surprise.
 */
export function skipFaultyTag(parser: TagParser, open: OpenTag): void {
  const { tokens } = parser
  tokens.leaveTag()
  const { tag } = open
  if (tag.end === undefined || open.isClosed) return
  if (tag.hasBody !== undefined && !tag.hasBody(tokens.headerFrom(open.start))) return
  while (!open.isClosed && !tokens.isAtEnd()) {
    parser.parseBody([tag.end, ...(tag.forks ?? [])], tag.name)
    tokens.leaveTag()
  }
}
