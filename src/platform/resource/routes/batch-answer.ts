import Type, { type TSchema } from 'typebox'
import type { AppError, FaultDetails } from '../../../kit/app-error.ts'
import type { BatchItemResult } from '../../../kit/batch-item-result.ts'
import { statusOf } from '../../http/index.ts'
import type { Entry } from '../resource-service.ts'
import type { ResourceShape } from '../resource-shape.ts'

/** The status of an item that was rolled back because another one failed (RFC 4918, section 11.4). */
const failedDependency = 424

interface ItemError {
  code: number
  message: string
  details: FaultDetails
  /** The report on the test that the item has not passed. */
  test?: unknown
}

/** The answer to a batch, and its status. */
export interface BatchAnswer {
  status: number
  body: Record<string, unknown>
  /** Whether its items have only the members that were asked for. */
  isPartial: boolean
}

/** What the request of a batch asks for. */
export interface BatchRequest {
  isAtomic?: boolean
  isCreation?: boolean
  /** The members that each item of the answer has; all where undefined. */
  fields?: readonly string[] | undefined
  /** Whether nothing was changed, because the request asks what would be. */
  isDryRun?: boolean
}

/** The record of an item that succeeded. */
type BatchEntry<Item> = Pick<Entry<Item>, 'item'> & Partial<Entry<Item>>

/**
 * Creates the answer: one entry per item, in order, null where it failed. It is an error where no item succeeded, unless
 * the request was a dry run: that one has done what was asked.
 */
export function batchAnswer<Item>(
  shape: Pick<ResourceShape, 'many'>,
  results: readonly BatchItemResult<BatchEntry<Item> | undefined>[],
  { isAtomic = false, isCreation = false, fields, isDryRun = false }: BatchRequest = {},
): BatchAnswer {
  const failures = results.filter(({ ok }) => !ok).length
  const isUndone = isAtomic && failures > 0
  const statusCodes = results.map((result) => {
    if (!result.ok) return statusOf(result.error.kind)
    if (isUndone) return failedDependency
    return result.value?.isNew === true ? 201 : 200
  })
  const isPartial = fields !== undefined
  const items = results.map((result) => {
    if (!result.ok || isUndone || result.value === undefined) return null
    const { item } = result.value
    return isPartial ? pickFields(item as object, fields) : item
  })
  const messages = isUndone ? {} : messagesOf(results)
  const faults = failures === 0 ? {} : { errors: errorsOf(results) }
  const body = { [shape.many]: items, statusCodes, ...faults, ...messages }
  if (isDryRun) return { status: 200, isPartial, body: { dryRun: true, ...body } }
  if (isUndone) {
    const status = statusCodes.find((each) => each !== failedDependency) ?? 400
    const error = `Nothing was saved: ${failures} of ${results.length} items have faults, and atomic was asked for.`
    return { status, isPartial, body: { success: false, error, ...body } }
  }
  if (failures === 0 || failures < results.length) {
    return { status: isCreation ? 201 : 200, isPartial, body }
  }
  const status = statusCodes.every((each) => each === statusOf('upstream')) ? 503 : 400
  return {
    status,
    isPartial,
    body: { success: false, error: noneSucceeded(failures), ...body },
  }
}

/** The error of a batch of which no item succeeded. */
function noneSucceeded(count: number): string {
  return count === 1
    ? 'The only item of the batch failed; "errors" has its fault.'
    : `All ${count} items of the batch failed; "errors" has their faults.`
}

/** What deletions changed besides, or what could not be restored, by item; no member where there is nothing to say. */
function messagesOf<Item>(results: readonly BatchItemResult<BatchEntry<Item> | undefined>[]) {
  const messages = results.flatMap((result, index) => {
    const consequence = result.ok ? result.value?.consequence : undefined
    return consequence === undefined ? [] : [[index, consequence]]
  })
  return messages.length === 0 ? {} : { messages: Object.fromEntries(messages) }
}

/** The errors of the items that failed, by their places. */
function errorsOf(results: readonly BatchItemResult<unknown>[]): Record<string, ItemError> {
  return Object.fromEntries(
    results.flatMap((result, index) => (result.ok ? [] : [[index, itemError(result.error)]])),
  )
}

/** The schema of the errors of a batch, whose items may have been tested. */
function errorsSchema(testReport: TSchema | undefined): TSchema {
  const item = Type.Object({
    code: Type.Integer({ description: 'As the status of a request for this item alone.' }),
    message: Type.String(),
    details: Type.Record(Type.String(), Type.Array(Type.String())),
    ...(testReport === undefined ? {} : { test: Type.Optional(testReport) }),
  })
  return Type.Record(Type.String(), item, {
    description: 'By the place of the item in the batch, from 0. Absent if no item failed.',
  })
}

/** The members that the answer to every batch has. */
export const batchAnswerMembers = (
  { many, item, testReport }: Pick<ResourceShape, 'many' | 'item' | 'testReport'>,
  status: number,
) => ({
  [many]: Type.Array(Type.Unsafe({ anyOf: [item, { type: 'null' }] })),
  statusCodes: Type.Array(Type.Integer(), { examples: [[status]] }),
  errors: Type.Optional(errorsSchema(testReport)),
})

export function batchAnswerSchema(shape: ResourceShape, status: number): TSchema {
  return Type.Object({
    ...batchAnswerMembers(shape, status),
    messages: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'By item: what a deletion changed besides, or what could not be restored.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'True if nothing was changed, as `dryRun=1` asks.' }),
    ),
  })
}

function itemError({ kind, message, details = {}, facts }: AppError): ItemError {
  const error = { code: statusOf(kind), message, details }
  const test = facts?.['test']
  return test === undefined ? error : { ...error, test }
}

/** An item with these members alone. */
export function pickFields(item: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name)))
}
