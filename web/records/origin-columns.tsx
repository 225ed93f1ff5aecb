import type { ComponentChildren } from 'preact'
import type { Column } from '../design/table.tsx'
import { can } from '../lib/session.ts'
import { words } from '../words/common.ts'
import { mauticNameWords as text } from '../words/mautic-names.ts'
import { labels } from '../words/records.ts'
import type { OfBrand } from './brands.tsx'
import { MauticName } from './mautics.tsx'
import { NameCell } from './resource-list.tsx'
import type { EmailNameOf, EmailOrigin } from './use-email-names.ts'

/** The recipient of a message, which leads to its page below `path`, with the subject or else the sender below it. */
export function recipientColumn<
  Row extends OfBrand & { id: number; recipient: string; subject: string | null; sender: string },
>(path: string): Column<Row> {
  return {
    label: labels.recipient,
    kind: 'name',
    show: ({ id, recipient, subject, sender, brand }) => (
      <NameCell
        href={`${path}/${id}`}
        name={recipient}
        note={subject ?? (sender && `from ${sender}`)}
        brand={brand}
      />
    ),
  }
}

/** The columns that say which Mautic and which email rows came from; none where no row came from one. */
export function originColumns<Row extends EmailOrigin>(
  rows: readonly Row[],
  nameOf: EmailNameOf,
): readonly Column<Row>[] {
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
    ...(rows.some((row) => row.mautic !== null) ? [mautic] : []),
    ...(rows.some(({ emailId }) => emailId !== null) ? [email] : []),
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
