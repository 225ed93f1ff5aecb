import type { FastifyError, FastifyRequest } from 'fastify'
import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import { type Callers, type createCheck, validationError } from '../../http/index.ts'
import { faultsPerItem } from '../definition.ts'
import type { FaultContext, ResourceService } from '../resource-service.ts'

type FindFaults = ResourceService<unknown, unknown>['findFaults']

/**
 * Adds the faults that the service finds in a body to those that Fastify's validator found, so that one answer lists every
 * fault. For the `errorHandler` of a route; it throws, and the error handler of the server answers.
 *
 * @param idOf The id of the record that the request changes, if any.
 */
export function withServiceFaults(
  findFaults: FindFaults,
  callers: Callers,
  idOf: (request: FastifyRequest) => number | undefined = () => undefined,
) {
  const throwAll = async (error: FastifyError, request: FastifyRequest): Promise<never> => {
    if (error.validationContext !== 'body' || !(error instanceof AppError)) throw error
    const context = {
      id: idOf(request),
      faultsMax: faultsPerItem(1),
      caller: callers.of(request),
    }
    throw await addFaults(error, request.body, (values) => findFaults(values, context))
  }
  // Fastify awaits the promise of an error handler; its types do not have it.
  return (error: FastifyError, request: FastifyRequest): unknown => throwAll(error, request)
}

/** Validates one item of a batch: Fastify's validator would refuse the whole batch. Undefined for a valid item. */
export type ValidateItem = (
  item: unknown,
  context: Omit<FaultContext, 'caller'>,
) => AppError | undefined | Promise<AppError>

export function createItemValidator(
  check: ReturnType<typeof createCheck>,
  findFaults: FindFaults,
  caller: Caller,
): ValidateItem {
  return (item, context) => {
    const error = check(item)
    return error && addFaults(error, item, (values) => findFaults(values, { ...context, caller }))
  }
}

/** Asks the service about the values that the schema accepts. */
async function addFaults(
  error: AppError,
  values: unknown,
  findFaults: (values: Readonly<Record<string, unknown>>) => ReturnType<FindFaults>,
): Promise<AppError> {
  const { details } = error
  if (details === undefined || typeof values !== 'object' || values === null) return error
  const others = Object.entries(values).filter(([field]) => !Object.hasOwn(details, field))
  const more = await findFaults(Object.fromEntries(others))
  return validationError({ ...details, ...more, ...details })
}
