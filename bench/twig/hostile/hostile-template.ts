/** A template that means harm, for the tests and the benchmark that see to it that it does none. */
export interface HostileTemplate {
  readonly title: string
  readonly source: string
  /** Other templates that it may refer to. */
  readonly others?: Readonly<Record<string, string>>
  /** What may become of it: an error of one of these kinds, this output, or either. */
  readonly ends: { readonly kinds?: readonly string[]; readonly output?: string | RegExp }
}

/** It must end with an error of the budget. */
export const limited = { kinds: ['limit'] } as const
/** It must be refused as text that can never run. */
export const refused = { kinds: ['syntax'] } as const
/** It must be refused before anything of it runs. */
export const tooMuch = { kinds: ['syntax', 'limit'] } as const
/** It may fail in any way that a template may fail. */
export const failing = { kinds: ['limit', 'syntax', 'runtime', 'loader', 'security'] } as const

/** It must print this, unless the machine is so busy that its time is up before. */
export function finishing(output: string | RegExp): HostileTemplate['ends'] {
  return { output, kinds: ['limit'] }
}
