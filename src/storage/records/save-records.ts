import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { failed, type Outcome } from '../../kit/outcome.ts'
import type { ChangeContext } from '../../kit/resource.ts'
import type { Turns } from '../turns.ts'
import { type ItemRequest, prepareItems } from './prepare-items.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordParts, RecordTables, Written } from './record-work.ts'
import { type WriteOutcome, writeItems } from './write-items.ts'

/** What saving needs besides. */
export interface SaveParts<Row extends RecordRow, Input> extends RecordParts<Row, Input> {
  /** Items that have to be prepared again are, one request after the other, so that each gets ahead at last. */
  repetitions: Turns
}

/** So often an item is prepared again, while others change what it depends on. */
const repetitionsMax = 50

/**
 * Saves items: prepares them, then writes them in one short transaction. What others changed in between is prepared and
 * written again. Where the request is atomic, nothing is kept unless all of it is written.
 */
export async function saveRecords<Row extends RecordRow, Input>(
  parts: SaveParts<Row, Input>,
  requests: readonly ItemRequest<Input>[],
  context: ChangeContext,
): Promise<Outcome<Written<Row>>[]> {
  const outcomes = await saveOnce(parts, requests, context)
  if (!outcomes.includes(undefined)) return outcomes as Outcome<Written<Row>>[]
  const endTurn = await parts.repetitions.take()
  try {
    for (let repetition = 0; repetition < repetitionsMax; repetition++) {
      await repeat(parts, { requests, outcomes }, context)
      if (!outcomes.includes(undefined)) break
    }
  } finally {
    endTurn()
  }
  return outcomes.map((outcome) => outcome ?? failed(changedAllTheTime()))
}

/** Saves again what has to be prepared again; of an atomic request, all that has not failed. */
async function repeat<Row extends RecordRow, Input>(
  parts: RecordParts<Row, Input>,
  {
    requests,
    outcomes,
  }: { requests: readonly ItemRequest<Input>[]; outcomes: WriteOutcome<Row>[] },
  context: ChangeContext,
): Promise<void> {
  const isLeft = (outcome: WriteOutcome<Row>) =>
    context.isAtomic ? outcome?.ok !== false : outcome === undefined
  const indexes = [...outcomes.keys()].filter((index) => isLeft(outcomes[index]))
  const left = requests.filter((_request, index) => isLeft(outcomes[index]))
  const isWhole = left.length === requests.length
  const again = await saveOnce(parts, left, context, isWhole)
  for (const [place, index] of indexes.entries()) outcomes[index] = again[place]
}

/** `isWhole` is false where other items of the request have failed, so that an atomic one must not be kept. */
async function saveOnce<Row extends RecordRow, Input>(
  parts: RecordParts<Row, Input>,
  requests: readonly ItemRequest<Input>[],
  { caller, isAtomic }: ChangeContext,
  isWhole = true,
): Promise<WriteOutcome<Row>[]> {
  const { storage, rules, clock } = parts
  const prepared = await prepareItems(parts, requests, caller)
  const good = prepared.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
  if (good.length === 0) return prepared as Outcome<never>[]
  const isComplete = isWhole && good.length === prepared.length
  const written = await storage.transaction(
    async (tx: Transaction<RecordTables>) => {
      if (rules.lock !== undefined) await storage.lock(tx, rules.lock)
      return writeItems<Row, Input>({ tx, rules, caller, clock }, good)
    },
    {
      keeps: (outcomes) => !isAtomic || (isComplete && outcomes.every((outcome) => outcome?.ok)),
      checksConstraints: true,
    },
  )
  let next = 0
  return prepared.map((outcome) => (outcome.ok ? written[next++] : outcome))
}

function changedAllTheTime(): AppError {
  const message = 'Others keep changing it, or what it depends on. Repeat your change later.'
  return new AppError('conflict', 'edit_conflict', message)
}
