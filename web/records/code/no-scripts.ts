import { LanguageSupport, StreamLanguage } from '@codemirror/language'

/**
 * Stands in for `@codemirror/lang-javascript`, which `lang-html` imports for scripts in HTML: emails have none, and it is a
 * sixth of the editor. See `scripts/build-web.ts`.
 */
const plain = StreamLanguage.define({
  token(stream) {
    stream.skipToEnd()
    return null
  },
})

// Where an LRParser would be asked for a part of its grammar.
Object.assign(plain.parser, { configure: () => plain.parser })

export {
  plain as javascriptLanguage,
  plain as jsxLanguage,
  plain as tsxLanguage,
  plain as typescriptLanguage,
}

export const javascript = (): LanguageSupport => new LanguageSupport(plain)
