import type { SharedApp } from '../on-each-database.ts'

/** What a test of a line is given. */
export interface ContractContext extends SharedApp {
  /** Where the API listens, on a real socket. */
  readonly baseUrl: string
}

type Check = (context: ContractContext) => Promise<void>

/**
 * The lines under one heading of the contract, each quoted word for word, and what tries that it is
 * kept: a test, or the heading whose lines say the same in detail. Table heads are no lines; a line
 * that stands under two headings is quoted under both.
 */
export type Chapter = Record<string, Check | `#${string}`>
