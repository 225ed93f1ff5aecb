import type { Transaction } from 'kysely'
import { type Consequence, joinConsequences, type Released } from '../definition.ts'

/** What depends on the records of a resource, in one other module. Both are called in the transaction of the change. */
export interface Dependent {
  /** Ends what depends on a record that is being deleted. */
  release(id: number, tx: Transaction<object>): Promise<Released>
  /** Brings back what `release` called `related`, undefined if it was nothing; returns what it could not, as sentences. */
  restore?(id: number, related: unknown, tx: Transaction<object>): Promise<string[]>
}

/** All that depends on the records of a resource: the modules above it add themselves, each under its name. */
export class Dependents {
  readonly #all = new Map<string, Dependent>()

  add(name: string, dependent: Dependent): void {
    this.#all.set(name, dependent)
  }

  /** Ends all of it, in the order of the names. `related` of the result has what each module needs to bring them back, by its name. */
  async release(id: number, tx: Transaction<object>): Promise<Released> {
    const consequences: (Consequence | undefined)[] = []
    const related: Record<string, unknown> = {}
    for (const [name, dependent] of [...this.#all].sort()) {
      const released = await dependent.release(id, tx)
      consequences.push(released.consequence)
      if (released.related !== undefined) related[name] = released.related
    }
    return { consequence: joinConsequences(consequences), related }
  }

  /** Brings back what `release` ended; returns what could not be, as sentences. */
  async restore(id: number, related: unknown, tx: Transaction<object>): Promise<string[]> {
    const byName = (related ?? {}) as Readonly<Record<string, unknown>>
    const sentences: string[] = []
    for (const [name, dependent] of [...this.#all].sort())
      sentences.push(...((await dependent.restore?.(id, byName[name], tx)) ?? []))
    return sentences
  }
}
