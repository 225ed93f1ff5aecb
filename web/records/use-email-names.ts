import { ask, type Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'

/** A row that came from an email: of a Mautic, or of Mailyard itself. */
export type EmailOrigin = Pick<Schema<'Delivery'>, 'mautic' | 'emailId'>

/** Returns the name of a row's email; undefined while it loads, and where it is not known. */
export type EmailNameOf = (row: EmailOrigin) => string | undefined

/** Looks up the names of the emails that rows came from, with one request for Mailyard and for each Mautic. */
export function useEmailNames(rows: readonly EmailOrigin[]): EmailNameOf {
  // The ids of a deleted Mautic mean nothing.
  const named = rows.filter(({ mautic, emailId }) => emailId !== null && mautic?.name !== '')
  const groups = Map.groupBy(named, ({ mautic }) => mautic?.id ?? 0)
  const asked = [...groups].map(([mautic, group]) => ({
    mautic,
    ids: [...new Set(group.map(({ emailId }) => emailId))].sort().join(','),
  }))
  const { data } = useData(
    async (signal) => {
      if (!can('multipleTransports:view') || !can('email:view')) return new Map<string, string>()
      const found = await Promise.all(asked.map((each) => findNames(each, signal)))
      return new Map(found.flat())
    },
    [JSON.stringify(asked)],
  )
  return ({ mautic, emailId }) => data?.get(emailNameKey(mautic?.id ?? 0, emailId ?? 0))
}

const emailNameKey = (mautic: number, emailId: number) => `${mautic} ${emailId}`

/** Finds the names of emails of a Mautic; 0 stands for Mailyard itself. */
async function findNames(
  { mautic, ids }: { mautic: number; ids: string },
  signal: AbortSignal,
): Promise<[string, string][]> {
  const query = { search: `ids:${ids}`, mautic: mautic || undefined, limit: 0 }
  const options = { query, signal, isBackground: true }
  const { body } = await ask('GET', '/api/multipleTransport/transportEmail', options)
  return body.transportEmails.map(({ email }) => [emailNameKey(mautic, email.id), email.name])
}
