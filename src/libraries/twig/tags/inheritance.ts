import { type Place, syntaxFault } from '../errors.ts'
import { printStatement, silentStatement } from '../parser/statements.ts'
import type { Tag, TagParser } from '../parser/tag.ts'
import { displayBlock, findBlock } from '../runtime/inheritance.ts'
import type { Execute } from '../runtime/render.ts'
import type { Body, Statement } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'

/** `{% block name %}…{% endblock name %}` or `{% block name expression %}`. */
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
    module.openBlocks.push(name)
    try {
      const body = module.inScope(() => parseBlockBody(parser, name, place))
      return blockStatement(name, body, place)
    } finally {
      module.openBlocks.pop()
    }
  },
}

function parseBlockBody(parser: TagParser, name: string, place: Place): Body {
  const { tokens } = parser
  if (tokens.test('block end')) return parser.parseClosedBody('block', name)
  const expression = parser.parseExpression()
  tokens.expect('block end')
  return [printStatement(expression, place)]
}

function blockStatement(name: string, body: Body, place: Place): Statement {
  return {
    place,
    role: 'block',
    compile(compiler) {
      compiler.defineBlock(name, compiler.isolated().body(body))
      return showBlock(name, place)
    },
    visit: (walker) => walker.block(body),
  }
}

/** Renders the most derived block of that name. */
function showBlock(name: string, place: Place): Execute {
  return (render, frame) => {
    const { overrides, template } = frame
    const block = findBlock(render, frame, { name, template, overrides, place })
    if (block !== undefined) displayBlock(render, frame, { block, overrides, place })
  }
}

/** `{% extends "base.twig" %}`. */
export const extendsTag: Tag = {
  name: 'extends',
  parse(parser, place) {
    const { tokens, module } = parser
    if (module.openBlocks.length > 0) throw syntaxFault('Cannot use "extend" in a block.', place)
    if (!module.isMainScope()) throw syntaxFault('Cannot use "extend" in a macro.', place)
    const parent = parser.parseExpression()
    if (module.parent !== undefined) {
      throw syntaxFault('Multiple extends tags are forbidden.', parent.place)
    }
    module.parent = parent
    tokens.expect('block end')
    // The module holds the parent. The statement only reports the reference.
    return {
      ...silentStatement(place),
      visit: (walker) => walker.reference({ type: 'extends', template: parent, place }),
    }
  },
}

/** `{% use "blocks.twig" %}` or `{% use "blocks.twig" with title as old_title %}`. */
export const useTag: Tag = {
  name: 'use',
  parse(parser, place) {
    const { tokens } = parser
    const template = parser.parseExpression()
    if (template.kind !== 'literal') {
      throw syntaxFault(
        'The template references in a "use" statement must be a string.',
        tokens.place,
      )
    }
    const aliases = tokens.nextIf('name', 'with') === undefined ? new Map() : parseAliases(parser)
    tokens.expect('block end')
    const templateName = toText(template.value)
    parser.module.uses.push({ templateName, place: template.place, aliases })
    // The module holds the used blocks. The statement only reports the reference.
    return {
      ...silentStatement(place),
      role: 'blank',
      text: '',
      visit: (walker) => walker.reference({ type: 'use', template, place }),
    }
  },
}

function parseAliases({ tokens }: TagParser): Map<string, string> {
  return new Map(
    tokens.separated(() => {
      const { value: name } = tokens.expect('name')
      const alias = tokens.nextIf('name', 'as') === undefined ? name : tokens.expect('name').value
      return [name, alias]
    }),
  )
}
