import type { Limits } from './budget.ts'
import { createCache } from './cache.ts'
import { compile } from './compiler/compile.ts'
import { strategyByName } from './escaping/escape.ts'
import type { Autoescape, Loader } from './options.ts'
import { parse } from './parser/parser.ts'
import type { Vocabulary } from './parser/tag.ts'
import type { Template, TemplateStore } from './runtime/render.ts'
import type { Strategy } from './syntax/statement.ts'

/** The approximate memory of a compiled template: its source, and closures for its tokens. */
const bytesPerCharacter = 2
const bytesPerToken = 150
/** The maximum memory of all cached templates. */
const cacheBytes = 32_000_000
/** A source with more names than this is compiled again. */
const namesPerSource = 8

/** Compiles templates and caches them by source and name. */
export interface TemplateCompiler {
  readonly compile: (source: string, name: string | undefined) => Template
  /** Like `compile`, but without the cache, for sources that are used once. */
  readonly compileOnce: (source: string, name: string | undefined) => Template
}

export function createTemplateCompiler(options: {
  vocabulary: Vocabulary
  autoescape: Autoescape
  cacheSize: number
  limits: Limits
}): TemplateCompiler {
  const { vocabulary, autoescape, limits } = options
  const cache = createCache<Map<string | undefined, Template>>(options.cacheSize, {
    weigh,
    weightMax: cacheBytes,
  })
  function compileOnce(source: string, name: string | undefined): Template {
    return compile(parse(source, { name, vocabulary, limits }), strategyFor(autoescape, name))
  }
  return {
    compileOnce,
    compile(source, name) {
      let byName = cache.get(source)
      const known = byName?.get(name)
      if (known !== undefined) return known
      const template = compileOnce(source, name)
      if (byName === undefined || byName.size >= namesPerSource) byName = new Map()
      byName.set(name, template)
      cache.set(source, byName)
      return template
    },
  }
}

function weigh(byName: Map<string | undefined, Template>, source: string): number {
  let bytes = source.length * bytesPerCharacter
  for (const { tokenCount } of byName.values()) bytes += tokenCount * bytesPerToken
  return bytes
}

/** Creates a template store for a loader. Templates are compiled when they are first used. */
export function openTemplates(
  loader: Loader | undefined,
  compiler: TemplateCompiler,
): TemplateStore {
  const resolve = (name: string, from: string | undefined) => loader?.resolve?.(name, from) ?? name
  return {
    find(name, from) {
      const fullName = resolve(name, from)
      const source = loader?.get(fullName)
      return source === undefined ? undefined : compiler.compile(source, fullName)
    },
    findSource: (name, from) => loader?.get(resolve(name, from)),
    compile: compiler.compileOnce,
    names: () => loader?.keys?.() ?? [],
  }
}

function strategyFor(autoescape: Autoescape, name: string | undefined): Strategy {
  if (typeof autoescape === 'function') return autoescape(name)
  return autoescape === 'name' ? strategyByName(name) : autoescape
}
