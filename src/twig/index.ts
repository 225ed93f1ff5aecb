/**
 * Twig 3 for JavaScript: faithful to the reference implementation, safe with templates of authors whom
 * nobody trusts, and fast. See docs/twig.md.
 */
export type {
  Analysis,
  LintReport,
  TemplateReference,
  TwigFault,
  VariableRead,
} from './analysis/report.ts'
export type { HostFilter, HostFunction, HostTest } from './callables/host-callables.ts'
export { createTwig, type Twig } from './create-twig.ts'
export { TwigError, type TwigErrorKind } from './errors/twig-error.ts'
export type { Autoescape, Loader, RenderOptions, TwigOptions } from './options.ts'
export { defaultLimits, type Limits } from './runtime/limits.ts'
export type { HostVariables } from './runtime/variables.ts'
export { Markup } from './values/markup.ts'
