import { readFileSync } from 'node:fs'
import type { ReplyClass } from './reply-class.ts'

/** What servers say, and what it is about; for all who read it. */
export const replies = readFileSync(new URL('replies.cases', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n\n# ')
  .slice(1)
  .map((block): [about: ReplyClass, said: readonly string[]] => {
    const [about, ...said] = block.split('\n')
    return [about as ReplyClass, said]
  })
