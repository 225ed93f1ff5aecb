import type { TSchema } from 'typebox'
import type { AppError, FaultDetails } from '../../kit/app-error.ts'
import type { ResourceService } from '../../kit/resource.ts'
import { createCheck, validationError } from '../validation.ts'

/**
 * Says what is wrong with the values of one entry; undefined where nothing is. `id` names the entry that
 * they are to change.
 */
export type EntryCheck = (values: unknown, id?: number) => AppError | undefined | Promise<AppError>

/**
 * Checks values against a schema. Where it refuses some, the service is asked about the others, so that
 * every fault of a request is told at once.
 */
export function createEntryCheck(
  schema: TSchema,
  service: Pick<ResourceService<unknown, unknown>, 'findFaults'>,
): EntryCheck {
  const check = createCheck(schema)
  return (values, id) => {
    const error = check(values)
    if (error?.details === undefined || !isObject(values)) return error
    const { details } = error
    const others = Object.entries(values).filter(([field]) => !Object.hasOwn(details, field))
    return addFaults(details, service.findFaults(Object.fromEntries(others), id))
  }
}

/** What the schema says of a field goes before what the service says of it. */
async function addFaults(details: FaultDetails, more: Promise<FaultDetails>): Promise<AppError> {
  return validationError({ ...details, ...(await more), ...details })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
