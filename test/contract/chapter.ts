import type { SharedApp } from '../on-each-database.ts'

/** What a test of a line is given. */
export interface ContractContext extends SharedApp {
  /** Where the API listens, on a real socket. */
  readonly baseUrl: string
}

/**
 * The lines under one heading of the contract, each quoted word for word, and what tries that it is
 * kept. Table heads are no lines; a line that stands under two headings is quoted under both.
 */
export type Chapter = Record<string, (context: ContractContext) => Promise<void>>
