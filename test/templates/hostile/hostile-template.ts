/** A malicious template, for the tests and the benchmark that check that it does no harm. */
export interface HostileTemplate {
  readonly title: string
  readonly source: string
  /** Other templates that it includes. */
  readonly others?: Readonly<Record<string, string>>
  /** The allowed results: an error of one of these kinds, this output, or either. */
  readonly ends: { readonly kinds?: readonly string[]; readonly output?: string | RegExp }
}

/** It must exceed a limit. */
export const limited = { kinds: ['limit'] } as const
/** It must be refused by the parser. */
export const refused = { kinds: ['syntax'] } as const
/** It must be refused before it runs. */
export const tooMuch = { kinds: ['syntax', 'limit'] } as const
/** It may fail with any error of a template. */
export const failing = { kinds: ['limit', 'syntax', 'runtime', 'loader', 'security'] } as const

/** It must print this, unless it exceeds the time limit on a busy machine. */
export function finishing(output: string | RegExp): HostileTemplate['ends'] {
  return { output, kinds: ['limit'] }
}

/** Templates by their titles, which all have the same allowed results. */
export function ending(
  ends: HostileTemplate['ends'],
  sources: Readonly<Record<string, string>>,
): HostileTemplate[] {
  return Object.entries(sources).map(([title, source]) => ({ title, source, ends }))
}
