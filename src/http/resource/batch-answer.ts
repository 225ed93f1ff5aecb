import Type, { type TSchema } from 'typebox'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { Outcome } from '../../kit/outcome.ts'
import type { Entry } from '../../kit/resource.ts'
import { statusOf } from '../error-body.ts'
import { pickFields } from './batch-fields.ts'
import type { ResourceShape } from './resource.ts'

/** What became of an item that went well, but was undone because another one failed (RFC 4918). */
const failedDependency = 424

interface ItemError {
  code: number
  message: string
  details: FaultDetails
}

/** The answer to a batch, and its status. */
export interface BatchAnswer {
  status: number
  body: Record<string, unknown>
  /** Whether its items have some of their members only. */
  isPartial: boolean
}

/** How a batch was asked for. */
export interface BatchRequest {
  isAtomic: boolean
  isCreation: boolean
  /** The members that items are answered with; all where undefined. */
  fields: readonly string[] | undefined
}

/** One entry per item, in order: null where it failed. Where none succeeded, the answer is an error as well. */
export function batchAnswer<Item>(
  shape: ResourceShape,
  outcomes: readonly Outcome<Entry<Item> | undefined>[],
  { isAtomic, isCreation, fields }: BatchRequest,
): BatchAnswer {
  const failures = outcomes.filter(({ ok }) => !ok).length
  const isUndone = isAtomic && failures > 0
  const errors = Object.fromEntries(
    outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [[index, itemError(outcome.error)]])),
  )
  const statusCodes = outcomes.map((outcome) => {
    if (!outcome.ok) return statusOf(outcome.error.kind)
    if (isUndone) return failedDependency
    return outcome.value?.isNew ? 201 : 200
  })
  const isPartial = fields !== undefined
  const items = outcomes.map((outcome) => {
    if (!outcome.ok || isUndone || outcome.value === undefined) return null
    const { item } = outcome.value
    return isPartial ? pickFields(item as object, fields) : item
  })
  const messages = isUndone ? {} : messagesOf(outcomes)
  const body = { [shape.many]: items, statusCodes, errors, ...messages }
  if (isUndone) {
    const status = statusCodes.find((each) => each !== failedDependency) ?? 400
    const error = `Nothing was saved: ${failures} of ${outcomes.length} items have faults, and atomic was asked for.`
    return { status, isPartial, body: { success: false, error, ...body } }
  }
  if (failures === 0 || failures < outcomes.length) {
    return { status: isCreation ? 201 : 200, isPartial, body }
  }
  const status = statusCodes.every((each) => each === statusOf('upstream')) ? 503 : 400
  return {
    status,
    isPartial,
    body: { success: false, error: noneSucceeded(failures), ...body },
  }
}

function noneSucceeded(count: number): string {
  return count === 1
    ? 'The only item of the batch failed; "errors" has its fault.'
    : `All ${count} items of the batch failed; "errors" has their faults.`
}

/** What removals changed besides, by item; no member where there is nothing to say. */
function messagesOf<Item>(outcomes: readonly Outcome<Entry<Item> | undefined>[]) {
  const messages = outcomes.flatMap((outcome, index) => {
    const consequence = outcome.ok ? outcome.value?.consequence : undefined
    return consequence === undefined ? [] : [[index, consequence]]
  })
  return messages.length === 0 ? {} : { messages: Object.fromEntries(messages) }
}

/** The schema of the answer to a batch. */
export function batchAnswerSchema({ many, item }: ResourceShape, status: number): TSchema {
  return Type.Object({
    [many]: Type.Array(Type.Unsafe({ anyOf: [item, { type: 'null' }] })),
    statusCodes: Type.Array(Type.Integer(), { examples: [[status]] }),
    errors: Type.Record(
      Type.String(),
      Type.Unsafe({ type: 'object', additionalProperties: true }),
      { description: 'By the place of the item in the batch, from 0.', examples: [{}] },
    ),
    messages: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Of removals, by item: what they changed besides.',
      }),
    ),
  })
}

function itemError(error: {
  kind: Parameters<typeof statusOf>[0]
  message: string
  details: FaultDetails | undefined
}): ItemError {
  return { code: statusOf(error.kind), message: error.message, details: error.details ?? {} }
}
