import { syntaxFault } from '../errors/faults.ts'
import { printStatement } from '../parser/plain-statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { displayBlock, findBlock } from '../runtime/inheritance.ts'
import type { Execute } from '../runtime/render.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Statement } from '../syntax/statement.ts'

/** `{% block name %}…{% endblock name %}`, `{% block name expression %}`. */
export const blockTag: Tag = {
  name: 'block',
  end: 'endblock',
  hasBody: (header) => header.length < 2,
  parse(parser, place) {
    const { tokens, module } = parser
    const { value: name } = tokens.expect('name')
    const earlier = module.blocks.get(name)
    if (earlier !== undefined) {
      throw syntaxFault(
        `The block '${name}' has already been defined line ${earlier.line}.`,
        tokens.place,
      )
    }
    module.blocks.set(name, place)
    module.scopes.push(new Map())
    module.openBlocks.push(name)
    try {
      return blockStatement(name, parseBlockBody(parser, name, place), place)
    } finally {
      module.openBlocks.pop()
      module.scopes.pop()
    }
  },
}

function parseBlockBody(parser: TagParser, name: string, place: Place): Body {
  const { tokens } = parser
  if (tokens.nextIf('block end') === undefined) {
    const expression = parser.parseExpression()
    tokens.expect('block end')
    return [printStatement(expression, place)]
  }
  const body = parser.parseBody(['endblock'], 'block')
  tokens.nextIf('name', 'endblock')
  const closing = tokens.nextIf('name')
  if (closing !== undefined && closing.value !== name) {
    throw syntaxFault(
      `Expected endblock for block "${name}" (but "${closing.value}" given).`,
      tokens.place,
    )
  }
  tokens.expect('block end')
  return body
}

function blockStatement(name: string, body: Body, place: Place): Statement {
  return {
    place,
    role: 'block',
    compile(compiler) {
      compiler.defineBlock(name, compiler.isolated().body(body))
      return showBlock(name, place)
    },
    visit: (visitor) => visitor.isolated(body),
  }
}

/** Prints the block of that name that counts: the most derived one. */
function showBlock(name: string, place: Place): Execute {
  return (render, frame) => {
    const { overrides, template } = frame
    const block = findBlock(render, frame, { name, template, overrides, place })
    if (block !== undefined) displayBlock(render, frame, { block, overrides, place })
  }
}
