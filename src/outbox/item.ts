import Type from 'typebox'
import { nullable, type QueryReader, text } from '../http/index.ts'
import { formatDate, formatOptionalDate } from '../kit/iso-date.ts'
import type { OutboxRow } from './table.ts'

const states = ['queued', 'done', 'failed'] as const
const limitMax = 1_000

/** The fields of `OutboxRow` in an answer. `receiver` is who accepts what is sent: `Mautic`. */
export function outboxFields(receiver: string) {
  return {
    state: Type.Enum([...states], {
      description: `\`queued\`: is sent, again and again, until ${receiver} accepts it; \`done\`: ${receiver} has accepted it; \`failed\`: is not sent again automatically.`,
    }),
    attempts: Type.Integer(),
    nextAttempt: nullable(Type.String(), { description: 'When it is due; null if it has ended.' }),
    dateAdded: Type.String({ description: 'When it was queued, or last retried by a person.' }),
    dateEnded: nullable(Type.String()),
    problem: nullable(Type.String(), { description: 'Why the last attempt failed.' }),
  }
}

/** The fields of `outboxFields` of a row. */
export function presentOutboxRow({ state, attempts, due_at: at, created_at, problem }: OutboxRow) {
  const isQueued = state === 'queued'
  return {
    state,
    attempts,
    nextAttempt: formatOptionalDate(isQueued ? at : null),
    dateAdded: formatDate(created_at),
    dateEnded: formatOptionalDate(isQueued ? null : at),
    problem,
  }
}

/** The parameters of a list of rows. */
export const outboxParameters = {
  state: text(`In this state: ${states.join(', ')}.`),
  start: text('How many to skip.'),
  limit: text(`How many, at most ${limitMax}. Default 30.`),
}

/** Reads the parameters of a list of rows. */
export function readOutboxPage(read: QueryReader) {
  return {
    state: read.word('state', states),
    start: read.number('start') ?? 0,
    limit: Math.min(read.number('limit') ?? 30, limitMax),
  }
}
