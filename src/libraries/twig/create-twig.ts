import { analyzeModule } from './analysis/analyze.ts'
import { lint } from './analysis/lint.ts'
import type { Analysis, LintReport } from './analysis/report.ts'
import { Budget, defaultLimits } from './budget.ts'
import { type CatalogueEntry, createCatalogue } from './catalogue/catalogue.ts'
import { explain } from './errors.ts'
import type { LintOptions, RenderOptions, TwigOptions } from './options.ts'
import { parse } from './parser/parser.ts'
import { type HostVariables, openVariables } from './runtime/host-values.ts'
import { display } from './runtime/inheritance.ts'
import { loadTemplate } from './runtime/loading.ts'
import { Frame, Render, type Template } from './runtime/render.ts'
import { settingsFor, settingsFrom } from './settings-from-options.ts'
import { createTemplateCompiler, openTemplates } from './template-store.ts'
import { createVocabulary } from './vocabulary.ts'

const nothing: RenderOptions = {}

/**
 * A Twig engine. All methods are synchronous and throw only `TwigError`.
 *
 * @example
 * ```ts
 * const twig: Twig = createTwig({ strictVariables: true })
 * twig.renderSource('Hello {{ name }}!', { name: '<Ada>' }) // Hello &lt;Ada&gt;!
 * ```
 */
export interface Twig {
  /** Renders a template of the loader. */
  render(name: string, context?: HostVariables, options?: RenderOptions): string
  /** Renders a source text that is not in the loader. Error messages use `name`. */
  renderSource(
    source: string,
    context?: HostVariables,
    options?: RenderOptions & { name?: string },
  ): string
  /** Throws the first syntax error of a template. */
  parse(source: string, name?: string): void
  /**
   * Finds every fault that can be found without rendering, and the references of the template.
   * Never throws.
   */
  lint(source: string, name?: string, options?: LintOptions): LintReport
  /** Finds the variables and templates that a template uses. Throws its first syntax error. */
  analyze(source: string, name?: string): Analysis
  /** Lists the tags, filters, functions and tests that a template may use, with a line about each. */
  catalogue(): readonly CatalogueEntry[]
}

/**
 * Creates a Twig engine.
 *
 * @throws RangeError for an unknown time zone.
 * @example
 * ```ts
 * const twig = createTwig({
 *   loader: new Map([['order', 'Total: {{ total|money }}']]),
 *   filters: { money: (value) => `${Number(value).toFixed(2)} EUR` },
 * })
 * twig.render('order', { total: 4.5 }) // Total: 4.50 EUR
 * ```
 */
export function createTwig(options: TwigOptions = {}): Twig {
  const settings = settingsFrom(options)
  const limits = { ...defaultLimits, ...options.limits }
  const vocabulary = createVocabulary(options)
  const compiler = createTemplateCompiler({
    vocabulary,
    autoescape: options.autoescape ?? 'html',
    cacheSize: options.cacheSize ?? 500,
    limits,
  })
  const templates = openTemplates(options.loader, compiler)
  const globals = openVariables(options.globals ?? {})

  function openRender(name: string | undefined, overrides: RenderOptions): Render {
    const renderLimits =
      overrides.limits === undefined ? limits : { ...limits, ...overrides.limits }
    return new Render({
      budget: new Budget(renderLimits),
      settings: overrides === nothing ? settings : settingsFor(settings, overrides),
      templates:
        overrides.loader === undefined ? templates : openTemplates(overrides.loader, compiler),
      globals,
      outputLimit: renderLimits.outputLength,
      at: { templateName: name, line: 1, column: 1 },
    })
  }

  return {
    render(name, context = {}, overrides = nothing) {
      const render = openRender(undefined, overrides)
      const nowhere = { templateName: undefined, line: 0, column: 0 }
      return run(render, context, () => loadTemplate(render, name, nowhere))
    },
    renderSource(source, context = {}, overrides = {}) {
      const { name } = overrides
      const render = openRender(name, overrides)
      return run(render, context, () => compiler.compile(source, name))
    },
    parse(source, name) {
      compiler.compile(source, name)
    },
    lint(source, name, { loader = options.loader, faultsMax = 200 } = {}) {
      return lint(source, { name, vocabulary, loader, limits, faultsMax })
    },
    analyze(source, name) {
      return analyzeModule(parse(source, { name, vocabulary, limits }))
    },
    catalogue: () => createCatalogue(vocabulary),
  }
}

function run(render: Render, context: HostVariables, find: () => Template): string {
  try {
    const template = find()
    render.chargeTemplate(template)
    render.at = template.place
    const source = openVariables(context, render.globals, render.budget)
    display(render, new Frame({ template, overrides: [template], source }))
    return render.out
  } catch (error) {
    throw explain(error, render.at)
  }
}
