import { inspect } from 'node:util'

/** What stands for a secret wherever a DSN, an answer or a transcript is shown. */
export const secretMask = '********'

/** A text that must not be shown: printing, serializing and inspecting it give the mask. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, for the one place that needs it. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return secretMask
  }

  toJSON(): string {
    return secretMask
  }
}

// Defined from outside: as a member it would make the package's types need those of Node.
Object.defineProperty(Secret.prototype, inspect.custom, { value: (): string => secretMask })
