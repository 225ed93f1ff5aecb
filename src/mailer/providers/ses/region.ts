import type { DsnReader } from '../dsn-reader.ts'

/** The AWS region of a DSN; Symfony's default is Ireland. */
export function region({ options }: DsnReader): string {
  return options.word('region') ?? 'eu-west-1'
}
