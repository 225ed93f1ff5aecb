import { compile } from './compiler/compile.ts'
import { strategyByName } from './escaping/by-name.ts'
import type { Autoescape, Loader } from './options.ts'
import { parse } from './parser/parse.ts'
import type { Vocabulary } from './parser/tag.ts'
import { createCache } from './runtime/cache.ts'
import type { Limits } from './runtime/limits.ts'
import type { Template, TemplateStore } from './runtime/render.ts'
import { checkLength } from './source-length.ts'
import type { Strategy } from './syntax/statement.ts'

/** What a compiled template takes, roughly: its text, and closures for its tokens. */
const bytesACharacter = 2
const bytesAToken = 150
/** What all that are kept may take. */
const cacheBytes = 32_000_000
/** One text under more names than these is compiled for each. */
const namesOfAText = 8

/** Compiles templates, and keeps those that it compiled by their text and name. */
export interface TemplateCompiler {
  readonly compile: (source: string, name: string | undefined) => Template
  /** As `compile`, for texts that come but once: they don't push others out. */
  readonly compileOnce: (source: string, name: string | undefined) => Template
}

export function createTemplateCompiler(options: {
  vocabulary: Vocabulary
  autoescape: Autoescape
  cacheSize: number
  limits: Limits
}): TemplateCompiler {
  const { vocabulary, autoescape, limits } = options
  const { sourceLength, sourceTokens: tokensMax } = limits
  const cache = createCache<Map<string | undefined, Template>>(options.cacheSize, {
    weigh,
    weightMax: cacheBytes,
  })
  function compileOnce(source: string, name: string | undefined): Template {
    checkLength(source, { name, sourceLength })
    return compile(parse(source, { name, vocabulary, tokensMax }), strategyFor(autoescape, name))
  }
  return {
    compileOnce,
    compile(source, name) {
      let byName = cache.get(source)
      const known = byName?.get(name)
      if (known !== undefined) return known
      const template = compileOnce(source, name)
      if (byName === undefined || byName.size >= namesOfAText) byName = new Map()
      byName.set(name, template)
      cache.set(source, byName)
      return template
    },
  }
}

function weigh(byName: Map<string | undefined, Template>, source: string): number {
  let bytes = source.length * bytesACharacter
  for (const { tokenCount } of byName.values()) bytes += tokenCount * bytesAToken
  return bytes
}

/** The templates of a loader, compiled when they are first asked for. */
export function openTemplates(
  loader: Loader | undefined,
  compiler: TemplateCompiler,
): TemplateStore {
  return {
    find(name) {
      const source = loader?.get(name)
      return source === undefined ? undefined : compiler.compile(source, name)
    },
    findSource: (name) => loader?.get(name),
    compile: compiler.compileOnce,
    names: () => loader?.keys?.() ?? [],
  }
}

function strategyFor(autoescape: Autoescape, name: string | undefined): Strategy {
  if (typeof autoescape === 'function') return autoescape(name)
  return autoescape === 'name' ? strategyByName(name) : autoescape
}
