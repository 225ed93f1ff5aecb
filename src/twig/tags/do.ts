import type { Tag } from '../parser/tag.ts'

/** `{% do expression %}`: evaluates and prints nothing. */
export const doTag: Tag = {
  name: 'do',
  parse(parser, place) {
    const expression = parser.parseExpression()
    parser.tokens.expect('block end')
    return {
      place,
      role: 'silent',
      compile(compiler) {
        const evaluate = compiler.expression(expression)
        return (render, frame) => {
          evaluate(render, frame)
        }
      },
      visit: (visitor) => visitor.expression(expression),
    }
  },
}
