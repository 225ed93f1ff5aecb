/** A template that tries to hold the thread or to fill the memory, and what it is rendered with. */
export interface TwigInput {
  readonly name: string
  /** At most 1,000,000 characters, as the API takes them. */
  readonly template: string
  readonly context?: Record<string, unknown>
}

/** So many pieces of text, each made of its number. */
export const times = (count: number, make: (index: number) => string, glue = ''): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(glue)

/** Templates by their names, which are rendered without a context. */
export const inputs = (templates: Readonly<Record<string, string>>): TwigInput[] =>
  Object.entries(templates).map(([name, template]) => ({ name, template }))
