import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Filter, ListQuery } from '../storage/index.ts'

/** Throws an AppError (`forbidden`) for callers who may not see which transport found a bounce. */
export function needTransportsView(caller: Caller): void {
  if (caller.can('multipleTransports:view')) return
  const message = 'You do not have permission to view transports (multipleTransports:view).'
  throw new AppError('forbidden', 'permission_denied', message)
}

/** Whether a list is filtered or ordered by the transport, so that the result would reveal it. */
export function isByTransport({ filter, order }: Pick<ListQuery, 'filter' | 'order'>): boolean {
  return order.some(({ field }) => field === 'transportId') || namesTransport(filter)
}

function namesTransport(filter: Filter): boolean {
  if ('field' in filter) return filter.field === 'transportId'
  return 'of' in filter && [filter.of].flat().some(namesTransport)
}
