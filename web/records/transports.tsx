import type { ComponentChildren } from 'preact'
import type { Choice } from '../design/picker.tsx'
import { ask, withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useAddress } from '../lib/use-address.ts'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import type { ListFilter } from './filters.tsx'
import { findTransports } from './find.ts'

/** The name of a transport with a link to it; the name alone where it has no id, and for those who may not view it. */
export function TransportLink({
  id,
  name,
}: {
  id: number | null
  name: ComponentChildren
}): ComponentChildren {
  if (id === null || !can('multipleTransports:view')) return name
  return <a href={`/transports/${id}`}>{name}</a>
}

type NameOf = (id: number) => string

/** Returns the function that names a transport by its id; one that is deleted has its number. */
export function useTransportNames(ids: readonly number[]): NameOf {
  const uniqueIds = [...new Set(ids)].sort((one, other) => one - other)
  const { data } = useData((signal) => findTransportNames(uniqueIds, signal), [uniqueIds.join(',')])
  return data ?? numberOf
}

const numberOf: NameOf = (id) => words.transportNumber(id)

/** Finds the names of transports, for `useTransportNames` and for lists that load them with their rows. */
export async function findTransportNames(
  ids: readonly number[],
  signal: AbortSignal,
): Promise<NameOf> {
  if (ids.length === 0 || !can('multipleTransports:view')) return numberOf
  const query = { search: `ids:${[...new Set(ids)].join(',')}`, fields: 'id,name', limit: 0 }
  const options = { query, signal, isBackground: true }
  const { body } = await ask('GET', '/api/multipleTransports', options)
  const names = new Map(body.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? numberOf(id)
}

/** A filter by a transport, or by one of the `others`: the configured default one. */
export function useTransportFilter(
  name: string,
  label: string,
  others: readonly Choice[] = [{ value: 'default', label: words.default }],
): ListFilter {
  const id = Number(useAddress().query[name])
  const nameOf = useTransportNames(id > 0 ? [id] : [])
  const otherOf = (value: string) => others.find((other) => other.value === value)?.label
  return {
    name,
    label,
    nameOf: (value) => `${label}: ${otherOf(value) ?? nameOf(Number(value))}`,
    async find(text, signal) {
      const typed = text.trim().toLowerCase()
      const matching = others.filter((other) => other.label.toLowerCase().includes(typed))
      return [...matching, ...(await findTransports(text, signal))]
    },
  }
}

/** The address of the bounces that a transport has found; null for the configured default. */
export function bouncesHref(transportId: number | null): string {
  return withQuery('/suppressions', { transportId: transportId ?? 'default' })
}

/** A link to the bounces that a transport has found, for those who may view them. */
export function BouncesLink({ transportId }: { transportId: number | null }) {
  if (!can('contact:view') || !can('multipleTransports:view')) return null
  return <a href={bouncesHref(transportId)}>Show the bounces</a>
}
