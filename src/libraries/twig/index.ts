/**
 * Twig 3 for JavaScript: compatible with the reference implementation, safe with untrusted
 * templates, and fast.
 *
 * @see docs/twig.md
 */
export type {
  Analysis,
  LintReport,
  TemplateReference,
  TwigFault,
  VariableRead,
} from './analysis/report.ts'
export { defaultLimits, type Limits } from './budget.ts'
export type { HostFilter, HostFunction, HostTest } from './callables/host-callables.ts'
export type { CatalogueEntry } from './catalogue/catalogue.ts'
export { createTwig, type Twig } from './create-twig.ts'
export { TwigError, type TwigErrorKind } from './errors.ts'
export type { Autoescape, LintOptions, Loader, RenderOptions, TwigOptions } from './options.ts'
export type { HostVariables } from './runtime/host-values.ts'
export { Markup } from './values/value.ts'
