import type { TwigError, TwigErrorKind } from '../errors/twig-error.ts'
import type { ReferenceType } from '../syntax/statement.ts'

/** A place in a template that names another template. */
export interface TemplateReference {
  readonly type: ReferenceType
  /**
   * The names as they are written: one; several where the first that exists counts; none where only
   * rendering can tell.
   */
  readonly names: readonly string[]
  readonly line: number
  readonly column: number
  /** A template that is missing is no error. */
  readonly ignoresMissing: boolean
  /** It may not come to it in every render: it stands in an `if`, a loop, a macro or the like. */
  readonly isConditional: boolean
}

/** A variable that a template reads. */
export interface VariableRead {
  /** `contact.firstname`, `order.items[].price`: `[]` is any element. */
  readonly path: string
  /** Everywhere that it is read, the template does without it: `default`, `??`, `is defined`. */
  readonly hasDefault: boolean
  /** Somewhere it is read once for each element of something. */
  readonly isInLoop: boolean
  /** Where it is first read. */
  readonly line: number
  readonly column: number
}

/** What a template reads and refers to. */
export interface Analysis {
  readonly variables: readonly VariableRead[]
  readonly references: readonly TemplateReference[]
}

/** What is wrong with a template, in plain data. */
export interface TwigFault {
  readonly kind: TwigErrorKind
  /** The whole sentence, with template and line. */
  readonly message: string
  readonly rawMessage: string
  readonly line: number
  readonly column: number
}

/** Everything that can be said of a template without rendering it. */
export interface LintReport {
  /** What keeps it from ever running. */
  readonly faults: readonly TwigFault[]
  /** What runs, but should not be written so. */
  readonly warnings: readonly TwigFault[]
  readonly references: readonly TemplateReference[]
}

export function faultOf(error: TwigError): TwigFault {
  const { kind, message, rawMessage, line = 1, column = 1 } = error
  return { kind, message, rawMessage, line, column }
}
