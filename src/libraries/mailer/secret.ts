import { inspect } from 'node:util'

/**
 * The text that stands for a secret wherever a DSN, a reply or a transcript is shown.
 * @example
 * ```ts
 * const isMasked = (dsn: string) => dsn.includes(secretMask)
 * ```
 */
export const secretMask = '********'

/**
 * A text that must not be shown. Printing, serializing and inspecting it give the mask.
 * @example
 * ```ts
 * const password = new Secret('hunter2')
 * console.log(`${password}`, password.reveal()) // ******** hunter2
 * ```
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the text itself, for the one place that needs it. */
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
