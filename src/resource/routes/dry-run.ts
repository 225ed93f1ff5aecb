import Type, { type TSchema } from 'typebox'
import { isAsked, text, validationError } from '../../http/index.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import type { PlannedChange } from '../resource-service.ts'
import type { ResourceShape } from '../resource-shape.ts'
import { type BatchAnswer, errorsOf, errorsSchema, statusCodeOf } from './batch-answer.ts'

/** The parameter of a batch that can be tried first. */
export const dryRunParameter = text(
  '`1`: validates the items and answers what would be created and changed. Nothing is written, and `atomic` makes no difference.',
)

/** Reads `dryRun`. Throws an AppError (`invalid`) where it is asked for and the batch has none: the batch would be written. */
export function isDryRun(
  query: Readonly<Record<string, unknown>>,
  hasDryRun: boolean | undefined,
): boolean {
  const isWanted = isAsked(query, 'dryRun')
  if (!isWanted || hasDryRun === true) return isWanted
  throw validationError({
    dryRun: [
      'is not available for this batch, only for deletions and for POST /api/contacts/batch/new',
    ],
  })
}

/**
 * Creates the answer to a dry run: one entry per item, in order.
 *
 * @param inputs The items; the plan counts the places of `sameAs` in the valid ones alone.
 */
export function dryRunAnswer(
  inputs: readonly BatchItemResult<unknown>[],
  results: readonly BatchItemResult<PlannedChange | undefined>[],
): BatchAnswer {
  const places = inputs.flatMap(({ ok }, place) => (ok ? [place] : []))
  const plan = results.map((result) => {
    if (!result.ok || result.value === undefined) return null
    const { sameAs } = result.value
    return sameAs === undefined ? result.value : { ...result.value, sameAs: places[sameAs] }
  })
  const countOf = (action: PlannedChange['action'] | undefined) =>
    plan.filter((each) => each?.action === action).length
  const counts = {
    create: countOf('create'),
    update: countOf('update'),
    none: countOf('none'),
    failed: countOf(undefined),
  }
  const isNew = ({ value }: { value: PlannedChange | undefined }) => value?.action === 'create'
  const statusCodes = results.map((result) => statusCodeOf(result, isNew))
  const body = { counts, plan, statusCodes, errors: errorsOf(results) }
  return { status: 200, body, isPartial: false }
}

/** The schema of the answer to a dry run. */
export function dryRunSchema({ label }: ResourceShape): TSchema {
  const count = (description: string, example: number) =>
    Type.Integer({ description, examples: [example] })
  const values = Type.Array(Type.Unknown())
  const planned = Type.Object(
    {
      action: Type.Enum(['create', 'update', 'none'], {
        description: '`none`: the record has these values already.',
      }),
      id: Type.Optional(Type.Integer({ description: 'The record that the item is merged with.' })),
      sameAs: Type.Optional(
        Type.Integer({ description: 'The place of the earlier item that creates this record.' }),
      ),
      fields: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Union([
            Type.Object({ before: Type.Unknown(), after: Type.Unknown() }),
            Type.Object({ added: values, removed: values }),
          ]),
          { description: 'What changes, by field; of lists, what is added and removed.' },
        ),
      ),
    },
    { title: `${label}Plan` },
  )
  return Type.Object(
    {
      counts: Type.Object({
        create: count('Items that create a record.', 1),
        update: count('Items that change one.', 0),
        none: count('Items that change nothing.', 0),
        failed: count('Items with faults.', 0),
      }),
      plan: Type.Array(Type.Union([planned, Type.Null()]), {
        description: 'One entry per item, in order; null where it has faults.',
        examples: [[{ action: 'create' }]],
      }),
      statusCodes: Type.Array(Type.Integer(), {
        description: 'What each item would be answered.',
        examples: [[201]],
      }),
      errors: errorsSchema,
    },
    { description: 'The answer to `dryRun=1`.' },
  )
}
