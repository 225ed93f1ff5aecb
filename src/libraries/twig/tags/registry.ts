import type { Tag } from '../parser/tag.ts'
import { guardTag, ifTag } from './conditions.ts'
import { forTag } from './for.ts'
import { embedTag, includeTag, sandboxTag } from './include.ts'
import { blockTag, extendsTag, useTag } from './inheritance.ts'
import { fromTag, importTag, macroTag } from './macros.ts'
import { applyTag, autoescapeTag, cacheTag } from './output.ts'
import { deprecatedTag, doTag, flushTag, typesTag } from './silent.ts'
import { setTag, withTag } from './variables.ts'

/** Every tag of Twig, one per line. The lexer handles `verbatim` and `line`. */
export const tags: readonly Tag[] = [
  applyTag,
  autoescapeTag,
  blockTag,
  cacheTag,
  deprecatedTag,
  doTag,
  embedTag,
  extendsTag,
  flushTag,
  forTag,
  fromTag,
  guardTag,
  ifTag,
  importTag,
  includeTag,
  macroTag,
  sandboxTag,
  setTag,
  typesTag,
  useTag,
  withTag,
]
