import type { Tag } from '../parser/tag.ts'
import { applyTag } from './apply.ts'
import { autoescapeTag } from './autoescape.ts'
import { blockTag } from './block.ts'
import { cacheTag } from './cache.ts'
import { deprecatedTag } from './deprecated.ts'
import { doTag } from './do.ts'
import { embedTag } from './embed.ts'
import { extendsTag } from './extends.ts'
import { flushTag } from './flush.ts'
import { forTag } from './for.ts'
import { fromTag } from './from.ts'
import { guardTag } from './guard.ts'
import { ifTag } from './if.ts'
import { importTag } from './import.ts'
import { includeTag } from './include.ts'
import { macroTag } from './macro.ts'
import { sandboxTag } from './sandbox.ts'
import { setTag } from './set.ts'
import { typesTag } from './types.ts'
import { useTag } from './use.ts'
import { withTag } from './with.ts'

/** Every tag of the language but `verbatim` and `line`, which the lexer reads. */
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
