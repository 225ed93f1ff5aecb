import { useState } from 'preact/hooks'
import { CopyText } from '../../design/copy-text.tsx'
import { HelpLink, OutLink } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import type { Provider } from '../../records/providers.tsx'
import { formatNumber } from '../../words/format.ts'
import type { Draft } from './draft.ts'
import { fillLine } from './fill-line.ts'
import type { DsnForm } from './use-dsn.ts'

const texts = {
  title: 'Set-up steps',
  openPage: (host: string) => `Open ${host}`,
  noSenders: 'Fill in the mailbox, or repeat the lines with MAILBOX for each sender.',
  ofSenders: (max: number) =>
    `The mailboxes are the sender of test messages and those of the emails and users that this transport is assigned to, at most ${formatNumber(max)}. Check each of them: the application gets full access.`,
} as const

type Variant = Provider['variants'][number]

/** What to set up at the provider, with the values of the form in the commands. Open until the form is filled in. */
export function SetupSteps({
  variant,
  values,
  transport,
}: {
  variant: Variant
  values: DsnForm['fields']
  transport: FormTransport
}) {
  const isIncomplete = variant.fields.some(({ name, required }) => required && !values[name])
  const [isOpen] = useState(transport.id === undefined || isIncomplete)
  const senders = useSenders(transport)
  const mailbox = String(values['mailbox'] ?? '')
  const mailboxes = mailbox === '' ? senders : [mailbox]
  const isForMailboxes = variant.steps.some(({ lines }) =>
    lines.some((line) => line.includes('{mailbox}')),
  )
  return (
    <details open={isOpen}>
      <summary>{texts.title}</summary>
      <ol class="setup-steps">
        {variant.steps.map(({ text, link, lines, shell }) => (
          <li key={text}>
            <p>
              {text}{' '}
              {link !== null && <OutLink href={link}>{texts.openPage(new URL(link).host)}</OutLink>}
            </p>
            {lines.map((line) => (
              <CopyText
                key={line}
                isScrolled
                text={fillLine(line, { fields: variant.fields, values, mailboxes, shell })}
              />
            ))}
          </li>
        ))}
      </ol>
      <p class="quiet small setup-note">
        {isForMailboxes &&
          mailbox === '' &&
          (senders.length === 0 ? texts.noSenders : texts.ofSenders(sendersMax))}{' '}
        <HelpLink page="move-to-oauth" />
      </p>
    </details>
  )
}

/** The transport of a form, saved or not. */
export interface FormTransport extends Pick<Draft, 'testedEmailFrom'> {
  /** Undefined for a new transport. */
  id: number | undefined
}

/** How many senders are looked up. */
const sendersMax = 20

/** Returns the addresses that send through a transport, as far as they are known: at most `sendersMax`. */
function useSenders({ id, testedEmailFrom }: FormTransport): readonly string[] {
  const { data = [] } = useData(
    async (signal) => {
      if (id === undefined) return []
      const query = { transport: String(id), limit: String(sendersMax), signal }
      return (await Promise.all([findOfEmails(query), findOfUsers(query)])).flat()
    },
    [id],
  )
  const known = [testedEmailFrom, ...data].filter((address) => address !== '')
  const byAddress = new Map(known.map((address) => [address.toLowerCase(), address]))
  return [...byAddress.values()].slice(0, sendersMax)
}

interface SenderQuery {
  transport: string
  limit: string
  signal: AbortSignal
}

/** The senders of the assigned emails of Mailyard: those of a Mautic are not known. */
async function findOfEmails({ signal, ...query }: SenderQuery): Promise<string[]> {
  if (!can('email:view')) return []
  const path = '/api/multipleTransport/transportEmail'
  const { transportEmails } = (await ask('GET', path, { query, signal })).body
  if (transportEmails.length === 0) return []
  const search = `ids:${transportEmails.map(({ email }) => email.id).join(',')}`
  const found = await ask('GET', '/api/emails', {
    query: { search, fields: 'fromAddress' },
    signal,
  })
  return Object.values(found.body.emails).map(({ fromAddress }) => fromAddress ?? '')
}

/** The addresses of the assigned users. */
async function findOfUsers({ signal, ...query }: SenderQuery): Promise<string[]> {
  if (!can('user:view')) return []
  const path = '/api/multipleTransport/transportUser'
  const { transportUsers } = (await ask('GET', path, { query, signal })).body
  return transportUsers.map(({ user }) => user.email)
}
