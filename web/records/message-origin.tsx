import type { ComponentChildren } from 'preact'
import type { Column } from '../design/table.tsx'
import { ask, type Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { mauticNameWords as text } from '../words/mautic-names.ts'
import { labels } from '../words/records.ts'
import type { OfBrand } from './brands.tsx'
import { NameCell } from './columns.tsx'
import { MauticName } from './mautics.tsx'

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

type Message = OfBrand &
  EmailOrigin &
  Pick<Schema<'Delivery'>, 'id' | 'recipient' | 'subject' | 'sender' | 'transport'>

/**
 * The columns that lists of messages have in common: the recipient, which leads to the page of the message below `path`, the
 * Mautic and the email they came from, where one came from one, and the transport. `state` stands after the recipient.
 */
export function useMessageColumns<Row extends Message>(
  path: string,
  rows: readonly Row[],
  state: readonly Column<Row>[] = [],
): readonly Column<Row>[] {
  const nameOf = useEmailNames(rows)
  const recipient: Column<Row> = {
    label: labels.recipient,
    kind: 'name',
    show: ({ id, recipient: name, subject, sender, brand }) => (
      <NameCell
        href={`${path}/${id}`}
        name={name}
        note={subject ?? (sender && `from ${sender}`)}
        brand={brand}
      />
    ),
  }
  const mautic: Column<Row> = {
    label: text.mautic,
    priority: 3,
    show: (row) => (row.mautic === null ? words.none : <MauticName mautic={row.mautic} />),
  }
  const email: Column<Row> = {
    label: text.email,
    priority: 3,
    show: (row) => <EmailName row={row} name={nameOf(row)} />,
  }
  return [
    recipient,
    ...state,
    ...(rows.some((row) => row.mautic !== null) ? [mautic] : []),
    ...(rows.some(({ emailId }) => emailId !== null) ? [email] : []),
    { label: labels.transport, priority: 4, show: ({ transport }) => transport ?? words.none },
  ]
}

/** The name of an email, and its number where the name is not known. One of Mailyard itself is a link. */
export function EmailName({
  row: { mautic, emailId },
  name,
}: {
  row: EmailOrigin
  name: string | undefined
}): ComponentChildren {
  if (emailId === null) return words.none
  const shown = name ?? text.emailNumber(emailId)
  // Ids of a Mautic are not those of Mailyard's emails.
  if (mautic === null) return can('email:view') ? <a href={`/emails/${emailId}`}>{shown}</a> : shown
  return (
    <>
      {shown}
      {name !== undefined && <p class="quiet small">{text.emailNumber(emailId)}</p>}
    </>
  )
}
