import { withQuery } from '../lib/api.ts'

const names = [
  'recipient',
  'sender',
  'subject',
  'state',
  'lane',
  'transportId',
  'transport',
  'mautic',
] as const

/** The filters of the list, as they are in the address. */
export type QueueFilters = Partial<Record<(typeof names)[number], string>>

export function readQueueFilters(
  query: Readonly<Record<string, string | undefined>>,
): QueueFilters {
  const entries = names.flatMap((name) => {
    const value = query[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

/** The address of the list with these filters. */
export function queueHref(filters: QueueFilters): string {
  return withQuery('/queue', filters)
}

/** Whether the filters choose all messages of one transport, also those that arrive later. */
export function isWholeTransport({ transportId, transport, ...others }: QueueFilters): boolean {
  const isTransport = Boolean(transportId) || transport === 'default'
  return isTransport && Object.values(others).every((value) => !value)
}
