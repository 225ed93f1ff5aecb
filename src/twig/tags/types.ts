import type { Tag, TagParser } from '../parser/tag.ts'

/** `{% types { name: "string", age?: "number" } %}`: what the template expects, for people and tools. */
export const typesTag: Tag = {
  name: 'types',
  parse(parser, place) {
    const { tokens } = parser
    const isEnclosed = tokens.nextIf('punctuation', '{') !== undefined
    let isFirst = true
    while (!isAtEnd(parser)) {
      if (!isFirst) {
        tokens.expect('punctuation', ',', 'A type string must be followed by a comma')
        if (isAtEnd(parser)) break
      }
      isFirst = false
      parseType(parser)
    }
    if (isEnclosed) tokens.expect('punctuation', '}', 'An opened mapping is not properly closed')
    tokens.expect('block end')
    return { place, role: 'silent', compile: () => () => {}, visit() {} }
  },
}

function isAtEnd({ tokens }: TagParser): boolean {
  return tokens.test('punctuation', '}') || tokens.test('block end')
}

function parseType({ tokens }: TagParser): void {
  tokens.expect('name')
  if (tokens.nextIf('operator', '?:') === undefined) {
    tokens.nextIf('punctuation', '?')
    tokens.expect('punctuation', ':', 'A type name must be followed by a colon (:)')
  }
  tokens.expect('string')
}
