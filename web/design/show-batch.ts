import type { BatchSummary } from '../lib/batch.ts'
import { showToast, type Tone } from '../lib/toasts.ts'
import { words } from '../words/common.ts'

const shownMax = 5

/**
 * Shows the result of a batch: how many are done (`action` names it, such as "Deleted", or says it), and why each other failed.
 *
 * @param options `undo` restores what is done; `tone` is that of a batch without failures.
 */
export function showBatch(
  action: string | ((count: number) => string),
  { done, failures, messages }: BatchSummary,
  { undo, tone = 'good' }: { undo?: () => Promise<void>; tone?: Tone } = {},
): void {
  const say =
    typeof action === 'string' ? (count: number) => words.batch.done(action, count) : action
  const total = done.length + failures.length
  const sentenceOf = ({ id, message }: { id: number; message: string }) =>
    total === 1 ? message : words.batch.item(id, message)
  const sentences = [
    ...(done.length > 0 ? [say(done.length)] : []),
    ...messages.slice(0, shownMax).map(sentenceOf),
    ...(failures.length > 0 ? [words.batch.failed(failures.length, total)] : []),
    ...failures.slice(0, shownMax).map(sentenceOf),
  ]
  showToast(
    sentences.join(' '),
    failures.length > 0 ? 'bad' : tone,
    done.length > 0 ? undo : undefined,
  )
}
