import type { BatchSummary } from '../lib/batch.ts'
import { words } from '../words.ts'
import { showToast } from './feedback.tsx'

const shownMax = 5

/** Shows what became of a batch: how many are done (`action` names it, such as "Deleted"), and why each other failed. */
export function showBatch(action: string, { done, failures, messages }: BatchSummary): void {
  const sentences = [
    ...(done > 0 ? [words.batch.done(action, done)] : []),
    ...messages.slice(0, shownMax),
    ...(failures.length > 0 ? [words.batch.failed(failures.length, done + failures.length)] : []),
    ...failures.slice(0, shownMax).map(({ id, message }) => words.batch.failure(id, message)),
  ]
  showToast(sentences.join(' '), failures.length > 0 ? 'bad' : 'good')
}
