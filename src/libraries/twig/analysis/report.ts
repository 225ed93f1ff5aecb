import type { TwigError, TwigErrorKind } from '../errors.ts'
import type { ReferenceType } from '../syntax/statement.ts'

/**
 * A reference to another template.
 *
 * @example
 * ```ts
 * const { references } = createTwig().lint('{% include "header.twig" %}')
 * for (const { type, names, line } of references) console.log(type, names, line)
 * ```
 */
export interface TemplateReference {
  readonly type: ReferenceType
  /**
   * One name for a constant; several when the first existing one is used; none when only rendering
   * can compute it.
   */
  readonly names: readonly string[]
  readonly line: number
  readonly column: number
  /** True when a missing template is not an error (`ignore missing`). */
  readonly ignoresMissing: boolean
  /** True when some renders may skip the reference: inside an `if`, a loop or a macro. */
  readonly isConditional: boolean
}

/**
 * A variable that a template reads.
 *
 * @example
 * ```ts
 * const { variables } = createTwig().analyze('{{ contact.firstname|default("you") }}')
 * for (const { path, hasDefault } of variables) console.log(path, hasDefault)
 * ```
 */
export interface VariableRead {
  /** `contact.firstname` or `order.items[].price`, where `[]` stands for any element. */
  readonly path: string
  /** True when every read has a fallback: `default`, `??` or `is defined`. */
  readonly hasDefault: boolean
  /** True when it is read inside a loop over a collection. */
  readonly isInLoop: boolean
  /** The position of the first read. */
  readonly line: number
  readonly column: number
}

/**
 * What a template reads and refers to.
 *
 * @example
 * ```ts
 * const { variables, references }: Analysis = createTwig().analyze('Hello {{ name }}!')
 * console.log(variables.length, references.length) // 1 0
 * ```
 */
export interface Analysis {
  readonly variables: readonly VariableRead[]
  readonly references: readonly TemplateReference[]
}

/**
 * A problem in a template, as plain data.
 *
 * @example
 * ```ts
 * const faults: readonly TwigFault[] = createTwig().lint('{{ name|uper }}').faults
 * for (const { kind, message, line, column } of faults) console.log(kind, message, line, column)
 * ```
 */
export interface TwigFault {
  readonly kind: TwigErrorKind
  /** The complete message, with template name and line. */
  readonly message: string
  readonly rawMessage: string
  readonly line: number
  readonly column: number
}

/**
 * The result of linting a template.
 *
 * @example
 * ```ts
 * const { faults, warnings }: LintReport = createTwig().lint('{{ name|spaceless }}')
 * console.log(faults.length, warnings[0]?.message)
 * ```
 */
export interface LintReport {
  /** Errors that stop every render. */
  readonly faults: readonly TwigFault[]
  /** Things that work but should be written differently, such as deprecated filters. */
  readonly warnings: readonly TwigFault[]
  readonly references: readonly TemplateReference[]
  /** The variables that it reads, also where it has faults that the parser recovers from. */
  readonly variables: readonly VariableRead[]
}

export function faultOf(error: TwigError): TwigFault {
  const { kind, message, rawMessage, line = 1, column = 1 } = error
  return { kind, message, rawMessage, line, column }
}
