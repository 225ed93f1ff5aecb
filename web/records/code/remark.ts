/** A fault or a warning at a place of a template; lines and columns count from 1. */
export interface Remark {
  message: string
  line: number
  column: number
}

/** A remark, and whether the code cannot run because of it. */
export type PlacedRemark = Remark & { isFault: boolean }

/** The name that a remark suggests: `Did you mean "upper"?` */
export function suggestionIn(message: string): string | undefined {
  return /Did you mean "(\w+)"/.exec(message)?.[1]
}
