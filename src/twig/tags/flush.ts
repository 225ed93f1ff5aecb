import type { Tag } from '../parser/tag.ts'

/** `{% flush %}`: sends what there is, in PHP. Here all output is one text, so it does nothing. */
export const flushTag: Tag = {
  name: 'flush',
  parse(parser, place) {
    parser.tokens.expect('block end')
    return { place, role: 'silent', compile: () => () => {}, visit() {} }
  },
}
