import type { ComponentChildren } from 'preact'
import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { endingWords as texts } from '../../words/ending-logins.ts'
import { type EndingLogin, endingTones, firstToEnd } from './ending-login.tsx'

/** Says that log-ins of a saved transport stop working, and what depends on it. Nothing where none does. */
export function EndingNotice({
  id,
  saved,
  usage,
  children,
}: {
  id: number
  /** Changes when the transport is saved. */
  saved: string
  /** Undefined while it loads. */
  usage: { emails: number; users: number; mautics: number } | undefined
  /** What can be done about them. */
  children?: (logins: readonly EndingLogin[]) => ComponentChildren
}) {
  const { data: logins = [] } = useData(
    async (signal) => {
      const path = '/api/multipleTransports/dsn/inspect'
      const { body } = await ask('POST', path, { body: { id }, signal, isRead: true })
      return body.endingLogins ?? []
    },
    [id, saved],
  )
  const first = firstToEnd(logins)
  if (first === undefined) return null
  return (
    <Notice tone={endingTones[first.severity]}>
      <div class="stack">
        <ul>
          {logins.map((login) => (
            <li key={login.member.join()} class="row">
              <strong>{texts.left(login)}</strong>
              <span>{texts.ends(login)}</span>
              {login.member.length > 0 && <span class="small mono">{login.label}</span>}
            </li>
          ))}
        </ul>
        {usage !== undefined && <p>{texts.depends(usage)}</p>}
        {children?.(logins)}
      </div>
    </Notice>
  )
}
