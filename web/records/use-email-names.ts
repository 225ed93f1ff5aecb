import { ask, type Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'

/** A row that came from an email: of a Mautic, or of Mailyard itself. */
export type EmailOrigin = Pick<Schema<'Delivery'>, 'mautic' | 'emailId'>

/** Returns the name of a row's email; undefined while it loads, and where it is not known. */
export type EmailNameOf = (row: EmailOrigin) => string | undefined

/** Looks up the names of the emails that rows came from, with one request for Mailyard and for each Mautic. */
export function useEmailNames(rows: readonly EmailOrigin[]): EmailNameOf {
  const idsOfMautics = idsByMautic(rows)
  const { data: nameByKey } = useData(
    async (signal) => {
      const names = new Map<string, string>()
      if (!can('multipleTransports:view') || !can('email:view')) return names
      const parts = idsOfMautics.map(([mautic, ids]) => findNames({ mautic, ids, signal }))
      for (const part of await Promise.all(parts))
        for (const [key, name] of part) names.set(key, name)
      return names
    },
    [JSON.stringify(idsOfMautics)],
  )
  return ({ mautic, emailId }) => nameByKey?.get(emailNameKey(mautic?.id ?? 0, emailId ?? 0))
}

const emailNameKey = (mautic: number, emailId: number) => `${mautic} ${emailId}`

/** The ids of emails by Mautic; 0 for Mailyard's own. */
function idsByMautic(rows: readonly EmailOrigin[]): [number, number[]][] {
  const ids = new Map<number, Set<number>>()
  for (const { mautic, emailId } of rows) {
    const key = mautic?.id ?? 0
    // The ids of a deleted Mautic mean nothing.
    if (emailId === null || mautic?.name === '') continue
    ids.set(key, (ids.get(key) ?? new Set()).add(emailId))
  }
  const inOrder = (numbers: Iterable<number>) => [...numbers].sort((one, other) => one - other)
  return inOrder(ids.keys()).map((mautic) => [mautic, inOrder(ids.get(mautic) ?? [])])
}

interface NamesQuery {
  mautic: number
  ids: readonly number[]
  signal: AbortSignal
}

async function findNames({ mautic, ids, signal }: NamesQuery): Promise<[string, string][]> {
  const query = { search: `ids:${ids.join(',')}`, mautic: mautic || undefined, limit: 0 }
  const options = { query, signal, isBackground: true }
  const { body } = await ask('GET', '/api/multipleTransport/transportEmail', options)
  return body.transportEmails.map(({ email }) => [emailNameKey(mautic, email.id), email.name])
}
