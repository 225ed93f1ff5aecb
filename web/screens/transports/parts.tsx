import type { ComponentChildren } from 'preact'
import { Badge, Dot, Notice } from '../../design/feedback.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can, session } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { type EndingLogin, endingTones } from '../../records/ending-login.tsx'
import { counted, countedParts, formatList } from '../../words/format.ts'
import { transportWords } from '../../words/transports.ts'
import type { Uses } from './side.tsx'

const { editor, test: texts } = transportWords

export type LastTestResult = Schema<'TransportInList'>['lastTest']

/** The last test of the DSN of a transport: when, and how it ended. */
export function LastTest({
  test,
  isInUse = false,
}: {
  test: LastTestResult | undefined
  /** Whether it has accepted messages today. */
  isInUse?: boolean
}) {
  if (test == null && isInUse) return <span title={texts.inUseHelp}>{texts.inUse}</span>
  if (test == null) return <span class="quiet">{texts.never}</span>
  const { success, date, message } = test
  return (
    <span class="row" title={message}>
      {success ? <Dot>{texts.passed}</Dot> : <Badge tone="bad">{texts.failed}</Badge>}
      <span class="small">
        <Time iso={date} />
      </span>
    </span>
  )
}

/** Says where the test message before saving is sent. */
export function TestRecipient({ testedEmailFrom }: { testedEmailFrom: string }) {
  const user = session.value?.user
  const recipient = user?.email || testedEmailFrom
  return (
    <p class="quiet small">
      {recipient ? editor.testedTo(recipient) : editor.noRecipient}{' '}
      {user?.email && user.id !== null && can('user:edit') && (
        <a href={`/access/users/${user.id}`}>{editor.changeAddress}</a>
      )}
    </p>
  )
}

/** The log-ins of a saved transport that stop working, the worst first. `saved` changes when it is saved. */
export function useEndingLogins(id: number | undefined, saved: string): readonly EndingLogin[] {
  const { data = [] } = useData(
    async (signal) => {
      if (id === undefined) return []
      const path = '/api/multipleTransports/dsn/inspect'
      const { body } = await ask('POST', path, { body: { id }, signal, isRead: true })
      return body.endingLogins ?? []
    },
    [id, saved],
  )
  return data
}

/** Says that log-ins of a saved transport stop working, and what depends on it. Nothing where none does. */
export function EndingNotice({
  logins,
  usage,
  children,
}: {
  /** The worst first. */
  logins: readonly EndingLogin[]
  /** Undefined while it loads. */
  usage: Uses | undefined
  /** What can be done about them. */
  children?: ComponentChildren
}) {
  const [first] = logins
  if (first === undefined) return null
  return (
    <Notice tone={endingTones[first.severity]}>
      <div class="stack">
        <ul>
          {logins.map(({ member, daysLeft, sentence, label }) => (
            <li key={member.join()} class="row">
              <strong>{sayDaysLeft(daysLeft)}</strong>
              <span>{sentence}</span>
              {member.length > 0 && <span class="small mono">{label}</span>}
            </li>
          ))}
        </ul>
        {usage !== undefined && <p>{sayUses(usage)}</p>}
        {children}
      </div>
    </Notice>
  )
}

function sayDaysLeft(daysLeft: number | null): string {
  if (daysLeft === null) return 'Expires hourly'
  if (daysLeft === 0) return 'Ends today'
  return daysLeft < 0 ? 'Ended' : `${counted(daysLeft, 'day')} left`
}

/** What depends on a transport. */
function sayUses({ emails, users, mautics }: Uses): string {
  const counts = countedParts({ email: emails, user: users, Mautic: mautics })
  if (counts.length === 0) return 'Nothing is assigned to it.'
  return `${formatList(counts)} ${emails + users + mautics === 1 ? 'depends' : 'depend'} on it.`
}
