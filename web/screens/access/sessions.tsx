import { ActionButton } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { timeColumn } from '../../records/columns.tsx'
import { accessWords } from '../../words/access.ts'

const text = {
  intro: 'Where you are logged in to this console.',
  browser: 'Browser',
  unknownBrowser: 'Unknown browser',
  address: 'Address',
  started: 'Started',
  used: 'Last used',
  lastUsed: 'last used',
  ends: 'Ends',
  current: 'This session',
  end: 'End',
  ended: 'The session has ended.',
  ofUser: 'Sessions',
  none: 'Not logged in.',
  endAll: 'End all',
  allEnded: 'All sessions of the user have ended.',
} as const

type Session = Body<'GET', '/api/sessions'>['sessions'][number]

/** Where the reader is logged in; each of these sessions can be ended. */
export function Sessions() {
  const loaded = useAnswer('/api/sessions')
  const end = async (id: number) => {
    await ask('DELETE', '/api/sessions/{id}', { path: { id } })
    showToast(text.ended)
    loaded.reload()
  }
  const columns: readonly Column<Session>[] = [
    { label: text.browser, kind: 'name', show: ({ userAgent }) => nameBrowser(userAgent) },
    { label: text.address, priority: 2, show: ({ address }) => address },
    timeColumn(text.started, ({ dateAdded }) => dateAdded, { priority: 4 }),
    timeColumn(text.used, ({ dateUsed }) => dateUsed, { priority: 3 }),
    timeColumn(text.ends, ({ dateEnds }) => dateEnds, { priority: 4 }),
    {
      label: text.end,
      kind: 'actions',
      show: ({ id, isCurrent }) =>
        isCurrent ? (
          <Badge>{text.current}</Badge>
        ) : (
          <ActionButton action={() => end(id)}>{text.end}</ActionButton>
        ),
    },
  ]
  return (
    <>
      <p class="quiet">{text.intro}</p>
      <Show loaded={loaded}>
        {({ sessions }) => (
          <Table
            caption={accessWords.sessions.title}
            rows={sessions}
            columns={columns}
            keyOf={({ id }) => id}
          />
        )}
      </Show>
    </>
  )
}

export function UserSessions({ id }: { id: number }) {
  const path = { id }
  const loaded = useAnswer('/api/users/{id}/sessions', { path })
  const endAll = async () => {
    await ask('DELETE', '/api/users/{id}/sessions', { path })
    showToast(text.allEnded)
    loaded.reload()
  }
  return (
    <Card
      title={text.ofUser}
      tools={
        loaded.data !== undefined &&
        loaded.data.sessions.length > 0 && (
          <ActionButton action={endAll}>{text.endAll}</ActionButton>
        )
      }
    >
      <Show loaded={loaded}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <p class="quiet">{text.none}</p>
          ) : (
            <ul class="lines">
              {sessions.map((session) => (
                <li key={session.id}>
                  {nameBrowser(session.userAgent)}
                  <p class="quiet small">
                    {session.address}, {text.lastUsed} <Time iso={session.dateUsed} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Card>
  )
}

const browsers = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** Returns the browser and its system, such as `Firefox, Linux`; the whole text for anything else. */
function nameBrowser(userAgent: string): string {
  const browser = browsers.find((each) => userAgent.includes(`${each}/`))
  const system = systems.find((each) => userAgent.includes(each))
  if (browser === undefined) return userAgent || text.unknownBrowser
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser as string] ?? browser
  return system === undefined ? name : `${name}, ${system}`
}
