/** Where a value comes from: a path of the data, or undefined for what the template makes itself. */
export type Origin = string | undefined

/** The names that a template has set at one place, and what they stand for. */
export interface Scope {
  /** True where the template itself has set the name. */
  has(name: string): boolean
  originOf(name: string): Origin
  set(name: string, origin: Origin): void
  /** Names that end with it, over these. */
  inner(): Scope
}

export function createScope(below?: Scope): Scope {
  const names = new Map<string, Origin>()
  const scope: Scope = {
    has: (name) => names.has(name) || (below?.has(name) ?? false),
    originOf: (name) => (names.has(name) ? names.get(name) : below?.originOf(name)),
    set(name, origin) {
      names.set(name, origin)
    },
    inner: () => createScope(scope),
  }
  return scope
}

/** A path that grows with every `set` is none that anybody reads. */
const longestPath = 500

/** An attribute of a path; a number or a computed name is any element. */
export function attributePath(origin: Origin, name: string | undefined): Origin {
  if (origin === undefined || origin.length > longestPath) return undefined
  return name === undefined ? `${origin}[]` : `${origin}.${name}`
}
