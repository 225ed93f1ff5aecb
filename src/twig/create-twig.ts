import { analyzeModule } from './analysis/analyze.ts'
import { lint } from './analysis/lint.ts'
import type { Analysis, LintReport } from './analysis/report.ts'
import { explain } from './errors/explain.ts'
import type { RenderOptions, TwigOptions } from './options.ts'
import { parse } from './parser/parse.ts'
import { Budget } from './runtime/budget.ts'
import { display } from './runtime/inheritance.ts'
import { defaultLimits } from './runtime/limits.ts'
import { loadTemplate } from './runtime/loading.ts'
import { Frame, Render, type Template } from './runtime/render.ts'
import { type HostVariables, openVariables } from './runtime/variables.ts'
import { checkTimezone, settingsFor, settingsFrom } from './settings-from-options.ts'
import { checkLength } from './source-length.ts'
import { createTemplateCompiler, openTemplates } from './template-store.ts'
import { createVocabulary } from './vocabulary.ts'

const nothing: RenderOptions = {}

/** A Twig engine. All of it is synchronous; every fault is a `TwigError`. */
export interface Twig {
  /** Renders a template of the loader. */
  render(name: string, context?: HostVariables, options?: RenderOptions): string
  /** Renders a text that is in no loader; `name` is what errors call it. */
  renderSource(
    source: string,
    context?: HostVariables,
    options?: RenderOptions & { name?: string },
  ): string
  /** Throws the first fault of a template that can never run. */
  parse(source: string, name?: string): void
  /** Every fault that can be found without rendering, and what the template refers to. Never throws. */
  lint(source: string, name?: string, options?: Pick<RenderOptions, 'loader'>): LintReport
  /** What a template reads and refers to. Throws its first fault. */
  analyze(source: string, name?: string): Analysis
}

export function createTwig(options: TwigOptions = {}): Twig {
  const settings = settingsFrom(options)
  checkTimezone(settings.timezone, settings.zones)
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
    lint(source, name, { loader = options.loader } = {}) {
      return lint(source, { name, vocabulary, loader, limits })
    },
    analyze(source, name) {
      checkLength(source, { name, sourceLength: limits.sourceLength })
      const tokensMax = limits.sourceTokens
      return analyzeModule(parse(source, { name, vocabulary, tokensMax }))
    },
  }
}

function run(render: Render, context: HostVariables, find: () => Template): string {
  try {
    const template = find()
    render.meet(template)
    render.at = template.place
    const source = openVariables(context, render.globals, render.budget)
    display(render, new Frame({ template, overrides: [template], source }))
    return render.out
  } catch (error) {
    throw explain(error, render.at)
  }
}
