/** Where in which template something stands: what an error names. Lines and columns count from 1. */
export interface Place {
  readonly templateName: string | undefined
  readonly line: number
  readonly column: number
}
